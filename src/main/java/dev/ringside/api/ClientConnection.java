package dev.ringside.api;

import dev.ringside.serving.Delivery;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
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
    static final ClientConnection UNKNOWN = new ClientConnection(null, null, null);

    /** What stands above the codec of every plain connection. Anything else (compression, metrics) is to see what is sent. */
    private static final List<String> ABOVE = List.of(NettyPipeline.HttpTrafficHandler, NettyPipeline.ReactiveBridge);
    private static final int LINE_END = '\r' << 8 | '\n';
    /** Eight hexadecimal digits and a line end. */
    private static final int MOST_HEADER = 10;
    /** Enough for a chunk of one token. */
    private static final int CHUNK = 1024;

    private final @Nullable Channel channel;
    private final @Nullable ConnectionThread thread;
    private final @Nullable ChannelHandlerContext codec;
    /** The last buffer that went through the server; released when it is on its way. */
    private @Nullable ByteBuf last;
    /**
     * Where chunks are written, one after the other: a buffer of its own for each would be drawn from a pool, and watched for leaks at times, at
     * the cost of a good part of the chunk. Belongs to the connection's thread.
     */
    private @Nullable ByteBuf chunks;
    private boolean ended;

    private ClientConnection(@Nullable Channel channel, @Nullable ConnectionThread thread, @Nullable ChannelHandlerContext codec) {
        this.channel = channel;
        this.thread = thread;
        this.codec = codec;
    }

    static ClientConnection of(ServerWebExchange exchange, ConnectionThreads threads) {
        Object request = ServerHttpRequestDecorator.getNativeRequest(exchange.getRequest());
        if (!(request instanceof Connection connection)) {
            return UNKNOWN;
        }
        boolean chunked = request instanceof HttpServerRequest http && http.version().equals(HttpVersion.HTTP_1_1);
        Channel channel = connection.channel();
        return new ClientConnection(channel, threads.of(channel.eventLoop()), chunked ? codec(channel) : null);
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
        return thread == null ? context : new Delivery(thread).in(context);
    }

    /** As {@link Delivery.Foresight#lookAhead}. */
    int lookAhead() {
        ChannelHandlerContext above = codec;
        if (above == null || channel == null) {
            return 0;
        }
        ByteBuf before = last;
        ByteBuf mine = chunks;
        ChannelHandlerContext socket = channel.pipeline().firstContext();
        int read = channel.config().getWriteSpinCount() + (before == null ? 0 : before.refCnt()) + (mine == null ? 0 : mine.refCnt());
        boolean ready = channel.isWritable() && channel.isActive() && !above.isRemoved() && (socket == null || !socket.isRemoved());
        return ready ? read : -read;
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
        if (codec == null || before == null || before.refCnt() > 0 || !codec.executor().inEventLoop() || !codec.channel().isWritable()
                || ended) {
            return false;
        }
        ByteBuf chunk = chunk(codec, MOST_HEADER + bytes.length + 2);
        int digits = Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(bytes.length) + 3) / 4);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            chunk.writeByte(Character.forDigit(bytes.length >> shift & 0xF, 16));
        }
        chunk.writeShort(LINE_END).writeBytes(bytes).writeShort(LINE_END);
        var _ = codec.write(chunk);
        return true;
    }

    /** An empty buffer for one writing. */
    private ByteBuf chunk(ChannelHandlerContext context, int size) {
        ByteBuf mine = chunks;
        if (mine != null && mine.refCnt() == 1 && mine.capacity() >= size) {
            return mine.clear().retain();
        }
        if (mine == null && size <= CHUNK) {
            mine = context.alloc().directBuffer(CHUNK);
            chunks = mine;
            return mine.retain();
        }
        // What was written before is still on its way, or it is a large one.
        return context.alloc().directBuffer(size);
    }

    /** Nothing will be written any more. From any thread, and more than once. */
    void end() {
        if (codec == null) {
            return;
        }
        EventExecutor executor = codec.executor();
        if (executor.inEventLoop()) {
            release();
        } else {
            try {
                executor.execute(this::release);
            } catch (RejectedExecutionException e) {
                // The thread has ended: nobody else is here.
                release();
            }
        }
    }

    private void release() {
        ended = true;
        ByteBuf mine = chunks;
        if (mine != null) {
            chunks = null;
            mine.release();
        }
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
