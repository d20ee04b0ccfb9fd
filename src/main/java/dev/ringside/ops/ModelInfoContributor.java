package dev.ringside.ops;

import dev.ringside.model.ModelInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.stereotype.Component;

/** The model under {@code /actuator/info}. */
@Component
final class ModelInfoContributor implements InfoContributor {

    private final EngineViews views;

    ModelInfoContributor(EngineViews views) {
        this.views = views;
    }

    @Override
    public void contribute(Info.Builder builder) {
        ModelInfo info = views.model();
        Map<String, Object> model = new LinkedHashMap<>();
        model.put("id", views.modelId());
        model.put("name", info.name());
        model.put("architecture", info.architecture());
        model.put("contextLength", views.contextLength());
        model.put("trainedContextLength", info.contextLength());
        model.put("vocabularySize", info.vocabularySize());
        model.put("hiddenSize", info.hiddenSize());
        model.put("layers", info.layers());
        model.put("draftLayers", info.draftLayers());
        model.put("experts", info.experts());
        model.put("expertsPerToken", info.expertsPerToken());
        model.put("weightBytes", info.weightBytes());
        model.put("expertBytes", info.expertBytes());
        builder.withDetail("model", model);
    }
}
