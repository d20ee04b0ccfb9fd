package dev.ringside.api;

import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The interfaces that are translated to a chat. */
@Configuration(proxyBeanMethods = false)
class DialectConfiguration {

    @Bean
    ResponseStore responseStore(ApiSettings settings) {
        return new ResponseStore(settings.responses(), System::nanoTime);
    }

    @Bean
    ResponsesParser responsesParser(JsonBody json, ResponseStore store) {
        return new ResponsesParser(json, store);
    }

    @Bean
    ChatDialect chatDialect(ChatRequestParser parser, ChatTurns turns, AnswerStream answers, JsonBody json, ErrorMapper errors,
            ApiSettings settings) {
        return new ChatDialect(parser, turns, answers, json, errors,
                settings.commentInterval());
    }

    @Bean
    Clock apiClock() {
        return Clock.systemUTC();
    }
}
