// Answers as elements: fenced and inline code, bold text, everything else as it stands. Text is never parsed as HTML.

export function render(target, text) {
  const parts = text.split("```");
  const nodes = [];
  parts.forEach((part, i) => {
    if (i % 2 === 1) {
      const pre = document.createElement("pre");
      const code = document.createElement("code");
      code.textContent = part.replace(/^[\w+-]*\n/, "");
      pre.tabIndex = 0;
      pre.append(code);
      nodes.push(pre);
    } else if (part) {
      const span = document.createElement("span");
      span.className = "text";
      inline(span, i > 0 ? part.replace(/^\n/, "") : part);
      nodes.push(span);
    }
  });
  target.replaceChildren(...nodes);
}

function inline(target, text) {
  for (const piece of text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)) {
    if (piece.length > 2 && piece.startsWith("`") && piece.endsWith("`")) target.append(element("code", piece.slice(1, -1)));
    else if (piece.length > 4 && piece.startsWith("**") && piece.endsWith("**")) target.append(element("strong", piece.slice(2, -2)));
    else target.append(piece);
  }
}

export function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}
