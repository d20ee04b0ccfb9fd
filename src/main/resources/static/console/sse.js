// Reads server-sent events from a fetch response: EventSource can neither POST nor send an API key.

export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      let end;
      while ((end = buffer.indexOf("\n\n")) >= 0) {
        const block = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        const data = [];
        for (const line of block.split("\n")) {
          if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
          else if (line.startsWith(":")) yield { comment: line.slice(1).trim() };
        }
        if (data.length > 0) yield { data: data.join("\n") };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

let key = sessionStorage.getItem("ringside-key") ?? "";

export function setKey(value) {
  key = value;
  sessionStorage.setItem("ringside-key", value);
}

export function request(path, options = {}) {
  const headers = { ...options.headers };
  if (key) headers.Authorization = `Bearer ${key}`;
  return fetch(path, { ...options, headers, cache: "no-store" });
}
