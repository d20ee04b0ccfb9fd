package dev.ringside.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote down. */
final class VersionText implements IVersionProvider {

    private static final String BUILD_INFO = "/META-INF/build-info.properties";

    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream in = VersionText.class.getResourceAsStream(BUILD_INFO)) {
            if (in != null) {
                build.load(in);
            }
        }
        return new String[] {"ringside " + build.getProperty("build.version", "(development)") + ", Java " + Runtime.version()};
    }
}
