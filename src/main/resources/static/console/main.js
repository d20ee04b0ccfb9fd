import { Chat } from "./chat.js";
import { Panels } from "./panels.js";
import { events, request, setKey } from "./sse.js";

const RETRY_MILLIS = 2000;
const $ = id => document.getElementById(id);
const panels = new Panels();
new Chat();

function status(state, text) {
  const field = $("status");
  field.dataset.state = state;
  if (field.textContent !== text) field.textContent = text;
}

const pause = millis => new Promise(done => setTimeout(done, millis));

function askForKey(refused) {
  $("key-form").hidden = false;
  $("key-error").textContent = refused ? "This key is not accepted." : "";
  $("key").focus();
  return new Promise(done => {
    $("key-form").addEventListener("submit", event => {
      event.preventDefault();
      setKey($("key").value.trim());
      $("key-form").hidden = true;
      done();
    }, { once: true });
  });
}

async function watch() {
  let asked = false;
  for (;;) {
    try {
      const response = await request("console/feed");
      if (response.status === 401) {
        status("waiting", "key needed");
        await askForKey(asked);
        asked = true;
        continue;
      }
      if (!response.ok) throw new Error(`status ${response.status}`);
      for await (const event of events(response)) {
        if (event.data === undefined) continue;
        const frame = JSON.parse(event.data);
        if (frame.layers) panels.hello(frame);
        else {
          panels.tick(frame);
          status(frame.ready ? "ready" : "waiting", frame.ready ? "ready" : "warming up");
        }
      }
    } catch {
      // Said below; the next try tells more.
    }
    status("lost", "connection lost, trying again");
    await pause(RETRY_MILLIS);
  }
}

watch();
