package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.tokenizer.Tokenizer;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Puts the HTTP interface together from {@link ApiSettings}, a {@link Generator}, a tokenizer and, where there is one, a chat template. */
@Configuration(proxyBeanMethods = false)
class ApiConfiguration {

    // Rendering and encoding are work for a processor; more threads than this would only take time from the engine.
    private static final int WORKERS = 2;
    private static final int MOST_WAITING = 10_000;

    @Bean(destroyMethod = "dispose")
    Scheduler promptScheduler() {
        return Schedulers.newBoundedElastic(WORKERS, MOST_WAITING, "ringside-prompt", 60, true);
    }

    @Bean
    JsonBody jsonBody(ApiSettings settings) {
        return new JsonBody(settings.maxBodyBytes());
    }

    @Bean
    ErrorMapper errorMapper() {
        return new ErrorMapper();
    }

    @Bean
    RequestBodies requestBodies(JsonBody json, ApiSettings settings, Scheduler promptScheduler) {
        return new RequestBodies(json, settings, promptScheduler);
    }

    @Bean
    Prompts prompts(ObjectProvider<ChatTemplate> template, Tokenizer tokenizer) {
        return new Prompts(template.getIfAvailable(), tokenizer);
    }

    @Bean
    ChatGrammars chatGrammars(AssistantFormat format, Tokenizer tokenizer) {
        return new ChatGrammars(format, tokenizer);
    }

    @Bean
    ChatTurns chatTurns(ObjectProvider<ChatTemplate> template, AssistantFormat format, Prompts prompts, ChatGrammars grammars,
            Generator generator, ApiSettings settings) {
        return new ChatTurns(template.getIfAvailable(), format, prompts, grammars, generator, settings.contextLength());
    }

    @Bean
    AnswerLogprobs answerLogprobs(Tokenizer tokenizer) {
        return new AnswerLogprobs(tokenizer);
    }

    @Bean
    ChatMessageParser chatMessageParser(JsonBody json, ObjectProvider<ChatTemplate> template) {
        ChatTemplate chosen = template.getIfAvailable();
        return new ChatMessageParser(json, chosen != null && chosen.source().contains("developer"));
    }

    @Bean
    ChatRequestParser chatRequestParser(ChatMessageParser messages, ObjectProvider<ChatTemplate> template, AssistantFormat format,
            ApiSettings settings) {
        return new ChatRequestParser(messages, options(settings), new ChatThinking(template.getIfAvailable(), format));
    }

    @Bean
    CompletionRequestParser completionRequestParser(ApiSettings settings) {
        return new CompletionRequestParser(options(settings), settings.vocabularySize());
    }

    @Bean
    AnswerStream answerStream(Generator generator, JsonBody json, ErrorMapper errors, ApiSettings settings) {
        return new AnswerStream(generator, json, errors, settings.commentInterval());
    }

    @Bean
    ConnectionThreads connectionThreads() {
        return new ConnectionThreads();
    }

    @Bean
    Answers answers(Generator generator, AnswerStream stream, JsonBody json, ConnectionThreads threads, ApiSettings settings) {
        return new Answers(generator, stream, json, threads, settings, Clock.systemUTC());
    }

    private static GenerationOptionsParser options(ApiSettings settings) {
        return new GenerationOptionsParser(settings.modelId(), settings.sampling(), settings.vocabularySize());
    }
}
