package dev.ringside.api;

import dev.ringside.engine.Usage;
import java.util.List;

/** Token counts of several choices together. */
final class UsageSum {

    private int prompt;
    private int completion;
    private int cached;

    void add(Usage usage) {
        prompt += usage.promptTokens();
        completion += usage.completionTokens();
        cached += usage.cachedTokens();
    }

    Usage total() {
        return new Usage(prompt, completion, cached);
    }

    static Usage of(List<Answer> answers) {
        UsageSum sum = new UsageSum();
        answers.forEach(answer -> sum.add(answer.usage()));
        return sum.total();
    }
}
