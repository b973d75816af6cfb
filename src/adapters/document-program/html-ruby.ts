/** The readings of a ruby and what shows them in parentheses. */
const READING = /^(?:RT|RTC|RP)$/;
/** The text behind a ruby in which the end of its word is looked for (UTF-16 units). */
const MAX_REST = 20;

/**
 * Moves the readings of ruby out of their words, in id: `子供（こども）`. Rubies side by side are one word, and the kana that end the
 * word go before its reading and into it: `食べる（たべる）`.
 */
export function moveReadings(body: HTMLElement): void {
  for (const ruby of Array.from(body.querySelectorAll('ruby'))) {
    // A ruby in or right behind another one went with it.
    if (!body.contains(ruby)) continue;
    const { base, readings } = takeApart(ruby);
    const after = ruby.nextSibling;
    const end = after?.nodeType === 3 ? endOfWord(base, after.nodeValue ?? '') : '';
    if (after !== null && end !== '') after.nodeValue = (after.nodeValue ?? '').slice(end.length);
    const written = ruby.ownerDocument.createTextNode(end + inParentheses(base, readings, end));
    ruby.parentNode?.replaceChild(written, ruby);
  }
}

/** Moves the words of a ruby, and of those right behind it, in front of it; returns their text, and the readings. */
function takeApart(first: Element): { base: string; readings: readonly string[] } {
  const readings: string[] = [];
  let base = '';
  for (let at: Node | null = first; at !== null && at.nodeName === 'RUBY';) {
    const next: Node | null = at.nextSibling;
    for (const child of Array.from(at.childNodes)) {
      const text = child.textContent ?? '';
      if (!READING.test(child.nodeName)) {
        // White space within a ruby lays out its source.
        if (child.nodeType !== 3 || text.trim() !== '') first.parentNode?.insertBefore(child, first);
        base += text.trim();
      } else if (child.nodeName !== 'RP' && text.trim() !== '') readings.push(text.trim());
    }
    if (at !== first) at.parentNode?.removeChild(at);
    at = next;
  }
  return { base, readings };
}

/** Returns the hiragana at the beginning of a text that end the word before it. */
function endOfWord(base: string, after: string): string {
  const [kana = ''] = /^\p{Script=Hiragana}+/u.exec(after.slice(0, MAX_REST)) ?? [];
  if (kana === '') return '';
  for (const { index, segment } of new Intl.Segmenter('ja', { granularity: 'word' }).segment(base + kana))
    if (index < base.length && index + segment.length > base.length)
      return kana.slice(0, index + segment.length - base.length);
  return '';
}

function inParentheses(base: string, readings: readonly string[], end: string): string {
  if (readings.length === 0) return '';
  const isSpaced = /\p{Script=Latin}/u.test(readings.join(''));
  const reading = readings.join(isSpaced ? ' ' : '') + end;
  return /[\u2e80-\uffdc]/.test(base) ? `（${reading}）` : ` (${reading})`;
}
