package dev.ringside.gpu.host;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
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
import dev.ringside.gpu.RoutingTable;
import dev.ringside.gpu.StepRows;
import org.jspecify.annotations.Nullable;

/** The operations of one stream of the CPU backend: each is done when the call returns. */
final class HostKernels implements Kernels, AutoCloseable {

    private final MatmulOps matmul;
    private final FeedForwardOps feedForward;
    private final RoutingOps routing;
    private final GatherOps gather;
    private final NormOps norm;
    private final HyperConnectionOps hyper;
    private final AttentionOps attention;
    private final IndexerOps indexer;
    private final DeltaNetOps delta;
    private final NGramOps ngram;
    private StepRows rows = new StepRows(0);

    HostKernels(WorkerPool pool) {
        matmul = new MatmulOps(pool);
        feedForward = new FeedForwardOps(pool);
        routing = new RoutingOps(pool, matmul);
        gather = new GatherOps(pool);
        norm = new NormOps(pool);
        hyper = new HyperConnectionOps(pool, matmul);
        attention = new AttentionOps(pool);
        indexer = new IndexerOps(pool);
        delta = new DeltaNetOps(pool);
        ngram = new NGramOps(pool);
    }

    @Override
    public void beginStep(StepRows step) {
        rows = step;
    }

    @Override
    public void embed(Matrix table, int copies, DevicePtr out) {
        gather.embed(rows, table, copies, out);
    }

    @Override
    public void matmul(Matrix weights, DevicePtr x, int count, DevicePtr y) {
        matmul.matmul(weights, x, count, y);
    }

    @Override
    public void gatherLogitRows(DevicePtr x, int width, DevicePtr out) {
        norm.gatherLogitRows(rows, x, width, out);
    }

    @Override
    public void rmsNorm(DevicePtr x, DevicePtr weight, int count, int groups, int width, float epsilon, DevicePtr out) {
        norm.rmsNorm(x, weight, count, groups, width, epsilon, out);
    }

    @Override
    public void add(DevicePtr x, DevicePtr y, long elements) {
        norm.add(x, y, elements);
    }

    @Override
    public void feedForward(FeedForward weights, DevicePtr x, int count, DevicePtr out) {
        feedForward.feedForward(weights, x, count, out);
    }

    @Override
    public void hyperConnectionMix(HyperConnection mixer, DevicePtr streams, int count, DevicePtr out, @Nullable DevicePtr inject) {
        hyper.mix(mixer, streams, count, out, inject);
    }

    @Override
    public void hyperConnectionAdd(DevicePtr streams, DevicePtr addend, DevicePtr inject, int rowCount, int count, int width) {
        hyper.add(streams, addend, inject, rowCount, count, width);
    }

    @Override
    public void prepareAttention(AttentionShape shape, DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query) {
        attention.prepare(rows, shape, queryGate, key, value, query);
    }

    @Override
    public void attention(AttentionShape shape, DevicePtr query, DevicePtr queryGate, @Nullable BlockSelection selection, DevicePtr out) {
        attention.attention(rows, shape, query, queryGate, selection, out);
    }

    @Override
    public void selectBlocks(IndexerShape shape, DevicePtr indexQuery, DevicePtr indexKey, BlockSelection selection) {
        indexer.selectBlocks(rows, shape, indexQuery, indexKey, selection);
    }

    @Override
    public void deltaNet(DeltaNetShape shape, DevicePtr qkv, DevicePtr gate, DevicePtr alpha, DevicePtr beta, DevicePtr out) {
        delta.deltaNet(rows, shape, qkv, gate, alpha, beta, out);
    }

    @Override
    public void gatherRows(Matrix table, PinnedBuffer rowNumbers, int count, DevicePtr out) {
        gather.gatherRows(table, rowNumbers, count, out);
    }

    @Override
    public void nGramEmbedding(NGramShape shape, DevicePtr key, DevicePtr value, DevicePtr streams) {
        ngram.nGramEmbedding(rows, shape, key, value, streams);
    }

    @Override
    public void route(Matrix router, DevicePtr x, int count, float scale, RoutingTable table) {
        routing.route(router, x, count, scale, table);
    }

    @Override
    public void experts(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out) {
        feedForward.experts(shape, x, wave, choices, out);
    }

    @Override
    public void combineExperts(DevicePtr y, RoutingTable table, int count, int width, @Nullable DevicePtr shared,
            @Nullable DevicePtr sharedGate, DevicePtr x, DevicePtr out) {
        routing.combine(y, table, count, width, shared, sharedGate, x, out);
    }

    @Override
    public void close() {
        matmul.close();
        feedForward.close();
        routing.close();
        gather.close();
        hyper.close();
        attention.close();
        indexer.close();
        delta.close();
        ngram.close();
    }
}
