// Usage: node clients.mjs BASE_URL CLIENT
// Runs every check of one client and prints "ok NAME" for each; the first that fails ends the process with its stack.
import assert from "node:assert/strict";

const [base, client] = process.argv.slice(2);
const model = "ringside-demo";
const question = "What is the capital of France?";
const schema = {
  type: "object",
  properties: { city: { type: "string" }, large: { type: "boolean" } },
  required: ["city", "large"],
  additionalProperties: false,
};
const place = { type: "object", properties: { city: { enum: ["Rome", "Paris"] } }, required: ["city"], additionalProperties: false };
// Story tokens end an answer; without them a greedy model goes on for as long as it may.
const endless = { logit_bias: { 8189: -100, 8191: -100 } };

function assertPlace(text) {
  assert.ok(["Rome", "Paris"].includes((typeof text === "string" ? JSON.parse(text) : text).city), String(text));
}

function assertSchema(value) {
  assert.equal(typeof value.city, "string");
  assert.equal(typeof value.large, "boolean");
}

// A request that was left must give its place back: nothing runs any more.
async function assertIdle() {
  for (let i = 0; i < 200; i++) {
    const list = await (await fetch(`${base}/v1/requests`)).json();
    if (list.data.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail("a cancelled request is still running");
}

async function openaiChecks() {
  const { default: OpenAI } = await import("openai");
  const api = new OpenAI({ baseURL: `${base}/v1`, apiKey: "none", maxRetries: 0 });
  const messages = [{ role: "user", content: question }];
  const chat = (more) => api.chat.completions.create({ model, messages, temperature: 0, max_completion_tokens: 64, ...more });
  const tools = [{ type: "function", function: { name: "weather", description: "Weather", parameters: place } }];
  return {
    async models() {
      const ids = [];
      for await (const each of api.models.list()) ids.push(each.id);
      assert.deepEqual(ids, [model]);
    },
    async chat() {
      const answer = await chat();
      assert.ok(answer.choices[0].message.content.length > 0);
      assert.ok(answer.usage.completion_tokens > 0);
    },
    async stream() {
      const whole = (await chat()).choices[0].message.content;
      let text = "";
      let usage;
      for await (const chunk of await chat({ stream: true, stream_options: { include_usage: true } })) {
        text += chunk.choices[0]?.delta?.content ?? "";
        usage ??= chunk.usage;
      }
      assert.equal(text, whole);
      assert.ok(usage.total_tokens > 0);
    },
    async tools() {
      const answer = await chat({ tools, tool_choice: "required", max_completion_tokens: 256 });
      assert.equal(answer.choices[0].finish_reason, "tool_calls");
      assert.equal(answer.choices[0].message.tool_calls[0].function.name, "weather");
      assertPlace(answer.choices[0].message.tool_calls[0].function.arguments);
    },
    async streamedTools() {
      const runner = api.chat.completions.stream({ model, messages, temperature: 0, tools, tool_choice: "required" });
      const answer = await runner.finalChatCompletion();
      assertPlace(answer.choices[0].message.tool_calls[0].function.arguments);
    },
    async jsonSchema() {
      const answer = await chat({
        response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema } }, max_completion_tokens: 512,
      });
      assertSchema(JSON.parse(answer.choices[0].message.content));
    },
    async cancel() {
      const stream = await chat({ stream: true, max_completion_tokens: 100000, ...endless });
      for await (const _ of stream) break;
      stream.controller.abort();
      await assertIdle();
    },
    async error() {
      await assert.rejects(chat({ temperature: 9 }), (error) => error instanceof OpenAI.BadRequestError && error.param === "temperature");
    },
    async responses() {
      const first = await api.responses.create({ model, input: question, temperature: 0, max_output_tokens: 32 });
      assert.ok(first.output_text.length > 0);
      const second = await api.responses.create({
        model, input: "And of Italy?", previous_response_id: first.id, temperature: 0, max_output_tokens: 32,
      });
      assert.ok(second.usage.input_tokens > first.usage.input_tokens);
      assert.equal((await api.responses.retrieve(second.id)).output_text, second.output_text);
      await api.responses.delete(second.id);
      await assert.rejects(api.responses.retrieve(second.id), OpenAI.NotFoundError);
    },
    async responsesStream() {
      const runner = api.responses.stream({ model, input: question, temperature: 0, max_output_tokens: 32 });
      let text = "";
      runner.on("response.output_text.delta", (event) => (text += event.delta));
      const answer = await runner.finalResponse();
      assert.equal(text, answer.output_text);
      assert.ok(text.length > 0);
    },
    async responsesTools() {
      const answer = await api.responses.create({
        model, input: question, temperature: 0, tool_choice: "required",
        tools: [{ type: "function", name: "weather", description: "Weather", parameters: place, strict: true }],
      });
      const call = answer.output.find((item) => item.type === "function_call");
      assertPlace(call.arguments);
    },
  };
}

async function aiChecks() {
  const { generateText, streamText, Output, tool, jsonSchema, stepCountIs } = await import("ai");
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { z } = await import("zod");
  const compatible = createOpenAICompatible({ name: "ringside", baseURL: `${base}/v1`, supportsStructuredOutputs: true })(model);
  const responses = createOpenAI({ baseURL: `${base}/v1`, apiKey: "none" })(model);
  const settings = { prompt: question, temperature: 0, maxOutputTokens: 64, maxRetries: 0 };
  const weather = tool({ description: "Weather", inputSchema: jsonSchema(place), execute: async ({ city }) => `${city}: sunny` });
  const checks = {};
  for (const [name, served] of Object.entries({ Chat: compatible, Responses: responses })) {
    checks[`chat${name}`] = async () => {
      const answer = await generateText({ model: served, ...settings });
      assert.ok(answer.text.length > 0);
      assert.ok(answer.usage.outputTokens > 0);
    };
    checks[`stream${name}`] = async () => {
      const answer = streamText({ model: served, ...settings });
      let text = "";
      for await (const part of answer.textStream) text += part;
      assert.equal(text, (await generateText({ model: served, ...settings })).text);
    };
    checks[`tools${name}`] = async () => {
      // The first step has to call, the second sees what the tool said.
      const answer = await generateText({
        model: served, ...settings, tools: { weather }, stopWhen: stepCountIs(2), maxOutputTokens: 256,
        prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? "required" : "none" }),
      });
      assertPlace(answer.steps[0].toolCalls[0].input);
      assert.equal(answer.steps.length, 2);
    };
    checks[`jsonSchema${name}`] = async () => {
      const answer = await generateText({
        model: served, ...settings, maxOutputTokens: 512,
        output: Output.object({ schema: z.object({ city: z.string(), large: z.boolean() }) }),
      });
      assertSchema(answer.output);
    };
  }
  checks.cancel = async () => {
    const leave = new AbortController();
    const answer = streamText({ model: compatible, prompt: question, abortSignal: leave.signal, maxOutputTokens: 100000, onError() {} });
    for await (const _ of answer.textStream) break;
    leave.abort();
    await assertIdle();
  };
  return checks;
}

async function anthropicChecks() {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const api = new Anthropic({ baseURL: base, apiKey: "none", maxRetries: 0 });
  const request = { model, max_tokens: 64, temperature: 0, messages: [{ role: "user", content: question }] };
  const tools = [{ name: "weather", description: "Weather", input_schema: place }];
  return {
    async message() {
      const answer = await api.messages.create(request);
      assert.equal(answer.content[0].type, "text");
      assert.ok(answer.usage.output_tokens > 0);
    },
    async stream() {
      const whole = (await api.messages.create(request)).content[0].text;
      const stream = api.messages.stream(request);
      let text = "";
      stream.on("text", (delta) => (text += delta));
      const answer = await stream.finalMessage();
      assert.equal(text, whole);
      assert.equal(answer.content[0].text, whole);
    },
    async tools() {
      const stream = api.messages.stream({ ...request, max_tokens: 256, tools, tool_choice: { type: "tool", name: "weather" } });
      const answer = await stream.finalMessage();
      assert.equal(answer.stop_reason, "tool_use");
      const call = answer.content.find((block) => block.type === "tool_use");
      assertPlace(call.input);
      const last = await api.messages.create({
        ...request, tools, tool_choice: { type: "none" },
        messages: [...request.messages, { role: "assistant", content: [call] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "sunny" }] }],
      });
      assert.equal(last.content[0].type, "text");
    },
    async countTokens() {
      const counted = await api.messages.countTokens({ model, messages: request.messages });
      const answer = await api.messages.create(request);
      assert.equal(counted.input_tokens, answer.usage.input_tokens + answer.usage.cache_read_input_tokens);
    },
    async cancel() {
      const stream = api.messages.stream({ ...request, max_tokens: 100000, ...endless });
      for await (const event of stream) if (event.type === "content_block_delta") break;
      stream.abort();
      await assertIdle();
    },
    async error() {
      await assert.rejects(api.messages.create({ ...request, temperature: 9 }),
        (error) => error instanceof Anthropic.BadRequestError && error.error.error.type === "invalid_request_error");
    },
  };
}

const checks = await { openai: openaiChecks, ai: aiChecks, anthropic: anthropicChecks }[client]();
for (const [name, check] of Object.entries(checks)) {
  await check().catch((error) => {
    console.error(`failed ${name}`);
    throw error;
  });
  console.log(`ok ${name}`);
}
