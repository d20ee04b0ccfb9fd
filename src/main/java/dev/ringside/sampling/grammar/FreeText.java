package dev.ringside.sampling.grammar;

import java.nio.charset.StandardCharsets;

/**
 * Rules for text that is free but for one marker: with a control token as the marker one state that loops, else the automaton of Knuth, Morris and
 * Pratt (1977) over the marker's bytes. Any bytes may stand in such text, whole characters or not, and any other control token.
 */
final class FreeText {

    private FreeText() {}

    /** Text up to and with the first marker. */
    static int until(AutomatonEdges edges, ControlTokens controls, String marker) {
        return add(edges, controls, marker, true);
    }

    /** Text in which the marker doesn't occur. */
    static int without(AutomatonEdges edges, ControlTokens controls, String marker) {
        return add(edges, controls, marker, false);
    }

    private static int add(AutomatonEdges edges, ControlTokens controls, String marker, boolean withMarker) {
        int rule = edges.addRule(withMarker ? "text up to " + marker : "text without " + marker);
        AutomatonEdges.RuleStates states = edges.rules.get(rule);
        int[] tokens = controls.withText(marker);
        if (tokens.length > 1) {
            throw new GrammarException("the vocabulary has " + tokens.length + " control tokens " + marker);
        }
        if (tokens.length == 1) {
            addForToken(edges, states, tokens[0], withMarker);
        } else {
            addForBytes(edges, states, marker.getBytes(StandardCharsets.UTF_8), withMarker);
        }
        return rule;
    }

    private static void addForToken(AutomatonEdges edges, AutomatonEdges.RuleStates states, int token, boolean withMarker) {
        int loop = edges.newState();
        edges.addEmpty(states.start(), loop);
        edges.addByte(loop, 0, 0xFF, loop);
        edges.passControls(loop, token);
        if (withMarker) {
            edges.tokens.add(loop, token, 0, states.end());
        } else {
            edges.addEmpty(loop, states.end());
        }
    }

    private static void addForBytes(AutomatonEdges edges, AutomatonEdges.RuleStates states, byte[] marker, boolean withMarker) {
        int[] progress = new int[marker.length];
        for (int i = 0; i < marker.length; i++) {
            progress[i] = edges.newState();
            if (!withMarker) {
                edges.addEmpty(progress[i], states.end());
            }
        }
        edges.addEmpty(states.start(), progress[0]);
        int[][] next = table(marker);
        for (int i = 0; i < marker.length; i++) {
            // A control token has no text, so what was read of the marker stays read.
            edges.passControls(progress[i], -1);
            int low = 0;
            for (int b = 1; b <= 256; b++) {
                if (b == 256 || next[i][b] != next[i][low]) {
                    int to = next[i][low];
                    if (to < marker.length) {
                        edges.addByte(progress[i], low, b - 1, progress[to]);
                    } else if (withMarker) {
                        edges.addByte(progress[i], low, b - 1, states.end());
                    }
                    low = b;
                }
            }
        }
    }

    /** {@code [read of the marker][byte]}: how much of the marker is read then. */
    private static int[][] table(byte[] marker) {
        int[][] next = new int[marker.length][256];
        int fallback = 0;
        for (int i = 0; i < marker.length; i++) {
            int b = marker[i] & 0xFF;
            if (i > 0) {
                System.arraycopy(next[fallback], 0, next[i], 0, 256);
            }
            int before = next[i][b];
            next[i][b] = i + 1;
            if (i > 0) {
                fallback = before;
            }
        }
        return next;
    }
}
