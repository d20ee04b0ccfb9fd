package dev.ringside.api;

import dev.ringside.serving.Delivery;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.server.ServerWebExchange;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServerRequest;
import reactor.util.context.Context;

/**
 * The network connection of one streamed answer. What is streamed to it is made on the thread that writes to its socket, which saves two changes
 * of threads for every token. Where nothing between the answer and HTTP's codec wants to see the bytes, a chunk is written as one buffer right
 * below the codec, in place of three through all of it (docs/performance.md).
 */
final class ClientConnection {

    /** One of which nothing is known: events come on any thread and are sent when the server gets to it. */
    static final ClientConnection UNKNOWN = new ClientConnection(null, null);

    /** What stands above the codec of every plain connection. Anything else (compression, metrics) is to see what is sent. */
    private static final List<String> ABOVE = List.of(NettyPipeline.HttpTrafficHandler, NettyPipeline.ReactiveBridge);
    private static final int LINE_END = '\r' << 8 | '\n';
    /** Eight hexadecimal digits and a line end. */
    private static final int MOST_HEADER = 10;

    private final @Nullable Channel channel;
    private final @Nullable ChannelHandlerContext codec;
    /** The last buffer that went through the server; released when it is on its way. */
    private @Nullable ByteBuf last;

    private ClientConnection(@Nullable Channel channel, @Nullable ChannelHandlerContext codec) {
        this.channel = channel;
        this.codec = codec;
    }

    static ClientConnection of(ServerWebExchange exchange) {
        Object request = ServerHttpRequestDecorator.getNativeRequest(exchange.getRequest());
        if (!(request instanceof Connection connection)) {
            return UNKNOWN;
        }
        boolean chunked = request instanceof HttpServerRequest http && http.version().equals(HttpVersion.HTTP_1_1);
        return new ClientConnection(connection.channel(), chunked ? codec(connection.channel()) : null);
    }

    private static @Nullable ChannelHandlerContext codec(Channel channel) {
        List<String> names = channel.pipeline().names();
        int at = names.indexOf(NettyPipeline.HttpCodec);
        // The list ends with the tail.
        return at >= 0 && names.subList(at + 1, names.size() - 1).equals(ABOVE)
                ? channel.pipeline().context(NettyPipeline.HttpCodec)
                : null;
    }

    /** Has events delivered on its thread. */
    Context in(Context context) {
        return channel == null ? context : new Delivery(channel.eventLoop()).in(context);
    }

    /** Makes a buffer for the server to send. */
    DataBuffer buffer(byte[] bytes, DataBufferFactory buffers) {
        // Not a pooled one, whose object might be in use again when it is asked whether it was released.
        DataBuffer buffer = buffers.wrap(bytes);
        if (codec != null && buffer instanceof NettyDataBuffer netty) {
            last = netty.getNativeBuffer();
        }
        return buffer;
    }

    /**
     * Writes a chunk that need not be counted against what the server asked for.
     *
     * @return false, and nothing is written, when it has to go through the server: because the response has not begun, because the client reads
     *         slower than it is written to, or because of how the server is set up
     */
    boolean write(byte[] bytes) {
        ByteBuf before = last;
        if (codec == null || before == null || before.refCnt() > 0 || !codec.executor().inEventLoop() || !codec.channel().isWritable()) {
            return false;
        }
        ByteBuf chunk = codec.alloc().directBuffer(MOST_HEADER + bytes.length + 2);
        int digits = Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(bytes.length) + 3) / 4);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            chunk.writeByte(Character.forDigit(bytes.length >> shift & 0xF, 16));
        }
        chunk.writeShort(LINE_END).writeBytes(bytes).writeShort(LINE_END);
        var _ = codec.write(chunk);
        return true;
    }

    /** Sends what was written. */
    void flush() {
        if (codec != null && codec.executor().inEventLoop()) {
            codec.flush();
        } else if (channel != null) {
            channel.flush();
        }
    }
}
