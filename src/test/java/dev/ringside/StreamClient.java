package dev.ringside;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One streamed answer over a socket of its own, read as fast as it comes, or left in the middle. */
final class StreamClient {

    private static final int PATIENCE_MILLIS = 600_000;

    /** Hears of every piece of text when it arrives. */
    interface Listener {

        void text(String text, long nanoTime);
    }

    private final int port;

    StreamClient(int port) {
        this.port = port;
    }

    /** Connects and sends the request; small buffers let the server feel a slow reader soon. */
    Socket open(String path, String body, int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress("localhost", port), PATIENCE_MILLIS);
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Content-Length: " + content.length + "\r\n\r\n";
        socket.getOutputStream().write((head + body).getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    /** Reads a stream to its end and returns its text. */
    String read(String path, String body, Listener listener) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Socket socket = open(path, body, 0);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            String status = in.readLine();
            if (status == null || !status.contains(" 200 ")) {
                throw new IOException("Refused: " + status);
            }
            // Each event is one chunk; what is between them are chunk sizes, headers and comments.
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("data: [DONE]")) {
                    return text.toString();
                }
                if (line.startsWith("data: ")) {
                    String piece = piece(JsonMapper.shared().readTree(line.substring(6)), line);
                    if (!piece.isEmpty()) {
                        listener.text(piece, System.nanoTime());
                        text.append(piece);
                    }
                }
            }
        }
        throw new IOException("The stream ended without [DONE] after: " + text);
    }

    /** Sends a request, reads so many bytes at most, and closes the connection. */
    void leaveAfter(String path, String body, int bytes) throws IOException {
        try (Socket socket = open(path, body, 0)) {
            for (int i = 0; i < bytes && socket.getInputStream().read() >= 0; i++) {
                // Only what was asked for is read.
            }
            socket.setSoLinger(true, 0);
        }
    }

    private static String piece(JsonNode event, String line) throws IOException {
        if (event.has("error")) {
            throw new IOException("Error event: " + line);
        }
        JsonNode choice = event.path("choices").path(0);
        JsonNode content = choice.has("delta") ? choice.path("delta").path("content") : choice.path("text");
        return content.isString() ? content.stringValue() : "";
    }
}
