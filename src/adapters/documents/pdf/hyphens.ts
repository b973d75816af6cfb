/** Longer words are not looked at. */
const MAX_WORD = 80;

/**
 * Joins words that were parted at the end of a line. A document tells by itself how it writes a word: what stands elsewhere
 * in one piece is put together, what stands elsewhere with its hyphen keeps it.
 */
export class Hyphens {
  readonly #words = new Set<string>();

  /** @param lines all lines of the document */
  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const words = line.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
      // The last word of a line may be half of one.
      for (const word of words) this.#words.add(word);
    }
  }

  /** Two lines of one paragraph as one text. */
  join(line: string, next: string): string {
    if (line.endsWith('\u00ad')) return line.slice(0, -1) + next;
    // A paragraph grows with every line, and only its end is looked at.
    const end = line.slice(-MAX_WORD);
    const [, first] = /([\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*)[-\u2010]$/u.exec(end) ?? [];
    const [second] = /^[\p{L}\p{N}]+/u.exec(next.slice(0, MAX_WORD)) ?? [];
    if (first === undefined || second === undefined) return line + (isTight(line, next) ? '' : ' ') + next;
    const whole = `${first}${second}`.toLowerCase();
    const parted = `${first}-${second}`.toLowerCase();
    const isOne = this.#words.has(whole) || (!this.#words.has(parted) && isSyllables(first, second));
    return (isOne ? line.slice(0, -1) : line) + next;
  }
}

/** Small letters on both sides, as where a word was parted; a name or a number keeps its hyphen. */
function isSyllables(first: string, second: string): boolean {
  return !first.includes('-') && /\p{Ll}$/u.test(first) && /^\p{Ll}/u.test(second) && first.length > 1;
}

/** Chinese and Japanese have no spaces between words. */
function isTight(line: string, next: string): boolean {
  const script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/u;
  return script.test(line.slice(-1)) && script.test(next.slice(0, 1));
}
