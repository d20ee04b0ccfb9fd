package dev.ringside.sampling.grammar;

/** Puts pairs of key and stack in order, so that equal sets are equal objects. */
final class StackOrder {

    private StackOrder() {}

    /** The stack of a rule that was entered from the given return points. */
    static Stack stack(int rule, Places entered, long id) {
        int[] order = sorted(entered, entered.size());
        int[] returns = new int[order.length];
        Stack[] below = new Stack[order.length];
        for (int i = 0; i < order.length; i++) {
            returns[i] = Simulation.state(entered.key(order[i]));
            below[i] = entered.stack(order[i]);
        }
        return new Stack(rule, returns, below, id);
    }

    /** The state of those places that wait for something. */
    static State state(Automaton automaton, Places places, boolean complete) {
        int[] order = sorted(places, places.size());
        int kept = 0;
        for (int index : order) {
            if (automaton.waits(Simulation.state(places.key(index)))) {
                order[kept++] = index;
            }
        }
        long[] keys = new long[kept];
        Stack[] stacks = new Stack[kept];
        for (int i = 0; i < kept; i++) {
            keys[i] = places.key(order[i]);
            stacks[i] = places.stack(order[i]);
        }
        return new State(keys, stacks, complete);
    }

    /** Shell sort: sets are small as a rule, nothing is allocated but the result, and no depth depends on the input. */
    private static int[] sorted(Places places, int size) {
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            order[i] = i;
        }
        int gap = 1;
        while (gap < size / 3) {
            gap = 3 * gap + 1;
        }
        for (; gap > 0; gap /= 3) {
            for (int i = gap; i < size; i++) {
                int moved = order[i];
                int at = i;
                while (at >= gap && before(places, moved, order[at - gap])) {
                    order[at] = order[at - gap];
                    at -= gap;
                }
                order[at] = moved;
            }
        }
        return order;
    }

    private static boolean before(Places places, int a, int b) {
        long keyA = places.key(a);
        long keyB = places.key(b);
        return keyA != keyB ? keyA < keyB : places.stack(a).id < places.stack(b).id;
    }
}
