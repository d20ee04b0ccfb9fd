package dev.ringside.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;

/** Settings as the application would bind them. */
final class Settings {

    private Settings() {}

    /** @param pairs property names without {@code ringside.} and their values, in turn */
    static RingsideProperties of(String... pairs) {
        Map<String, String> properties = new HashMap<>(Map.of("ringside.gpu.backend", "cpu"));
        for (int i = 0; i < pairs.length; i += 2) {
            properties.put("ringside." + pairs[i], pairs[i + 1]);
        }
        ApplicationConversionService conversion = new ApplicationConversionService();
        conversion.addConverter(new SettingConverters.CapacityConverter());
        conversion.addConverter(new SettingConverters.EvictionConverter());
        conversion.addConverter(new SettingConverters.HostTierConverter());
        return new Binder(List.of(new MapConfigurationPropertySource(properties)), null, conversion, null, BindHandler.DEFAULT)
                .bindOrCreate("ringside", Bindable.of(RingsideProperties.class));
    }
}
