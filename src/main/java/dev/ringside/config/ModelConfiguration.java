package dev.ringside.config;

import dev.ringside.config.WaitingRoom.Doors;
import dev.ringside.ops.LiveSequences;
import dev.ringside.ops.ServedFiles;
import dev.ringside.serving.RequestScheduler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Where the model comes from, and who answers meanwhile. */
@Configuration(proxyBeanMethods = false)
class ModelConfiguration {

    private static final int DEFAULT_PORT = 8080;

    @Bean(destroyMethod = "close")
    WaitingRoom waitingRoom(Environment environment, WebEndpointProperties endpoints) {
        String health = endpoints.getBasePath() + "/" + endpoints.getPathMapping().getOrDefault("health", "health");
        return new WaitingRoom(new Doors(addresses(environment), health), System::nanoTime);
    }

    @Bean
    ModelFile modelFile(RingsideProperties settings, WaitingRoom room) {
        DownloadLog log = new DownloadLog();
        return ModelFile.of(settings, System.getenv(), progress -> {
            room.show(progress);
            log.accept(progress);
        });
    }

    @Bean
    ServedFiles servedFiles(ModelFile model, RingsideProperties settings) {
        String spill = settings.checkpoints().spillDirectory();
        return new ServedFiles(model.path(), model.source(), spill.isBlank() ? null : Path.of(spill));
    }

    @Bean
    LiveSequences liveSequences(RequestScheduler scheduler) {
        return scheduler::requests;
    }

    /** Ports that are fixed and not encrypted; where there is none, the port stays closed while a model is downloaded. */
    private static List<InetSocketAddress> addresses(Environment environment) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        int port = environment.getProperty("server.port", Integer.class, DEFAULT_PORT);
        int management = environment.getProperty("management.server.port", Integer.class, port);
        add(addresses, environment, "server", port);
        if (management != port) {
            add(addresses, environment, "management.server", management);
        }
        return addresses;
    }

    private static void add(List<InetSocketAddress> addresses, Environment environment, String server, int port) {
        boolean encrypted = environment.getProperty(server + ".ssl.bundle") != null
                || environment.getProperty(server + ".ssl.key-store") != null
                || environment.getProperty(server + ".ssl.certificate") != null;
        if (port <= 0 || encrypted) {
            return;
        }
        String host = environment.getProperty(server + ".address");
        try {
            addresses.add(host == null ? new InetSocketAddress(port) : new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (UnknownHostException _) {
            // The web server says so.
        }
    }
}
