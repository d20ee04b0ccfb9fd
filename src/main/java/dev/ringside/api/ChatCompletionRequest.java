package dev.ringside.api;

import dev.ringside.chat.ChatRequest;

/** A chat completion. */
record ChatCompletionRequest(ChatRequest conversation, GenerationOptions options) {}
