package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.model.Experts;
import dev.ringside.model.LoadedModel;
import dev.ringside.model.ModelLoader;
import dev.ringside.model.ModelOptions;
import dev.ringside.model.Reference;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.CheckpointIdentity;
import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.StateBudget;
import dev.ringside.sequence.StatePool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With real models: shared prefixes and suspensions change no text. */
class SharedStateTextsTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 5);
    private static final int PROMPTS = 50;
    private static final int PAGE_TOKENS = 16;
    private static final int CONTEXT = 160;

    /** Texts in the order of the requests, and what the engine did meanwhile. */
    private record Run(List<String> texts, List<Integer> cached, EngineSnapshot engine) {}

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp", "qwen3moe", "qwen3next", "qwen35moe"})
    void fiftyPromptsGiveTheSameTextsWithAndWithoutPrefixesAndSuspensions(String model) {
        List<GenerationRequest> requests = requests();
        Run alone = run(model, requests, 1, 40, null);
        PrefixOptions prefixes = new PrefixOptions(4 << 20, 32, Duration.ofHours(1));
        Run shared = run(model, requests, 4, 80, prefixes);
        assertThat(shared.texts()).as("with prefixes, seed %d", SEED).isEqualTo(alone.texts());
        assertThat(shared.cached().stream().mapToInt(Integer::intValue).sum()).isPositive();
        Run crowded = run(model, requests, 4, 14, prefixes);
        assertThat(crowded.texts()).as("with suspensions, seed %d", SEED).isEqualTo(alone.texts());
        assertThat(crowded.engine().suspensions()).isPositive();
        assertThat(crowded.engine().failures()).isZero();
    }

    /** Prompts that share up to 70 tokens with others, around the borders of pages; some with a repetition penalty. */
    private static List<GenerationRequest> requests() {
        Random random = new Random(SEED);
        int[] common = random.ints(CONTEXT, 0, 500).toArray();
        List<GenerationRequest> requests = new ArrayList<>();
        for (int i = 0; i < PROMPTS; i++) {
            int[] prompt = random.ints(PAGE_TOKENS * (1 + random.nextInt(5)) - 1 + random.nextInt(3), 0, 500).toArray();
            System.arraycopy(common, 0, prompt, 0, Math.min(prompt.length, random.nextInt(70)));
            SamplingParameters sampling = i % 3 == 0
                    ? new SamplingParameters(0, 1, 0, 0, 0, 0, 1.3f, 1, Map.of())
                    : SamplingParameters.greedy();
            requests.add(new GenerationRequest("r" + i, i % 5 == 4 ? Arrays.copyOf(requests.get(i - 1).prompt(), prompt.length) : prompt,
                    sampling,
                    4 + random.nextInt(i % 4 == 0 ? 60 : 8), List.of(), true));
        }
        return requests;
    }

    private static Run run(String name, List<GenerationRequest> requests, int maxActive, int pages, PrefixOptions prefixes) {
        try (GgufFile file = GgufFile.open(Reference.resource(name + "/q8_0.gguf"));
                HostBackend backend = HostBackend.create(2);
                LoadedModel loaded = ModelLoader.load(file, backend,
                        new ModelOptions(48, maxActive, KvType.F16, PAGE_TOKENS, Experts.allResident()));
                StatePool pool = new StatePool(backend, loaded.model().stream(), loaded.model().stateLayout(),
                        new StateBudget(maxActive, 3, pages))) {
            PrefixStore store = prefixes == null ? null : new PrefixStore(pool, new CheckpointIdentity(1, KvType.F16), prefixes, null);
            int vocabulary = loaded.model().info().vocabularySize();
            try (InferenceEngine engine = InferenceEngine.start(backend, loaded.model(), pool, store, TestTokenizer.ofSize(vocabulary),
                    new EngineOptions(maxActive, 48, CONTEXT, 0))) {
                List<Recorder> recorders = new ArrayList<>();
                for (GenerationRequest request : requests) {
                    Recorder recorder = new Recorder();
                    engine.submit(request, recorder);
                    recorders.add(recorder);
                }
                List<Integer> cached = recorders.stream().map(recorder -> recorder.completed().usage().cachedTokens()).toList();
                return new Run(recorders.stream().map(Recorder::text).toList(), cached, engine.snapshot());
            }
        }
    }
}
