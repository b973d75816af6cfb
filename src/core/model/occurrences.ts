/** As many units of what is looked for are found at once before the rest of it is compared. */
const LEAD = 8;

/** Where a text stands in another one, in order; places may overlap. In linear time, however much both repeat themselves. */
export function* occurrences(text: string, wanted: string): Iterable<number> {
  const borders = bordersOf(wanted);
  const lead = wanted.slice(0, LEAD);
  let held = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (held === 0) at = text.indexOf(lead, at);
    if (at < 0) return;
    const unit = text.charCodeAt(at);
    while (held > 0 && unit !== wanted.charCodeAt(held)) held = borders[held - 1] ?? 0;
    if (unit === wanted.charCodeAt(held)) held += 1;
    if (held < wanted.length) continue;
    yield at + 1 - held;
    held = borders[held - 1] ?? 0;
  }
}

/** For each beginning of a text, how long the longest shorter beginning is that it ends in. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let held = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (held > 0 && text.charCodeAt(at) !== text.charCodeAt(held)) held = borders[held - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(held)) held += 1;
    borders[at] = held;
  }
  return borders;
}
