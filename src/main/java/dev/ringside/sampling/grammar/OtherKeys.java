package dev.ringside.sampling.grammar;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Keys of an object other than some names. As long as a key begins like a name its characters stand for themselves; from the first other character on
 * it is a string like any. So no escape can spell a name in another way.
 */
final class OtherKeys {

    private OtherKeys() {}

    private record Node(int state, Map<Integer, Node> children) {}

    /** Adds what follows the opening quote, with the closing one. */
    static int add(AutomatonEdges edges, Set<String> names, int from) {
        int to = edges.newState();
        int other = edges.newState();
        edges.strings.add(other, 0, Expr.UNBOUNDED, to);
        Node root = new Node(edges.newState(), new LinkedHashMap<>());
        edges.addEmpty(from, root.state);
        Map<Integer, Node> nodes = new LinkedHashMap<>();
        nodes.put(root.state, root);
        Set<Integer> ends = new HashSet<>();
        for (String name : names) {
            Node at = root;
            for (int i = 0; i < name.length(); i = name.offsetByCodePoints(i, 1)) {
                at = at.children.computeIfAbsent(name.codePointAt(i), c -> new Node(edges.newState(), new LinkedHashMap<>()));
                nodes.put(at.state, at);
            }
            ends.add(at.state);
        }
        for (Node node : nodes.values()) {
            node.children.forEach((c, child) -> CharEdges.add(edges, new Expr.Chars(CodePoints.of(c), true), node.state, child.state));
            CodePoints others = CodePoints.of(node.children.keySet().stream().mapToInt(c -> c).toArray()).complement();
            CharEdges.add(edges, new Expr.Chars(others, true), node.state, other);
            if (!ends.contains(node.state)) {
                edges.addByte(node.state, '"', '"', to);
            }
        }
        return to;
    }
}
