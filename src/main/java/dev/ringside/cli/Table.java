package dev.ringside.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Columns of text: the first is flush left, the others flush right, the last one flush left again when it is said to be text. */
final class Table {

    private final List<List<String>> rows = new ArrayList<>();
    private final boolean textAtEnd;

    Table(boolean textAtEnd, String... header) {
        this.textAtEnd = textAtEnd;
        rows.add(List.of(header));
    }

    void row(String... cells) {
        rows.add(List.of(cells));
    }

    void print(PrintWriter out) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("  ");
            for (int i = 0; i < columns; i++) {
                String cell = row.get(i);
                String gap = " ".repeat(widths[i] - cell.length());
                boolean left = i == 0 || textAtEnd && i == columns - 1;
                line.append(i == 0 ? "" : "  ").append(left ? cell + gap : gap + cell);
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
