package dev.ringside.api;

import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The choices of one answer to a conversation, ready to be generated. */
final class ChatGeneration {

    private final Prompt prompt;
    private final List<AnswerChoice> choices;
    private final Generator generator;

    ChatGeneration(Prompt prompt, List<AnswerChoice> choices, Generator generator) {
        this.prompt = prompt;
        this.choices = List.copyOf(choices);
        this.generator = generator;
    }

    Prompt prompt() {
        return prompt;
    }

    List<AnswerChoice> choices() {
        return choices;
    }

    /** Events of each choice, which is generated when subscribed to. */
    List<Flux<AnswerEvent>> events() {
        return choices.stream().map(choice -> choice.events(generator)).toList();
    }

    /** All choices, when the last is complete. */
    Mono<List<Answer>> whole() {
        return AnswerStream.whole(events());
    }
}
