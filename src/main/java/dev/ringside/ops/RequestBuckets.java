package dev.ringside.ops;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Gives the timer that the observation of a request makes its buckets. */
@Component
final class RequestBuckets implements MeterFilter {

    @Override
    public @Nullable DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        if (!id.getName().equals(RequestMeter.DURATION.meterName()) || id.getType() != Meter.Type.TIMER) {
            return config;
        }
        double[] nanos = Arrays.stream(RequestMeter.DURATION.buckets()).map(seconds -> seconds * 1e9).toArray();
        return DistributionStatisticConfig.builder().serviceLevelObjectives(nanos).build().merge(config);
    }
}
