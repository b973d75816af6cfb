/** Letters and marks of scripts that are written from right to left, with their presentation forms; no numbers. */
const RTL = /[\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const ARABIC = /[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/u;
/**
 * A number with the marks that belong to it (1,000.50, 10:30, 2024-01-02), or any other character. Beside Arabic letters a
 * hyphen belongs to none (UAX 9, W2 and W4).
 */
const TOKENS = /[#$€£]?\p{Nd}+(?:[.,:/\-\u066b\u066c]\p{Nd}+)*[%°\u066a]?|[^]/gu;
const ARABIC_TOKENS = /[#$€£]?\p{Nd}+(?:[.,:/\u066b\u066c]\p{Nd}+)*[%°\u066a]?|[^]/gu;

const MIRRORED: Readonly<Record<string, string>> = {
  ...{ '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{' },
  ...{ '<': '>', '>': '<', '«': '»', '»': '«', '‹': '›', '›': '‹' },
};

/** Returns true when the text has letters that are written from right to left. */
export function isRightToLeft(text: string): boolean {
  return RTL.test(text);
}

/** Returns true when more than this share of the letters is written from right to left. */
export function isMostlyRightToLeft(text: string, share = 0.5): boolean {
  let [own, all] = [0, 0];
  for (const [letter] of text.matchAll(/\p{L}/gu)) {
    all += 1;
    if (RTL.test(letter)) own += 1;
  }
  return own > share * all;
}

/** The share of letters from right to left that makes a line one of them, on a page that has mostly such letters. */
export const SHARE_ON_PAGE = 0.35;

/**
 * Puts a line, whose characters are in the order of their places from left to right, into the order of reading. Words from
 * left to right and numbers keep their inner order, and brackets are turned. It is its own inverse for most lines.
 * @param isRtl the direction of the line, which its page says best
 */
export function readingOrder(line: string, isRtl = isMostlyRightToLeft(line)): string {
  if (!RTL.test(line)) return line;
  const tokens = [...line.matchAll(ARABIC.test(line) ? ARABIC_TOKENS : TOKENS)].map(([text]) => text);
  const runs = runsOf(tokens, directionsOf(tokens, isRtl));
  if (isRtl) runs.reverse();
  const joined = (mirror: boolean) =>
    runs.map(({ isRtl: turned, tokens: own }) => (turned ? reversed(own, mirror) : own.join(''))).join('');
  const [mirrored, plain] = [joined(true), joined(false)];
  return unbalanced(plain) < unbalanced(mirrored) ? plain : mirrored;
}

/** Says for each token whether it belongs to text from right to left. */
function directionsOf(tokens: readonly string[], isRtl: boolean): boolean[] {
  // A number goes with the word before it, and otherwise with the text around it.
  let last: 'L' | 'R' | null = null;
  const strong = tokens.map((token): 'L' | 'R' | null => {
    if (RTL.test(token)) return (last = 'R');
    if (/\p{L}/u.test(token)) return (last = 'L');
    return /\p{Nd}/u.test(token) ? (last ?? 'R') : null;
  });
  const directions: boolean[] = [];
  let from = 0;
  for (let at = 0; at <= strong.length; at += 1) {
    if (at < strong.length && strong[at] === null) continue;
    // Marks and spaces between two words of one direction share it.
    const [before, after] = [strong[from - 1], strong[at]];
    const between = before === after && before !== undefined ? before === 'R' : isRtl;
    while (from < at) directions[from++] = between;
    if (at < strong.length) directions[from++] = after === 'R';
  }
  return directions;
}

function runsOf(
  tokens: readonly string[],
  directions: readonly boolean[],
): { isRtl: boolean; tokens: string[] }[] {
  const runs: { isRtl: boolean; tokens: string[] }[] = [];
  for (const [at, token] of tokens.entries()) {
    const isRtl = directions[at] === true;
    const last = runs.at(-1);
    if (last?.isRtl === isRtl) last.tokens.push(token);
    else runs.push({ isRtl, tokens: [token] });
  }
  return runs;
}

function reversed(tokens: readonly string[], mirror: boolean): string {
  const turned = (own: readonly string[]) =>
    [...own]
      .reverse()
      .map((token) => (mirror ? (MIRRORED[token] ?? token) : token))
      .join('');
  const text = turned(tokens);
  if (!/(?<![\p{L}\p{M}])\p{M}/u.test(text)) return text;
  // The marks of this font follow their letters.
  return turned([...tokens.join('').matchAll(/(?:\p{Nd}+|[^])\p{M}*/gu)].map(([cluster]) => cluster));
}

function unbalanced(text: string): number {
  let [open, faults] = [0, 0];
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    if (/[([{]/.test(bracket)) open += 1;
    else if (open > 0) open -= 1;
    else faults += 1;
  }
  return faults + open;
}

/** Letters that have this shape only at the end of a word. */
const FINALS = /^[ךםןףץةى]|[ךםןףץةى]$/gu;

/**
 * Returns true when words from right to left are in the order of reading already, as some programs write them below a
 * scanned picture: letters of the end of a word are at the end.
 */
export function isInReadingOrder(texts: readonly string[]): boolean {
  let balance = 0;
  for (const text of texts) {
    if (!RTL.test(text)) continue;
    for (const [word] of text.replace(/\p{M}/gu, '').matchAll(/\p{L}{2,}/gu))
      for (const { index } of word.matchAll(FINALS)) balance += index === 0 ? -1 : 1;
  }
  return balance > 0;
}
