// Drives the console in headless Chromium and prints one JSON object with what was seen: node console.mjs URL CHROMIUM OUT [KEY]
import { chromium } from "playwright-core";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const [base, executablePath, out, key] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WAIT = { timeout: 60_000 };
const seen = { errors: [], foreign: [], violations: [], sideways: [] };

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

async function open(options) {
  // Past the page's policy only for axe, which is injected: the policy itself is checked from Java, and what it blocks is an error here.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT.timeout);
  page.on("console", message => { if (message.type() === "error" || message.type() === "warning") seen.errors.push(message.text()); });
  page.on("pageerror", error => seen.errors.push(String(error)));
  page.on("requestfailed", request => {
    // Leaving a page ends its stream.
    if (!request.failure()?.errorText.includes("ERR_ABORTED")) seen.errors.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on("request", request => { if (!request.url().startsWith(base) && !request.url().startsWith("data:")) seen.foreign.push(request.url()); });
  await page.goto(base);
  return page;
}

const ready = page => page.locator('#status[data-state="ready"]').waitFor(WAIT);

async function check(page, where) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, impact, nodes } of result.violations) {
    if (impact === "serious" || impact === "critical") {
      seen.violations.push(`${where}: ${id} (${impact}): ${nodes.map(node => node.html).slice(0, 3).join(" | ")}`);
    }
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) seen.sideways.push(`${where}: ${wide} px`);
}

const number = async (page, selector) => Number((await page.locator(selector).innerText()).replaceAll(",", ""));
const pixels = page => page.evaluate(() => document.getElementById("heat").toDataURL());

async function ask(page, text) {
  await page.evaluate(() => {
    globalThis.lengths = new Set();
    new MutationObserver(() => globalThis.lengths.add(document.querySelector(".turn.assistant:last-of-type div")?.textContent.length ?? 0))
      .observe(document.getElementById("log"), { childList: true, subtree: true, characterData: true });
  });
  await page.locator("#prompt").fill(text);
  await page.keyboard.press("Enter");
  await page.locator(".turn.assistant:last-of-type .foot").waitFor(WAIT);
  return page.evaluate(() => globalThis.lengths.size);
}

try {
  if (key) {
    const page = await open();
    await page.locator("#key-form").waitFor({ state: "visible", ...WAIT });
    await page.locator("#key").fill("wrong");
    await page.keyboard.press("Enter");
    await page.locator("#key-error", { hasText: "not accepted" }).waitFor(WAIT);
    await check(page, "key form");
    await page.locator("#key").fill(key);
    await page.keyboard.press("Enter");
    await ready(page);
    seen.grown = await ask(page, "What does courage mean?");
    // The browser itself reports each 401 as an error.
    seen.errors = seen.errors.filter(text => !text.includes("401"));
  } else {
    const page = await open({ colorScheme: "light" });
    await ready(page);
    seen.model = await page.locator("#model").innerText();
    await page.locator("#temperature").count();
    await page.locator("summary", { hasText: "Options" }).click();
    await page.locator("#temperature").fill("0");
    await page.locator("#max-tokens").fill("160");
    const before = { heat: await pixels(page), generated: await number(page, '#speed-figures dd[data-name="Generated in all"]') };
    seen.grown = await ask(page, "What does courage mean?");
    seen.answer = await page.locator(".turn.assistant:last-of-type div").innerText();
    seen.foot = await page.locator(".turn.assistant:last-of-type .foot").innerText();
    await page.waitForFunction(first => Number(document.querySelector('#speed-figures dd[data-name="Generated in all"]').textContent.replaceAll(",", "")) > first,
      before.generated, WAIT);
    seen.generated = await number(page, '#speed-figures dd[data-name="Generated in all"]') - before.generated;
    seen.heatChanged = before.heat !== await pixels(page);
    await ask(page, "And what does fear mean?");
    seen.second = await page.locator(".turn.assistant:last-of-type .foot").innerText();
    await page.locator("#heat").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    seen.cell = await page.locator("#heat-cell").innerText();
    await page.locator("summary", { hasText: "Experts by layer" }).click();
    await page.locator("#layers tbody tr").first().waitFor(WAIT);
    seen.layers = await page.locator("#layers tbody tr").count();
    await check(page, "light");
    await page.locator("summary", { hasText: "Experts by layer" }).click();
    await page.locator("summary", { hasText: "Options" }).click();
    await page.screenshot({ path: `${out}/console-light.png` });
    await page.emulateMedia({ colorScheme: "dark" });
    await check(page, "dark");
    await page.screenshot({ path: `${out}/console-dark.png` });
    await page.locator("#max-tokens").evaluate(field => { field.value = 2000; });
    // From inside the page, at the first word: a short answer would be over before a click from here arrives.
    await page.evaluate(() => new MutationObserver((_, observer) => {
      if (document.querySelector(".turn.assistant:last-of-type .text")) { observer.disconnect(); document.getElementById("stop").click(); }
    }).observe(document.getElementById("log"), { childList: true, subtree: true }));
    await page.locator("#prompt").fill("Tell me all about the sea.");
    await page.locator("#send").click();
    await page.locator(".turn.assistant:last-of-type .foot").waitFor(WAIT);
    await page.waitForFunction(() => document.getElementById("active").textContent === "0", undefined, WAIT);
    seen.stopped = await page.locator(".turn.assistant:last-of-type .foot").innerText();
    await page.locator("#new-chat").click();
    seen.cleared = await page.locator(".turn").count() === 0;

    const phone = await open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "light" });
    await ready(phone);
    await ask(phone, "What is time?");
    await check(phone, "phone");
    await phone.screenshot({ path: `${out}/console-phone.png`, fullPage: true });
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
