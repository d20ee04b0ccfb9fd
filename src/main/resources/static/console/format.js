const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export const count = value => whole.format(value);
export const decimal = value => (value >= 100 ? whole : short).format(value);
export const percent = share => Number.isFinite(share) ? `${short.format(100 * share)} %` : "–";

export function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) { value /= 1024; unit++; }
  return `${decimal(value)} ${UNITS[unit]}`;
}

/** Fills a description list, keeping its elements so that a screen reader's place in it stays. */
export function figures(list, entries) {
  for (const [name, value] of Object.entries(entries)) {
    let field = list.querySelector(`dd[data-name="${name}"]`);
    if (!field) {
      const term = document.createElement("dt");
      term.textContent = name;
      field = document.createElement("dd");
      field.dataset.name = name;
      list.append(term, field);
    }
    if (field.textContent !== value) field.textContent = value;
  }
}
