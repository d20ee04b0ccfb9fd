package dev.ringside.model;

/**
 * What users and operators see of a model.
 *
 * @param architecture {@code general.architecture}
 * @param name {@code general.name}, or the file's name
 * @param contextLength longest sequence the model was made for, in tokens
 * @param layers trunk layers, draft blocks not counted
 * @param draftLayers draft (MTP) blocks in the file
 * @param experts experts of a layer; 0 for dense models
 * @param expertsPerToken experts a token is routed to
 * @param weightBytes bytes of all tensors in the file
 * @param expertBytes bytes of the routed experts among them
 */
public record ModelInfo(String architecture, String name, int contextLength, int vocabularySize, int hiddenSize, int layers,
        int draftLayers,
        int experts, int expertsPerToken, long weightBytes, long expertBytes) {}
