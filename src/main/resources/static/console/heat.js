// The experts of every layer as a picture: a row for each layer, a column for each expert.

const RESIDENT = 0x80, LOADED = 0x40, HOTTEST = 0x3f;

export class HeatMap {
  constructor(canvas, cell, table) {
    this.canvas = canvas;
    this.cell = cell;
    this.table = table;
    this.layers = [];
    this.counts = [];
    this.picture = new Uint8Array();
    this.at = null;
    canvas.addEventListener("pointermove", event => this.point(event));
    canvas.addEventListener("pointerleave", () => this.name(null));
    canvas.addEventListener("blur", () => this.name(null));
    canvas.addEventListener("keydown", event => this.move(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  shape(layers, counts) {
    this.layers = layers;
    this.counts = counts;
    this.columns = Math.max(1, ...counts);
    this.bases = [];
    counts.reduce((base, count, row) => (this.bases[row] = base) + count, 0);
    const rows = Math.max(1, layers.length);
    // Square cells as far as a sensible height allows.
    this.canvas.style.aspectRatio = `${this.columns} / ${Math.max(rows, this.columns / 12)}`;
    this.canvas.style.maxHeight = "22rem";
    this.canvas.style.minHeight = `${Math.min(rows * 4, 320)}px`;
    this.draw();
  }

  show(base64) {
    const text = atob(base64);
    const picture = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) picture[i] = text.charCodeAt(i);
    this.picture = picture;
    this.draw();
    this.fill();
    if (this.at) this.name(this.at);
  }

  summary() {
    let resident = 0, hot = 0, loaded = 0;
    for (const value of this.picture) {
      if (value & RESIDENT) resident++;
      if (value & HOTTEST) hot++;
      if (value & LOADED) loaded++;
    }
    return { total: this.picture.length, resident, hot, loaded };
  }

  draw() {
    const { canvas, picture } = this;
    if (picture.length === 0 || canvas.clientWidth === 0) return;
    const scale = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const style = getComputedStyle(document.documentElement);
    const absent = style.getPropertyValue("--absent"), cold = style.getPropertyValue("--cold"), missed = style.getPropertyValue("--missed");
    const ground = style.getPropertyValue("--card");
    const context = canvas.getContext("2d");
    context.fillStyle = ground;
    context.fillRect(0, 0, width, height);
    const rows = this.layers.length, cellHeight = height / rows, cellWidth = width / this.columns;
    const gapX = cellWidth > 5 ? 1 : 0, gapY = cellHeight > 5 ? 1 : 0;
    for (let row = 0; row < rows; row++) {
      const top = Math.round(row * cellHeight), bottom = Math.round((row + 1) * cellHeight);
      for (let column = 0; column < this.counts[row]; column++) {
        const value = picture[this.bases[row] + column];
        const heat = (value & HOTTEST) / HOTTEST;
        const left = Math.round(column * cellWidth), right = Math.round((column + 1) * cellWidth);
        context.fillStyle = value & RESIDENT ? cold : absent;
        context.fillRect(left, top, right - left - gapX, bottom - top - gapY);
        if (heat > 0) {
          context.fillStyle = `rgba(232, 89, 12, ${0.2 + 0.8 * heat})`;
          // What was used and is gone again is a bar at the foot of its cell.
          const cover = value & RESIDENT ? 1 : 0.35;
          const from = bottom - gapY - Math.max(1, Math.round(cover * (bottom - top - gapY)));
          context.fillRect(left, from, right - left - gapX, bottom - gapY - from);
        }
        if (value & LOADED) {
          context.fillStyle = missed;
          const inset = Math.min(right - left, bottom - top) > 6 ? 2 : 0;
          context.fillRect(left + inset, top + inset, right - left - gapX - 2 * inset, bottom - top - gapY - 2 * inset);
        }
      }
    }
    if (this.at && document.activeElement === canvas) {
      context.strokeStyle = style.getPropertyValue("--ink");
      context.lineWidth = 2 * scale;
      context.strokeRect(this.at.column * cellWidth, this.at.row * cellHeight, cellWidth, cellHeight);
    }
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top) / box.height * this.layers.length);
    const column = Math.floor((event.clientX - box.left) / box.width * this.columns);
    this.name(row >= 0 && row < this.layers.length && column >= 0 && column < this.counts[row] ? { row, column } : null);
  }

  move(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || this.layers.length === 0) return;
    event.preventDefault();
    const from = this.at ?? { row: 0, column: -step[1] };
    const row = Math.min(this.layers.length - 1, Math.max(0, from.row + step[0]));
    const column = Math.min(this.counts[row] - 1, Math.max(0, from.column + step[1]));
    this.name({ row, column });
    this.draw();
  }

  name(at) {
    this.at = at;
    if (!at) { this.cell.textContent = ""; return; }
    const value = this.picture[this.bases[at.row] + at.column] ?? 0;
    const heat = Math.round(100 * (value & HOTTEST) / HOTTEST);
    const text = `Layer ${this.layers[at.row]}, expert ${at.column}: ${value & RESIDENT ? "in memory" : "not in memory"}, `
      + `${heat === 0 ? "not used lately" : `heat ${heat} of 100`}${value & LOADED ? ", just read" : ""}`;
    if (this.cell.textContent !== text) this.cell.textContent = text;
  }

  fill() {
    // The table costs a reflow: only while it is open.
    if (!this.table.closest("details").open) return;
    const body = this.table.tBodies[0];
    while (body.rows.length < this.layers.length) {
      const row = body.insertRow();
      for (let i = 0; i < 5; i++) row.insertCell();
    }
    this.layers.forEach((layer, index) => {
      let resident = 0, used = 0, loaded = 0;
      for (let i = this.bases[index]; i < this.bases[index] + this.counts[index]; i++) {
        const value = this.picture[i];
        if (value & RESIDENT) resident++;
        if (value & HOTTEST) used++;
        if (value & LOADED) loaded++;
      }
      [layer, this.counts[index], resident, used, loaded].forEach((value, cell) => { body.rows[index].cells[cell].textContent = value; });
    });
  }
}
