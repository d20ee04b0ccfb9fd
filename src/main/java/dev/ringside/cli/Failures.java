package dev.ringside.cli;

import dev.ringside.expert.ExpertArenaTooSmallException;
import dev.ringside.gguf.GgufException;
import dev.ringside.gpu.DeviceException;
import dev.ringside.model.ModelException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Says in one line why the work failed; with {@code --verbose} the stack trace follows. */
final class Failures {

    private Failures() {}

    static int report(Exception failure, CommandLine command, ParseResult arguments) {
        PrintWriter err = command.getErr();
        err.println("ringside " + command.getCommandName() + ": " + describe(failure));
        if (verbose(command)) {
            failure.printStackTrace(err);
        } else if (!expected(failure)) {
            err.println("This is not a known failure; run it again with --verbose for the stack trace.");
        }
        err.flush();
        return RingsideCommand.FAILED;
    }

    private static boolean verbose(CommandLine command) {
        OptionSpec option = command.getCommandSpec().findOption("--verbose");
        return option != null && Boolean.TRUE.equals(option.getValue());
    }

    private static boolean expected(Exception failure) {
        return failure instanceof CommandException || failure instanceof GgufException || failure instanceof ModelException
                || failure instanceof DeviceException || failure instanceof ExpertArenaTooSmallException || failure instanceof IOException
                || failure instanceof UncheckedIOException || failure instanceof IllegalArgumentException;
    }

    private static String describe(Exception failure) {
        Throwable shown = failure instanceof UncheckedIOException io && io.getCause() != null ? io.getCause() : failure;
        String message = shown.getMessage();
        // An I/O failure's message is often the path alone; its type says what is wrong with it.
        return message == null || shown instanceof IOException ? shown.toString() : message;
    }
}
