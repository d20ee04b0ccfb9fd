import { decimal } from "./format.js";
import { events, request } from "./sse.js";
import { element, render } from "./text.js";

const $ = id => document.getElementById(id);

/** The conversation on the left: an OpenAI client like any other. */
export class Chat {
  constructor() {
    this.messages = [];
    this.running = null;
    this.hint = $("hello");
    $("composer").addEventListener("submit", event => { event.preventDefault(); this.send(); });
    $("prompt").addEventListener("keydown", event => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.send(); }
    });
    $("stop").addEventListener("click", () => this.running?.abort());
    $("new-chat").addEventListener("click", () => this.clear());
  }

  clear() {
    this.running?.abort();
    this.messages = [];
    $("log").replaceChildren(this.hint);
    $("prompt").focus();
  }

  async send() {
    const text = $("prompt").value.trim();
    if (!text || this.running) return;
    $("prompt").value = "";
    this.hint.remove();
    const messages = this.messages;
    messages.push({ role: "user", content: text });
    this.add("user", text);
    const turn = this.add("assistant", "");
    const body = element("div", "");
    turn.append(body);
    this.running = new AbortController();
    this.show(true);
    const started = performance.now();
    const answer = { content: "", reasoning: "", finish: null, usage: null, first: 0 };
    try {
      await this.stream(messages, answer, turn, body, started);
    } catch (error) {
      if (error.name !== "AbortError") turn.append(element("p", error.message, "error"));
    } finally {
      this.running = null;
      this.show(false);
    }
    if (messages === this.messages && answer.content) messages.push({ role: "assistant", content: answer.content });
    else if (messages === this.messages && !answer.content) messages.pop();
    this.foot(turn, answer, performance.now() - started);
  }

  async stream(messages, answer, turn, body, started) {
    const response = await request("v1/chat/completions", {
      method: "POST",
      signal: this.running.signal,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(this.body(messages)),
    });
    if (!response.ok) throw new Error(await reason(response));
    let thinking = null;
    for await (const event of events(response)) {
      if (event.comment !== undefined) { this.progress(event.comment); continue; }
      if (event.data === "[DONE]") return;
      const chunk = JSON.parse(event.data);
      if (chunk.error) throw new Error(chunk.error.message);
      if (chunk.usage) answer.usage = chunk.usage;
      const choice = chunk.choices[0];
      if (!choice) continue;
      if (choice.finish_reason) answer.finish = choice.finish_reason;
      const { content, reasoning_content: reasoning } = choice.delta;
      if (!content && !reasoning) continue;
      answer.first ||= performance.now() - started;
      this.progress(null);
      const stick = this.atEnd();
      if (reasoning) {
        if (!thinking) {
          const details = document.createElement("details");
          thinking = element("span", "");
          details.append(element("summary", "Thoughts"), thinking);
          turn.insertBefore(details, body);
        }
        answer.reasoning += reasoning;
        thinking.textContent = answer.reasoning;
      }
      if (content) {
        answer.content += content;
        render(body, answer.content);
      }
      if (stick) this.toEnd();
    }
  }

  body(messages) {
    const system = $("system").value.trim();
    const request = {
      messages: system ? [{ role: "system", content: system }, ...messages] : messages,
      stream: true,
      stream_options: { include_usage: true },
      chat_template_kwargs: { enable_thinking: $("thinking").checked },
    };
    if ($("max-tokens").value) request.max_tokens = Number($("max-tokens").value);
    if ($("temperature").value !== "") request.temperature = Number($("temperature").value);
    return request;
  }

  /** The server says in comments how far it is with a long prompt. */
  progress(comment) {
    const match = comment?.match(/^prompt (\d+)\/(\d+)$/);
    $("progress").hidden = !match;
    if (!match) return;
    $("progress-bar").max = Number(match[2]);
    $("progress-bar").value = Number(match[1]);
    $("progress-text").textContent = `reading the prompt: ${match[1]} of ${match[2]} tokens`;
  }

  add(role, text) {
    const stick = this.atEnd();
    const turn = element("div", text, `turn ${role}`);
    turn.setAttribute("aria-label", role === "user" ? "You" : "Answer");
    turn.setAttribute("role", "group");
    $("log").append(turn);
    if (stick) this.toEnd();
    return turn;
  }

  foot(turn, answer, took) {
    this.progress(null);
    const parts = [];
    if (answer.usage) {
      const tokens = answer.usage.completion_tokens;
      const cached = answer.usage.prompt_tokens_details?.cached_tokens ?? 0;
      parts.push(`${tokens} tokens`);
      if (tokens > 1) parts.push(`${decimal((tokens - 1) / Math.max(0.001, (took - answer.first) / 1000))} tokens/s`);
      parts.push(`first after ${decimal(answer.first)} ms`, `prompt ${answer.usage.prompt_tokens}${cached ? `, ${cached} of it shared` : ""}`);
    }
    if (answer.finish === "length") parts.push("cut off at the limit");
    if (answer.finish === null && answer.content) parts.push("stopped");
    if (parts.length > 0) turn.append(element("p", parts.join(" · "), "foot"));
    this.toEnd();
  }

  show(running) {
    $("send").hidden = running;
    $("stop").hidden = !running;
    $("log").setAttribute("aria-busy", String(running));
    if (!running) $("prompt").focus({ preventScroll: true });
  }

  atEnd() {
    const log = $("log");
    return log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  }

  toEnd() {
    $("log").scrollTop = $("log").scrollHeight;
  }
}

async function reason(response) {
  try {
    return (await response.json()).error.message;
  } catch {
    return `The server answered with status ${response.status}`;
  }
}
