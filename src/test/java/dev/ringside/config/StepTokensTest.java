package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeviceInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepTokensTest {

    @ParameterizedTest(name = "{0} of {1} GiB, {2} set and {3} sequences: {4}")
    @CsvSource({
        "cpu,  64,    0,    8,  256",
        "cpu,  64,    0,  512,  512",
        "cuda, 139,   0,    8, 4096",
        "cuda, 12,    0,    8, 1024",
        "cuda, 139, 300,    8,  300",
        "cpu,  64, 9000,    8, 9000"})
    void theMostTokensOfAStepFollowTheDeviceUnlessTheyAreSet(String backend, long gibibytes, int set, int maxActive, int expected) {
        RingsideProperties settings = Settings.of("scheduler.step-tokens", String.valueOf(set),
                "scheduler.max-active", String.valueOf(maxActive));
        DeviceInfo device = new DeviceInfo(backend, "device", "", backend.equals("cpu"), gibibytes << 30);

        assertThat(settings.scheduler().stepTokens(device)).isEqualTo(expected);
    }
}
