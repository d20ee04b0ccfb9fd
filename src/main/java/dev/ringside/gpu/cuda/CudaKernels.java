package dev.ringside.gpu.cuda;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.IndexerShape;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.NGramShape;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.RoutingTable;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The operations of one stream of the device: each is enqueued when the call returns. */
final class CudaKernels implements Kernels, AutoCloseable {

    private final Launch launch;
    private final UploadRing uploads;
    private final StepTables step;
    private final ProductOps products;
    private final FeedForwardOps feedForward;
    private final RoutingOps routing;
    private final NormOps norm;
    private final AttentionOps attention;
    private final IndexerOps indexer;
    private final DeltaNetOps delta;
    private final NGramOps ngram;
    private final ResidentOps resident;

    CudaKernels(CudaBackend backend, CudaStream stream) {
        launch = new Launch(backend.cuda(), stream.handle());
        uploads = new UploadRing(backend, stream.handle());
        MovedMemory moved = new MovedMemory();
        step = new StepTables(backend, uploads, moved);
        OperationContext context = new OperationContext(backend, launch, uploads, step, backend.cuda().driver().facts().processors(),
                moved);
        products = new ProductOps(context);
        feedForward = new FeedForwardOps(context, products);
        routing = new RoutingOps(context, products);
        norm = new NormOps(context, products);
        attention = new AttentionOps(context, products.fast());
        indexer = new IndexerOps(context);
        delta = new DeltaNetOps(context, products.fast());
        ngram = new NGramOps(context);
        resident = new ResidentOps(context, stream.handle(), products, feedForward, routing, norm);
    }

    @Override
    public ResidentKernels resident() {
        return resident;
    }

    @Override
    public void beginStep(StepRows rows) {
        launch.stoppedBy(0);
        products.fast().forgetAll();
        step.upload(rows, false);
    }

    @Override
    public void embed(Matrix table, int copies, DevicePtr out) {
        StepRows rows = step.rows();
        for (int r = 0; r < rows.rows(); r++) {
            check(rows.token(r), table, "Token");
        }
        products.gather(table, 0, rows.rows(), copies, out);
    }

    private static void check(long number, Matrix table, String what) {
        if (number < 0 || number >= table.rows()) {
            throw new IndexOutOfBoundsException(what + " " + number + " is not in a table of " + table.rows() + " rows");
        }
    }

    @Override
    public void matmul(Matrix weights, DevicePtr x, int rows, DevicePtr y) {
        products.matmul(weights, x, rows, y);
    }

    @Override
    public void matmul(Matrix[] weights, DevicePtr x, int rows, DevicePtr[] y) {
        products.matmul(weights, x, rows, y);
    }

    @Override
    public void addMatmul(Matrix weights, DevicePtr x, int rows, DevicePtr scratch, DevicePtr sum) {
        if (!products.addMatmul(weights, x, rows, sum)) {
            Kernels.super.addMatmul(weights, x, rows, scratch, sum);
        }
    }

    @Override
    public void gatherLogitRows(DevicePtr x, int width, DevicePtr out) {
        norm.gatherLogitRows(x, width, out);
    }

    @Override
    public void rmsNorm(DevicePtr x, DevicePtr weight, int rows, int groups, int width, float epsilon, DevicePtr out) {
        norm.rmsNorm(x, weight, rows, groups, width, epsilon, out);
    }

    @Override
    public void add(DevicePtr x, DevicePtr y, long elements) {
        norm.add(x, y, elements);
    }

    @Override
    public void feedForward(FeedForward weights, DevicePtr x, int rows, DevicePtr out) {
        feedForward.feedForward(weights, x, rows, out);
    }

    @Override
    public void hyperConnectionMix(HyperConnection mixer, DevicePtr streams, int rows, DevicePtr out, @Nullable DevicePtr inject) {
        norm.mix(mixer, streams, rows, out, inject);
    }

    @Override
    public void hyperConnectionAdd(DevicePtr streams, DevicePtr addend, DevicePtr inject, int rows, int count, int width) {
        norm.addStreams(streams, addend, inject, rows, count, width);
    }

    @Override
    public void prepareAttention(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query) {
        attention.prepare(shape, queryGate, key, value, query);
    }

    @Override
    public void attention(AttentionShape shape, DevicePtr query, DevicePtr queryGate, @Nullable BlockSelection selection, DevicePtr out) {
        attention.attention(shape, query, queryGate, selection, out);
    }

    @Override
    public void attend(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query, DevicePtr out) {
        attention.attend(shape, queryGate, key, value, query, out);
    }

    @Override
    public void selectBlocks(IndexerShape shape, DevicePtr indexQuery, DevicePtr indexKey, BlockSelection selection) {
        indexer.selectBlocks(shape, indexQuery, indexKey, selection);
    }

    @Override
    public void deltaNet(DeltaNetShape shape, DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta, DevicePtr out) {
        delta.deltaNet(shape, qkv, gate, alpha, beta, out);
    }

    @Override
    public void gatherRows(Matrix table, PinnedBuffer rowNumbers, int count, DevicePtr out) {
        rowNumbers.device().require(8L * count, "Row numbers");
        for (int i = 0; i < count; i++) {
            check(rowNumbers.memory().getAtIndex(ValueLayout.JAVA_LONG, i), table, "Row number");
        }
        products.gather(table, rowNumbers.device().address(), count, 1, out);
    }

    @Override
    public void nGramEmbedding(NGramShape shape, DevicePtr key, DevicePtr value, DevicePtr streams) {
        ngram.nGramEmbedding(shape, key, value, streams);
    }

    @Override
    public void route(Matrix router, DevicePtr x, int rows, float scale, RoutingTable table) {
        routing.route(router, x, rows, scale, table);
    }

    @Override
    public void experts(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out) {
        feedForward.experts(shape, x, wave, choices, out);
    }

    @Override
    public void combineExperts(DevicePtr y, RoutingTable table, int rows, int width, @Nullable DevicePtr shared,
            @Nullable DevicePtr sharedGate,
            DevicePtr x, DevicePtr out) {
        routing.combine(y, table, rows, width, shared, sharedGate, x, out);
    }

    @Override
    public void close() {
        Closing closing = new Closing();
        for (AutoCloseable part : new AutoCloseable[] {resident, products, feedForward, routing, norm, attention, indexer, delta, ngram,
            step, uploads,
            launch}) {
            closing.run(() -> close(part));
        }
        closing.finish();
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Operations throw no checked exceptions when they close", e);
        }
    }
}
