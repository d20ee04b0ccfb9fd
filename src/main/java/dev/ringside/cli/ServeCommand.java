package dev.ringside.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code serve}, as help shows it; {@link RingsideCommand#launch} starts it without picocli, which does not know Spring's options. */
@Command(name = ServeCommand.NAME, mixinStandardHelpOptions = true, description = "Starts the server (default). Takes Spring Boot options such as --server.port=8081 or --ringside.model.path=FILE.")
final class ServeCommand implements Callable<Integer> {

    static final String NAME = "serve";

    @Parameters(paramLabel = "--PROPERTY=VALUE", arity = "0..*", description = "Settings; config/application.yaml lists all of them.")
    List<String> properties = List.of();

    @Override
    public Integer call() {
        throw new IllegalStateException("serve is started before arguments are parsed");
    }
}
