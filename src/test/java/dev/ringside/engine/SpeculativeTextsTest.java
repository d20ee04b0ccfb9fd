package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.gpu.cuda.CudaBackend;
import dev.ringside.model.Reference;
import dev.ringside.sampling.SamplingParameters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Texts are the same with and without drafts, with and without prefixes of earlier prompts, in every run, bit for bit: probabilities are compared
 * too. Drafts are right for seven tokens of ten, so that every step has some that are accepted and some that are not.
 */
class SpeculativeTextsTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 17);
    private static final int PROMPTS = 50;

    @ParameterizedTest
    @ValueSource(strings = {"qwen35moe", "qwen4exp"})
    void fiftyPromptsGiveTheSameTextsWithAndWithoutDraftsAndPrefixes(String model) {
        requireSame(Reference.resource(model + "/q8_0.gguf"), KvType.F16, requests(PROMPTS, 4, 16, 64, 500), 1);
    }

    @Test
    void theBuiltInModelsOwnDraftsChangeNoText() {
        requireNoChange(RealEngine.Setup.plain(Reference.demoModel(), KvType.F16, 64));
    }

    @Test
    @EnabledIf(value = "hasGpu", disabledReason = "There is no CUDA device here")
    void theBuiltInModelsOwnDraftsChangeNoTextOnAGpu() {
        requireNoChange(RealEngine.Setup.plain(Reference.demoModel(), KvType.F16, 64).on(CudaBackend::create));
    }

    static boolean hasGpu() {
        return CudaBackend.obstacle() == null;
    }

    private static void requireNoChange(RealEngine.Setup setup) {
        List<GenerationRequest> requests = requests(6, 16, 12, 48, 3000);
        List<Recorder> plain = run(setup, requests);
        try (RealEngine engine = new RealEngine(setup.with(true, 3))) {
            SameTexts.require(engine.run(requests), plain, "drafts of its own");
            assertThat(engine.engine.snapshot().speculation().drafted()).isPositive();
        }
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(KvType.class)
    void allCombinationsInThreeRunsEach(KvType type) {
        for (String model : List.of("qwen35moe", "qwen4exp")) {
            requireSame(Reference.resource(model + "/q8_0.gguf"), type, requests(PROMPTS, 40, 40, 96, 500), 3);
        }
        requireSame(Reference.demoModel(), type, requests(PROMPTS, 30, 30, 96, 3000), 3);
    }

    private static void requireSame(Path file, KvType type, List<GenerationRequest> requests, int runs) {
        RealEngine.Setup setup = RealEngine.Setup.plain(file, type, 90);
        List<Recorder> plain = run(setup, requests);
        Foresight foresight = new Foresight(500, 3);
        for (int i = 0; i < requests.size(); i++) {
            List<TokenLogprob> entries = plain.get(i).logprobs();
            int[] tokens = entries.stream().mapToInt(TokenLogprob::token).toArray();
            foresight.learn(requests.get(i).prompt(), tokens);
        }
        RealEngine.Setup drafting = setup.guessing(foresight);
        for (int run = 0; run < runs; run++) {
            for (boolean prefixes : new boolean[] {false, true}) {
                for (int drafts : new int[] {0, 3}) {
                    String circumstances = "run " + run + ", prefixes " + prefixes + ", " + drafts + " drafts, " + type + ", seed " + SEED;
                    try (RealEngine engine = new RealEngine(drafting.with(prefixes, drafts))) {
                        List<Recorder> found = engine.run(requests);
                        SameTexts.require(found, plain, circumstances);
                        SpeculationSnapshot snapshot = engine.engine.snapshot().speculation();
                        assertThat(snapshot.accepted() > 0).as(circumstances).isEqualTo(drafts > 0);
                        int cached = found.stream().mapToInt(each -> each.completed().usage().cachedTokens()).sum();
                        assertThat(cached > 0).as(circumstances).isEqualTo(prefixes);
                    }
                }
            }
        }
    }

    private static List<Recorder> run(RealEngine.Setup setup, List<GenerationRequest> requests) {
        try (RealEngine engine = new RealEngine(setup)) {
            return engine.run(requests);
        }
    }

    /**
     * Prompts around the borders of pages, many of which begin alike; a third with a repetition penalty of 1.3, a third with a stop string of
     * a word that is often said, some drawn.
     */
    private static List<GenerationRequest> requests(int count, int fewest, int spread, int longestPrompt, int vocabulary) {
        Random random = new Random(SEED);
        int[] common = random.ints(longestPrompt, 0, vocabulary).toArray();
        List<GenerationRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int pages = 1 + random.nextInt(longestPrompt / RealEngine.PAGE_TOKENS - 1);
            int[] prompt = random.ints(RealEngine.PAGE_TOKENS * pages - 1 + i % 3, 0, vocabulary).toArray();
            System.arraycopy(common, 0, prompt, 0, Math.min(prompt.length, random.nextInt(longestPrompt)));
            float penalty = i % 3 == 0 ? 1.3f : 1;
            float temperature = i % 5 == 4 ? 1.2f : 0;
            SamplingParameters sampling = new SamplingParameters(temperature, 0.95f, 0, 0, 0, 0, penalty, random.nextLong(), Map.of());
            List<String> stop = i % 3 == 1 ? List.of(random.nextInt(10) + " w", " " + (char) ('a' + random.nextInt(26))) : List.of();
            requests.add(new GenerationRequest("r" + i, prompt, sampling, fewest + random.nextInt(spread), stop, true, new int[0], 1, null,
                    Priority.INTERACTIVE, null));
        }
        return requests;
    }
}
