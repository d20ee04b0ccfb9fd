package dev.ringside.config;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.chat.TemplateException;
import dev.ringside.expert.ExpertArenaFactory;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.serving.Guards;
import dev.ringside.serving.RequestObserver;
import dev.ringside.serving.RequestScheduler;
import dev.ringside.serving.SchedulerOptions;
import dev.ringside.tokenizer.Tokenizer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The engine and what stands in front of it. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RingsideProperties.class)
class EngineConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(EngineConfiguration.class);

    /** Closed by the runtime, which knows whether the engine's thread has ended and nobody uses device memory any more. */
    @Bean(destroyMethod = "")
    GpuBackend gpuBackend(RingsideProperties settings) {
        try {
            return Backends.open(settings);
        } catch (DeviceException e) {
            throw StartupFailures.explain(e);
        }
    }

    @Bean
    ExpertArenaFactory expertArenaFactory() {
        return ExpertArenaFactory.configured();
    }

    @Bean(destroyMethod = "close")
    EngineRuntime engineRuntime(RingsideProperties settings, GpuBackend backend, ExpertArenaFactory arenas, Environment environment,
            ModelFile model, WaitingRoom room) {
        UnknownVariables.warn(environment, SettingCatalog.load());
        LoadLog log = new LoadLog(System::nanoTime);
        return EngineRuntime.open(settings, backend, arenas, model.path(), progress -> {
            room.show(progress);
            log.progressed(progress);
        });
    }

    @Bean
    Tokenizer tokenizer(EngineRuntime runtime) {
        return runtime.tokenizer();
    }

    /** Null when the model has no template that can be used: plain completions work all the same. */
    @Bean
    @Nullable
    ChatTemplate chatTemplate(EngineRuntime runtime) {
        String source = runtime.file().metadata().getString("tokenizer.chat_template", "");
        try {
            ChatTemplate template = ChatTemplate.forModel(source, runtime.tokenizer());
            if (template == null) {
                LOG.warn("The model has no chat template: /v1/chat/completions will refuse requests, /v1/completions works");
            }
            return template;
        } catch (TemplateException e) {
            LOG.warn("The model's chat template can't be used, so /v1/chat/completions will refuse requests; /v1/completions works. {}",
                    e.getMessage());
            return null;
        }
    }

    @Bean
    AssistantFormat assistantFormat(ObjectProvider<ChatTemplate> template, RingsideProperties properties) {
        ChatTemplate chosen = template.getIfAvailable();
        AssistantFormat format = properties.chat().format(chosen == null ? "" : chosen.source());
        LOG.info("Reads reasoning as {} and tool calls as {}", format.reasoning(), format.tools());
        return format;
    }

    @Bean
    RequestScheduler requestScheduler(EngineRuntime runtime, SchedulerOptions options, Guards guards, RequestObserver observer) {
        return new RequestScheduler(runtime.engine(), options, guards, observer);
    }

    @Bean
    EngineLifecycle engineLifecycle(EngineRuntime runtime, RequestScheduler scheduler) {
        return new EngineLifecycle(runtime, scheduler);
    }

    @Bean
    WarmUp warmUp(EngineRuntime runtime) {
        return new WarmUp(runtime.engine());
    }

    @Bean
    DrainLifecycle drainLifecycle(RequestScheduler scheduler, Environment environment) {
        return new DrainLifecycle(scheduler, DrainLifecycle.grace(environment));
    }
}
