package dev.ringside.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A function that the model may call.
 *
 * @param parameters JSON schema of the arguments as JSON values, or null when the request gives none
 * @param strict whether the arguments must follow the schema, whatever the model would like
 */
record ChatTool(String name, @Nullable String description, @Nullable Map<String, ? extends @Nullable Object> parameters, boolean strict) {

    /** As chat templates take it. */
    Map<String, @Nullable Object> variables() {
        Map<String, @Nullable Object> function = new LinkedHashMap<>();
        function.put("name", name);
        if (description != null) {
            function.put("description", description);
        }
        if (parameters != null) {
            function.put("parameters", parameters);
        }
        Map<String, @Nullable Object> tool = new LinkedHashMap<>();
        tool.put("type", "function");
        tool.put("function", function);
        return tool;
    }
}
