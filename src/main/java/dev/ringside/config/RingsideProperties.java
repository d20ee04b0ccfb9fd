package dev.ringside.config;

import dev.ringside.api.ApiKey;
import dev.ringside.api.CorsSettings;
import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ReasoningFormat;
import dev.ringside.chat.ToolFormat;
import dev.ringside.expert.ArenaKind;
import dev.ringside.expert.DirectReads;
import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.ExpertEviction;
import dev.ringside.expert.HostTierSize;
import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.KvType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Every setting of Ringside; {@code config/application.yaml} documents them. A name that is not here, or a value out of range, stops the
 * start.
 *
 * @param model the model to serve
 * @param gpu the device
 * @param cpu the CPU backend
 * @param experts the expert tier
 * @param kv storage of attention keys and values
 * @param state memory of running sequences
 * @param checkpoints state of earlier prompts kept for later ones
 * @param speculation tokens drafted ahead
 * @param scheduler admission and batching
 * @param api the HTTP interface
 * @param chat how the model's turns are read
 * @param watchdog notices steps that do not end
 * @param metrics what is exported beside Ringside's own meters
 * @param console the web page at {@code /}
 */
@ConfigurationProperties(prefix = "ringside", ignoreUnknownFields = false)
public record RingsideProperties(@DefaultValue Model model, @DefaultValue Gpu gpu, @DefaultValue Cpu cpu,
        @DefaultValue Experts experts, @DefaultValue Kv kv, @DefaultValue State state,
        @DefaultValue Checkpoints checkpoints, @DefaultValue Speculation speculation,
        @DefaultValue Scheduler scheduler, @DefaultValue Api api,
        @DefaultValue Chat chat, @DefaultValue Watchdog watchdog, @DefaultValue Metrics metrics,
        @DefaultValue Console console) {

    /**
     * The model to serve.
     *
     * @param path GGUF file, or any part of a split one; an https:// address or hf://organisation/repository/file.gguf is downloaded; without
     *        it the built-in demo model is served
     * @param contextLength most tokens of prompt and answer together, up to what the model was made for; 0 takes all of that
     * @param id name of the model in requests and answers; without it the file's own name is used, as in ringside-demo
     * @param sha256 SHA-256 of the file that is downloaded, for split models one for each part in their order
     * @param cacheDirectory where downloaded models are kept, which servers may share; without it the user's cache
     * @param allowHttp whether models may come over unencrypted connections from other machines
     */
    public record Model(@Nullable String path,
            @DefaultValue("0") int contextLength,
            @Nullable String id, @DefaultValue List<String> sha256, @DefaultValue("") String cacheDirectory,
            @DefaultValue("false") boolean allowHttp) {

        public Model {
            InvalidSettingException.require(contextLength >= 0, "ringside.model.context-length", contextLength,
                    "must be 0 (all the model was made for) or more");
            sha256 = List.copyOf(sha256);
            for (String digest : sha256) {
                InvalidSettingException.require(isDigest(digest), "ringside.model.sha256", digest,
                        "must be 64 hexadecimal digits, for split models one such number for each part, separated by commas");
            }
        }

        private static boolean isDigest(String text) {
            return text.length() == 64 && text.chars().allMatch(c -> c < 128 && Character.digit(c, 16) >= 0);
        }
    }

    /**
     * The device.
     *
     * @param backend auto, cuda or cpu; auto takes a GPU where this build can use one, and the CPU otherwise
     */
    public record Gpu(@DefaultValue("auto") Backend backend) {}

    /**
     * The CPU backend.
     *
     * @param threads threads that compute, 1 to 1024; 0 takes one for each processor
     */
    public record Cpu(@DefaultValue("0") int threads) {

        public Cpu {
            within(0, 1024, threads, "ringside.cpu.threads", "must be from 0 (one for each processor) to 1024");
        }
    }

    /**
     * The expert tier.
     *
     * @param arena auto, device (device memory behind a page-locked ring) or pinned (page-locked memory that kernels read in place)
     * @param arenaBytes size of the arena: auto (all experts where they fit), a size such as 8GB, or a share of all experts such as 25%
     * @param stagingSlots experts staged at once on their way to a device arena, an even number from 2 to 4096; 0 takes twice the experts
     *        per token
     * @param readerThreads threads that read experts from the file, 1 to 256
     * @param eviction which expert gives way: lru, window:P (a random one among the least recently used P percent of the slots, 0 to 100),
     *        lfru (the one used least often lately) or adaptive (whichever policy would have missed least lately)
     * @param hostTierBytes page-locked memory for experts between the file and a device arena: 0, auto, a size such as 64GB, or a share of all
     *        experts such as 50%
     * @param directReads whether experts are read past the page cache: auto, true or false
     * @param keepPageCache whether buffered reads of experts leave their bytes in the page cache
     * @param lookahead whether the experts that the next layer will probably want are read in the background
     * @param hotListFile file in which the experts worth having are kept from one run to the next
     * @param traceFile file in which every fetch is written down, for ringside replay
     */
    public record Experts(@DefaultValue("auto") ArenaKind arena, @DefaultValue("auto") ExpertCapacity arenaBytes,
            @DefaultValue("0") int stagingSlots,
            @DefaultValue("2") int readerThreads,
            @DefaultValue("window:8") ExpertEviction eviction, @DefaultValue("0") HostTierSize hostTierBytes,
            @DefaultValue("auto") DirectReads directReads, @DefaultValue("false") boolean keepPageCache,
            @DefaultValue("true") boolean lookahead, @DefaultValue("") String hotListFile, @DefaultValue("") String traceFile) {

        public Experts {
            InvalidSettingException.require(stagingSlots >= 0 && stagingSlots <= 4096 && stagingSlots % 2 == 0,
                    "ringside.experts.staging-slots", stagingSlots, "must be 0 (choose by itself) or an even number from 2 to 4096");
            within(1, 256, readerThreads, "ringside.experts.reader-threads", "must be from 1 to 256");
        }
    }

    /**
     * Storage of attention keys and values.
     *
     * @param type f16, q8 for half the memory and some rounding, or f32 for twice the memory and none
     * @param pageTokens tokens of a page, the unit in which a growing sequence takes memory, 1 to 4096
     */
    public record Kv(@DefaultValue("f16") KvType type, @DefaultValue("64") int pageTokens) {

        public Kv {
            within(1, 4096, pageTokens, "ringside.kv.page-tokens", "must be from 1 to 4096");
        }
    }

    /**
     * Memory of running sequences.
     *
     * @param memoryBytes most bytes of all running sequences together, such as 2GB; 0 takes what max-active sequences of the full context
     *        need, but at most a quarter of the device's memory
     */
    public record State(@DefaultValue("0B") DataSize memoryBytes) {

        public State {
            InvalidSettingException.require(!memoryBytes.isNegative(), "ringside.state.memory-bytes", memoryBytes,
                    "must be 0 (choose by itself) or a size such as 2GB");
        }
    }

    /**
     * State of earlier prompts kept for later ones that begin with the same tokens.
     *
     * @param memoryBytes host memory for recurrent state of prefixes; 0 keeps no prefixes. Their keys and values stay in memory of
     *        sequences for as long as no running request needs it
     * @param interval tokens between the positions of a prompt at which later ones can part from it, 1 to 1048576, rounded down to pages
     * @param ttl how long a prefix is kept that nobody uses, 1s to 30d
     * @param spillDirectory where prefixes go that leave memory, and where they survive a restart; without it they are dropped
     * @param spillBytes most bytes of files there
     */
    public record Checkpoints(@DefaultValue("512MB") DataSize memoryBytes,
            @DefaultValue("256") int interval,
            @DefaultValue("1h") Duration ttl, @DefaultValue("") String spillDirectory, @DefaultValue("16GB") DataSize spillBytes) {

        public Checkpoints {
            within(1, 1 << 20, interval, "ringside.checkpoints.interval", "must be from 1 to 1048576");
            InvalidSettingException.require(!memoryBytes.isNegative(), "ringside.checkpoints.memory-bytes", memoryBytes,
                    "must be 0 (keep no prefixes) or a size such as 2GB");
            InvalidSettingException.require(!spillBytes.isNegative(), "ringside.checkpoints.spill-bytes", spillBytes,
                    "must be a size such as 16GB");
            InvalidSettingException.require(ttl.compareTo(Duration.ofSeconds(1)) >= 0 && ttl.compareTo(Duration.ofDays(30)) <= 0,
                    "ringside.checkpoints.ttl", ttl, "must be from 1s to 30d");
        }
    }

    /**
     * Tokens drafted ahead by models that have a draft (MTP) block. Drafts change the speed, never the text.
     *
     * @param enabled whether drafts are made, where the model can
     * @param maxDrafts most drafts of a sequence in a step, 1 to 8; fewer are made where more do not pay
     */
    public record Speculation(@DefaultValue("false") boolean enabled, @DefaultValue("1") int maxDrafts) {

        public Speculation {
            within(1, 8, maxDrafts, "ringside.speculation.max-drafts", "must be from 1 to 8");
        }
    }

    /**
     * Admission and batching.
     *
     * @param maxActive sequences computed at a time, 1 to 1024
     * @param queueCapacity requests that may wait for a place, 0 to 100000; further ones get status 429
     * @param stepTokens most tokens of one step, prompt and answers together, max-active to 65536: larger steps read long prompts faster
     *        and let running answers wait longer; 0 chooses by the device
     * @param queueTokens most prompt tokens of requests that wait, 0 for no limit; further ones get status 429
     * @param targetInterToken how long a step with prompt tokens may take while answers are generated, 1ms to 10s; 0 takes twice what a step
     *        without them takes
     * @param batchMaxWait how long batch requests let interactive ones pass, 0 to 1d
     * @param requestTimeout how long a request may take in all, 1ms to 1d; 0 for no limit
     * @param firstTokenTimeout how long a request may take to its first token, 1ms to 1d; 0 for no limit
     * @param breakerWait how long requests are refused after faults of the device or of expert reads, 1s to 1h
     */
    public record Scheduler(
            @DefaultValue("8") int maxActive,
            @DefaultValue("64") int queueCapacity,
            @DefaultValue("0") int stepTokens,
            @DefaultValue("0") long queueTokens,
            @DefaultValue("0s") Duration targetInterToken, @DefaultValue("60s") Duration batchMaxWait,
            @DefaultValue("0s") Duration requestTimeout, @DefaultValue("10m") Duration firstTokenTimeout,
            @DefaultValue("10s") Duration breakerWait) {

        private static final int CPU_STEP = 256;
        // A GPU reads all experts once a step, for 256 rows as for 4,096, whose activations take a few hundred megabytes.
        private static final int GPU_STEP = 4096;
        private static final int SMALL_GPU_STEP = 1024;
        private static final long SMALL_GPU = 20L << 30;

        public Scheduler {
            within(1, 1024, maxActive, "ringside.scheduler.max-active", "must be from 1 to 1024");
            within(0, 100_000, queueCapacity, "ringside.scheduler.queue-capacity", "must be from 0 to 100000");
            within(0, 65_536, stepTokens, "ringside.scheduler.step-tokens", "must be 0 (choose by the device) or from max-active to 65536");
            InvalidSettingException.require(queueTokens >= 0, "ringside.scheduler.queue-tokens", queueTokens, NO_LIMIT);
            InvalidSettingException.require(stepTokens == 0 || stepTokens >= maxActive, "ringside.scheduler.step-tokens", stepTokens,
                    "must be at least ringside.scheduler.max-active, which is " + maxActive
                            + ", so that every sequence moves in every step");
            upTo(Duration.ofSeconds(10), targetInterToken, "target-inter-token", "must be 0 (choose by itself) or from 1ms to 10s");
            upTo(Duration.ofDays(1), batchMaxWait, "batch-max-wait", "must be from 0 to 1d");
            upTo(Duration.ofDays(1), requestTimeout, "request-timeout", "must be 0 (no limit) or from 1ms to 1d");
            upTo(Duration.ofDays(1), firstTokenTimeout, "first-token-timeout", "must be 0 (no limit) or from 1ms to 1d");
            upTo(Duration.ofHours(1), breakerWait, "breaker-wait", "must be from 1s to 1h");
            InvalidSettingException.require(breakerWait.toSeconds() >= 1, "ringside.scheduler.breaker-wait", breakerWait,
                    "must be from 1s to 1h");
        }

        /** Most tokens of one step on a device: what is set, or what suits it. */
        int stepTokens(DeviceInfo device) {
            if (stepTokens > 0) {
                return stepTokens;
            }
            if (device.backend().equals("cpu")) {
                return Math.max(maxActive, CPU_STEP);
            }
            return Math.max(maxActive, device.totalBytes() < SMALL_GPU ? SMALL_GPU_STEP : GPU_STEP);
        }

        private static void upTo(Duration most, Duration value, String name, String range) {
            InvalidSettingException.require(value.isZero() || value.toMillis() >= 1 && value.compareTo(most) <= 0,
                    "ringside.scheduler." + name, value, range);
        }
    }

    /**
     * How the model's turns are read.
     *
     * @param toolFormat how the model writes tool calls; {@code auto} goes by its chat template
     * @param reasoningFormat how the model marks its reasoning; {@code auto} goes by its chat template
     */
    public record Chat(@DefaultValue("auto") String toolFormat, @DefaultValue("auto") String reasoningFormat) {

        private static final String AUTO = "auto";

        public Chat {
            read("ringside.chat.tool-format", toolFormat, ToolFormat.values());
            read("ringside.chat.reasoning-format", reasoningFormat, ReasoningFormat.values());
        }

        /** The formats set here, and for those that are not the ones that a chat template shows. */
        AssistantFormat format(String template) {
            AssistantFormat detected = AssistantFormat.detect(template);
            ToolFormat tools = read("ringside.chat.tool-format", toolFormat, ToolFormat.values());
            ReasoningFormat reasoning = read("ringside.chat.reasoning-format", reasoningFormat, ReasoningFormat.values());
            return new AssistantFormat(reasoning == null ? detected.reasoning() : reasoning, tools == null ? detected.tools() : tools);
        }

        private static <E extends Enum<E>> @Nullable E read(String property, String value, E[] formats) {
            if (value.equals(AUTO)) {
                return null;
            }
            List<String> names = new ArrayList<>(List.of(AUTO));
            for (E format : formats) {
                String name = format.name().toLowerCase(Locale.ROOT).replace('_', '-');
                if (name.equals(value)) {
                    return format;
                }
                names.add(name);
            }
            throw new InvalidSettingException(property, value, "must be one of " + String.join(", ", names));
        }
    }

    /**
     * The HTTP interface.
     *
     * @param keys bearer keys, one of which every request but health must carry: sha256:HEX, NAME=sha256:HEX or the key itself; none means
     *        open to everybody who can connect
     * @param maxBodyBytes largest request body, 1KB to 1GB; larger ones get status 413
     * @param bodyTimeout longest pause of a client that sends its body, 1s to 1h
     * @param sseCommentInterval longest silence of a stream before a comment is sent, 100ms to 1h; 0 sends no comments, for clients that
     *        cannot take them
     * @param cors which web pages of other origins may call
     * @param storedResponses answers of /v1/responses kept for previous_response_id
     * @param rateLimit what a key may use in a minute
     * @param accessLog whether a line is logged for every call, without texts
     */
    public record Api(@DefaultValue List<String> keys, @DefaultValue List<String> adminKeys, @DefaultValue("8MB") DataSize maxBodyBytes,
            @DefaultValue("30s") Duration bodyTimeout,
            @DefaultValue("10s") Duration sseCommentInterval, @DefaultValue Cors cors,
            @DefaultValue StoredResponses storedResponses, @DefaultValue RateLimit rateLimit,
            @DefaultValue("true") boolean accessLog) {

        public Api {
            keys = List.copyOf(keys);
            try {
                ApiKey.parseAll(keys);
            } catch (IllegalArgumentException e) {
                throw InvalidSettingException.hiding("ringside.api.keys", String.valueOf(e.getMessage()));
            }
            adminKeys = List.copyOf(adminKeys);
            try {
                ApiKey.parseAll(keys, adminKeys);
            } catch (IllegalArgumentException e) {
                throw new InvalidSettingException("ringside.api.admin-keys", adminKeys, String.valueOf(e.getMessage()));
            }
            InvalidSettingException.require(maxBodyBytes.toBytes() >= 1 << 10 && maxBodyBytes.toBytes() <= 1 << 30,
                    "ringside.api.max-body-bytes",
                    maxBodyBytes, "must be from 1KB to 1GB");
            InvalidSettingException.require(within(bodyTimeout, Duration.ofSeconds(1)), "ringside.api.body-timeout", bodyTimeout,
                    "must be from 1s to 1h");
            InvalidSettingException.require(sseCommentInterval.isZero() || within(sseCommentInterval, Duration.ofMillis(100)),
                    "ringside.api.sse-comment-interval", sseCommentInterval, "must be 0 (no comments) or from 100ms to 1h");
        }

        private static boolean within(Duration value, Duration shortest) {
            return value.compareTo(shortest) >= 0 && value.compareTo(Duration.ofHours(1)) <= 0;
        }

        @Override
        public String toString() {
            // Keys are secrets.
            return "Api[keys=" + keys.size() + ", maxBodyBytes=" + maxBodyBytes + ", sseCommentInterval=" + sseCommentInterval + "]";
        }
    }

    /**
     * What a key may use in a minute; calls without a key share one limit.
     *
     * @param requestsPerMinute calls that generate, 0 for no limit
     * @param tokensPerMinute tokens of prompts and answers together, 0 for no limit
     */
    public record RateLimit(@DefaultValue("0") int requestsPerMinute, @DefaultValue("0") int tokensPerMinute) {

        public RateLimit {
            InvalidSettingException.require(requestsPerMinute >= 0, "ringside.api.rate-limit.requests-per-minute", requestsPerMinute,
                    NO_LIMIT);
            InvalidSettingException.require(tokensPerMinute >= 0, "ringside.api.rate-limit.tokens-per-minute", tokensPerMinute, NO_LIMIT);
        }
    }

    /**
     * Notices steps that do not end.
     *
     * @param stuckAfter what a step may last before it is logged with the stacks of all threads, 1s to 1d; 0 watches nothing
     */
    public record Watchdog(@DefaultValue("2m") Duration stuckAfter) {

        public Watchdog {
            InvalidSettingException.require(
                    stuckAfter.isZero() || stuckAfter.toSeconds() >= 1 && stuckAfter.compareTo(Duration.ofDays(1)) <= 0,
                    "ringside.watchdog.stuck-after", stuckAfter, "must be 0 (watch nothing) or from 1s to 1d");
        }
    }

    /**
     * What is exported beside Ringside's own meters.
     *
     * @param vllmNames whether requests, tokens and times are exported under vLLM's names too
     */
    public record Metrics(@DefaultValue("true") boolean vllmNames) {}

    /**
     * Cross-origin requests.
     *
     * @param allowedOrigins such as https://chat.example.com or https://*.example.com, or * for all; none allows none
     * @param maxAge how long a browser may keep the answer to its question, 0 to 1d
     */
    public record Cors(@DefaultValue List<String> allowedOrigins, @DefaultValue("30m") Duration maxAge) {

        public Cors {
            allowedOrigins = List.copyOf(allowedOrigins);
            for (String origin : allowedOrigins) {
                InvalidSettingException.require(CorsSettings.isOrigin(origin), "ringside.api.cors.allowed-origins", origin,
                        "must be * or scheme://host[:port] without a path, such as https://chat.example.com");
            }
            InvalidSettingException.require(!maxAge.isNegative() && maxAge.compareTo(Duration.ofDays(1)) <= 0, "ringside.api.cors.max-age",
                    maxAge, "must be from 0 to 1d");
        }
    }

    /**
     * Answers of /v1/responses kept for previous_response_id.
     *
     * @param memoryBytes most bytes of conversation text; 0 keeps none
     * @param ttl how long an answer is kept that nobody continues, 1s to 30d
     */
    public record StoredResponses(@DefaultValue("64MB") DataSize memoryBytes, @DefaultValue("6h") Duration ttl) {

        public StoredResponses {
            InvalidSettingException.require(!memoryBytes.isNegative(), "ringside.api.stored-responses.memory-bytes", memoryBytes,
                    "must be 0 (keep none) or a size such as 64MB");
            InvalidSettingException.require(ttl.compareTo(Duration.ofSeconds(1)) >= 0 && ttl.compareTo(Duration.ofDays(30)) <= 0,
                    "ringside.api.stored-responses.ttl", ttl, "must be from 1s to 30d");
        }
    }

    /**
     * The web page at {@code /}.
     *
     * @param enabled whether it is served
     */
    public record Console(@DefaultValue("true") boolean enabled) {}

    /** Which device computes. */
    public enum Backend {
        /** A GPU where this build can use one, otherwise the CPU. */
        AUTO,
        /** A CUDA GPU, or no start. */
        CUDA,
        /** The CPU. */
        CPU
    }

    private static final String NO_LIMIT = "must be 0 (no limit) or more";

    private static void within(int least, int most, int value, String property, String allowed) {
        InvalidSettingException.require(value >= least && value <= most, property, value, allowed);
    }
}
