package dev.ringside.config;

import dev.ringside.expert.ExpertCapacity;
import dev.ringside.expert.ExpertEviction;
import dev.ringside.expert.HostTierSize;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;

/** Texts of settings that are more than numbers and words. */
@Configuration(proxyBeanMethods = false)
class SettingConverters {

    // Sizes are objects: YAML makes a number of a plain one.
    // Spring reads source and target off a converter's type parameters, which a lambda does not keep.

    @Bean
    @ConfigurationPropertiesBinding
    static CapacityConverter capacityConverter() {
        return new CapacityConverter();
    }

    @Bean
    @ConfigurationPropertiesBinding
    static EvictionConverter evictionConverter() {
        return new EvictionConverter();
    }

    @Bean
    @ConfigurationPropertiesBinding
    static HostTierConverter hostTierConverter() {
        return new HostTierConverter();
    }

    static final class CapacityConverter implements Converter<Object, ExpertCapacity> {

        @Override
        public ExpertCapacity convert(Object value) {
            return ExpertCapacity.parse(value.toString());
        }
    }

    static final class EvictionConverter implements Converter<String, ExpertEviction> {

        @Override
        public ExpertEviction convert(String text) {
            return ExpertEviction.parse(text);
        }
    }

    static final class HostTierConverter implements Converter<Object, HostTierSize> {

        @Override
        public HostTierSize convert(Object value) {
            return HostTierSize.parse(value.toString());
        }
    }
}
