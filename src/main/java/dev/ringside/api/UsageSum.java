package dev.ringside.api;

import dev.ringside.engine.Usage;
import java.util.List;

/** Token counts of several choices together. Choices of one prompt follow each other, and their prompt counts once. */
final class UsageSum {

    private final int choicesPerPrompt;
    private int prompt;
    private int completion;
    private int cached;

    UsageSum(int choicesPerPrompt) {
        this.choicesPerPrompt = choicesPerPrompt;
    }

    void add(int choice, Usage usage) {
        completion += usage.completionTokens();
        if (choice % choicesPerPrompt == 0) {
            prompt += usage.promptTokens();
            cached += usage.cachedTokens();
        }
    }

    Usage total() {
        return new Usage(prompt, completion, cached);
    }

    static Usage of(List<Answer> answers, int choicesPerPrompt) {
        UsageSum sum = new UsageSum(choicesPerPrompt);
        for (int i = 0; i < answers.size(); i++) {
            sum.add(i, answers.get(i).usage());
        }
        return sum.total();
    }
}
