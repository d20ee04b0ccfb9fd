package dev.ringside.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A finished command: its exit code and what it printed. */
record CommandRun(int code, String out, String err) {

    static CommandRun of(Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] texts = new String[arguments.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = arguments[i].toString();
        }
        int code = RingsideCommand.execute(texts, new PrintWriter(out), new PrintWriter(err, true));
        return new CommandRun(code, out.toString(), err.toString());
    }

    /** Standard output as JSON; the run must have succeeded. */
    JsonNode json() {
        if (code != 0) {
            throw new AssertionError("exit code " + code + ": " + err);
        }
        return JsonMapper.shared().readTree(out);
    }
}
