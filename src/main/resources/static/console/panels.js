import { bytes, count, decimal, figures, percent } from "./format.js";
import { HeatMap } from "./heat.js";

const SHOWN = 120;
const $ = id => document.getElementById(id);

/** Turns frames of the feed into what the panels show. */
export class Panels {
  constructor() {
    this.heat = new HeatMap($("heat"), $("heat-cell"), $("layers"));
    this.rates = [];
    this.last = null;
    this.spark = $("spark");
    new ResizeObserver(() => this.drawSpark()).observe(this.spark);
  }

  hello(frame) {
    $("model").textContent = `${frame.model} · ${frame.architecture} · ${count(frame.contextLength)} tokens of context · ${frame.device}`;
    this.last = null;
    this.rates = [];
    document.querySelector("[aria-labelledby=experts-title]").hidden = frame.layers.length === 0;
    if (frame.layers.length > 0) this.heat.shape(frame.layers, frame.experts);
  }

  tick(frame) {
    const seconds = this.last ? Math.max(0.001, (frame.millis - this.last.millis) / 1000) : Infinity;
    const before = this.last ?? frame;
    const rate = (frame.tokens.generated - before.tokens.generated) / seconds;
    this.rates.push(rate);
    if (this.rates.length > SHOWN) this.rates.shift();
    // Half a second of a slow model holds few tokens: the big number is a mean over two.
    const recent = this.rates.slice(-4);
    const mean = recent.reduce((sum, each) => sum + each, 0) / recent.length;
    $("rate").textContent = decimal(mean);
    figures($("speed-figures"), {
      "Prompt, per second": decimal((frame.tokens.prompt - before.tokens.prompt) / seconds),
      "Generated in all": count(frame.tokens.generated),
      "Last step": `${count(frame.step.rows)} rows, ${decimal(frame.step.millis)} ms`,
    });
    this.drawSpark();
    this.requests(frame.scheduler);
    this.state(frame.state);
    this.prefixes(frame.prefixes);
    this.drafts(frame.drafts);
    this.experts(frame.experts, before.experts, seconds, frame.map);
    this.last = frame;
  }

  requests(now) {
    $("active").textContent = count(now.active);
    $("max-active").textContent = count(now.maxActive);
    $("active-meter").max = Math.max(1, now.maxActive);
    $("active-meter").value = now.active;
    figures($("queue-figures"), {
      "Waiting": `${count(now.queued)} of ${count(now.queueCapacity)}`,
      "Suspended": count(now.suspended),
      "Finished": count(now.completed),
      "Left, failed, refused": `${count(now.cancelled)}, ${count(now.failed)}, ${count(now.rejected)}`,
    });
  }

  state(now) {
    $("state-bytes").textContent = bytes(now.bytes);
    $("state-budget").textContent = bytes(now.budget);
    $("state-meter").max = Math.max(1, now.budget);
    $("state-meter").value = now.bytes;
    figures($("state-figures"), {
      "Sequences": count(now.sequences),
      "Pages": count(now.pages),
      "Pages shared": count(now.pagesShared),
    });
  }

  prefixes(now) {
    $("prefix-rate").textContent = percent(now.hits / (now.hits + now.misses));
    figures($("prefix-figures"), {
      "Kept": `${count(now.entries)} (${bytes(now.bytes)})`,
      "In files": `${count(now.spilled)} (${bytes(now.spillBytes)})`,
      "Prompt tokens saved": count(now.tokensSaved),
    });
  }

  drafts(now) {
    $("draft-panel").hidden = !now;
    if (!now) return;
    $("draft-rate").textContent = percent(now.accepted / now.drafted);
    figures($("draft-figures"), {
      "Drafted": count(now.drafted),
      "Accepted": count(now.accepted),
      "Tokens per step": decimal(now.tokensPerStep),
    });
  }

  experts(now, before, seconds, map) {
    if (map) this.heat.show(map);
    const { total, resident, loaded } = this.heat.summary();
    $("experts-sum").textContent = `${count(resident)} of ${count(total)} in memory`;
    const label = `Heat map of experts: ${resident} of ${total} in memory`;
    if (this.heat.canvas.getAttribute("aria-label") !== label) this.heat.canvas.setAttribute("aria-label", label);
    const hits = now.hits - before.hits, misses = now.misses - before.misses;
    figures($("experts-figures"), {
      "Hits now": percent(hits / (hits + misses)),
      "Hits since start": percent(now.hits / (now.hits + now.misses)),
      "Just read": count(loaded),
      "Read, per second": bytes((now.bytesRead - before.bytesRead) / seconds),
      "Slots": `${count(now.slots)} (${now.arena})`,
      "Waited for reads": `${decimal(now.waitMillis / 1000)} s`,
    });
  }

  drawSpark() {
    const canvas = this.spark;
    if (canvas.clientWidth === 0) return;
    const scale = Math.min(2, devicePixelRatio || 1);
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    const context = canvas.getContext("2d");
    const most = Math.max(1, ...this.rates);
    const step = canvas.width / (SHOWN - 1);
    const start = SHOWN - this.rates.length;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    context.lineWidth = 1.5 * scale;
    context.beginPath();
    this.rates.forEach((rate, i) => context.lineTo((start + i) * step, canvas.height - 2 - rate / most * (canvas.height - 4)));
    context.stroke();
    canvas.setAttribute("aria-label", `Tokens per second over the last minute, highest ${decimal(most)}`);
  }
}
