package dev.ringside.cli;

import dev.ringside.expert.ReplayResult;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;

/** Draws misses per step against the size of the cache, a line for each policy, without a display. */
final class MissPlot {

    static final int WIDTH = 960;
    static final int HEIGHT = 600;

    /** Colours that also people who see fewer tell apart (Okabe and Ito, 2008). */
    private static final Color[] COLOURS = {new Color(0x0072B2), new Color(0xE69F00), new Color(0x009E73), new Color(0xD55E00),
        new Color(0xCC79A7), new Color(0x56B4E9), new Color(0x000000)};
    private static final Color GRID = new Color(0xDDDDDD);
    private static final int LEFT = 90;
    private static final int RIGHT = 190;
    private static final int TOP = 60;
    private static final int BOTTOM = 80;
    private static final int TICKS = 6;

    private final Graphics2D canvas;
    private final List<ReplayResult> results;
    private final List<String> policies;
    private final double firstSize;
    private final double lastSize;
    private final double top;

    private MissPlot(Graphics2D canvas, List<ReplayResult> results) {
        this.canvas = canvas;
        this.results = results;
        this.policies = results.stream().map(ReplayResult::policy).distinct().toList();
        int least = results.stream().mapToInt(ReplayResult::slots).min().orElseThrow();
        int most = results.stream().mapToInt(ReplayResult::slots).max().orElseThrow();
        // A single size is drawn in the middle.
        this.firstSize = least == most ? least - 1.0 : least;
        this.lastSize = least == most ? most + 1.0 : most;
        double highest = results.stream().mapToDouble(ReplayResult::missesPerStep).max().orElseThrow();
        this.top = step(Math.max(highest, 1e-3)) * Math.ceil(Math.max(highest, 1e-3) / step(Math.max(highest, 1e-3)));
    }

    /**
     * Writes a PNG image.
     *
     * @param results at least one
     * @throws IOException when the file cannot be written
     */
    static void write(Path file, String title, List<ReplayResult> results) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = image.createGraphics();
        try {
            new MissPlot(canvas, results).draw(title);
        } finally {
            canvas.dispose();
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            ImageIO.write(image, "png", out);
        }
    }

    /** Colour of a policy's line by its number. */
    static Color colour(int policy) {
        return COLOURS[policy % COLOURS.length];
    }

    private void draw(String title) {
        canvas.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        canvas.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        canvas.setColor(Color.WHITE);
        canvas.fillRect(0, 0, WIDTH, HEIGHT);
        canvas.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
        axes();
        for (int i = 0; i < policies.size(); i++) {
            line(i);
            legend(i);
        }
        canvas.setColor(Color.BLACK);
        canvas.setFont(new Font(Font.SANS_SERIF, Font.BOLD, 16));
        canvas.drawString(title, LEFT, TOP - 25);
    }

    private void axes() {
        FontMetrics text = canvas.getFontMetrics();
        double rise = step(top);
        for (double value = 0; value <= top * 1.0001; value += rise) {
            double y = y(value);
            canvas.setColor(GRID);
            canvas.draw(new Line2D.Double(LEFT, y, WIDTH - RIGHT, y));
            canvas.setColor(Color.BLACK);
            String label = label(value, rise);
            canvas.drawString(label, LEFT - 8 - text.stringWidth(label), (int) y + text.getAscent() / 2 - 1);
        }
        results.stream().mapToInt(ReplayResult::slots).distinct().sorted().forEach(size -> {
            String label = Integer.toString(size);
            canvas.draw(new Line2D.Double(x(size), HEIGHT - BOTTOM, x(size), HEIGHT - BOTTOM + 5.0));
            canvas.drawString(label, (int) x(size) - text.stringWidth(label) / 2, HEIGHT - BOTTOM + 8 + text.getAscent());
        });
        canvas.draw(new Line2D.Double(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM));
        canvas.draw(new Line2D.Double(LEFT, TOP, LEFT, HEIGHT - BOTTOM));
        String across = "cache size (slots)";
        canvas.drawString(across, LEFT + (WIDTH - LEFT - RIGHT - text.stringWidth(across)) / 2, HEIGHT - BOTTOM + 50);
        String up = "misses per step";
        AffineTransform upright = canvas.getTransform();
        canvas.rotate(-Math.PI / 2);
        canvas.drawString(up, -(TOP + (HEIGHT - TOP - BOTTOM + text.stringWidth(up)) / 2), 24);
        canvas.setTransform(upright);
    }

    private void line(int policy) {
        canvas.setColor(colour(policy));
        canvas.setStroke(new BasicStroke(2.5f));
        List<ReplayResult> points = results.stream().filter(result -> result.policy().equals(policies.get(policy)))
                .sorted(Comparator.comparingInt(ReplayResult::slots)).toList();
        for (int i = 0; i < points.size(); i++) {
            double x = x(points.get(i).slots());
            double y = y(points.get(i).missesPerStep());
            canvas.fill(new Ellipse2D.Double(x - 4, y - 4, 8, 8));
            if (i > 0) {
                canvas.draw(new Line2D.Double(x(points.get(i - 1).slots()), y(points.get(i - 1).missesPerStep()), x, y));
            }
        }
        canvas.setStroke(new BasicStroke(1));
    }

    private void legend(int policy) {
        int y = TOP + 12 + 24 * policy;
        int x = WIDTH - RIGHT + 20;
        canvas.setColor(colour(policy));
        canvas.setStroke(new BasicStroke(2.5f));
        canvas.drawLine(x, y, x + 26, y);
        canvas.fill(new Ellipse2D.Double(x + 9.0, y - 4.0, 8, 8));
        canvas.setStroke(new BasicStroke(1));
        canvas.setColor(Color.BLACK);
        canvas.drawString(policies.get(policy), x + 34, y + 5);
    }

    private double x(int size) {
        return LEFT + (size - firstSize) / (lastSize - firstSize) * (WIDTH - LEFT - RIGHT);
    }

    private double y(double misses) {
        return HEIGHT - BOTTOM - misses / top * (HEIGHT - TOP - BOTTOM);
    }

    /** A round distance between ticks: 1, 2 or 5 times a power of ten, at most so many of them. */
    private static double step(double range) {
        double power = Math.pow(10, Math.floor(Math.log10(range / TICKS)));
        for (int times : new int[] {1, 2, 5}) {
            if (range / (times * power) <= TICKS) {
                return times * power;
            }
        }
        return 10 * power;
    }

    private static String label(double value, double step) {
        int digits = (int) Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
