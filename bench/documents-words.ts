/** Shares of what two texts have in common, each between 0 and 1. */
export interface Agreement {
  /** The share of the read text that is also in the expected one. */
  readonly precision: number;
  /** The share of the expected text that was read. */
  readonly recall: number;
}

/**
 * Returns the words of a text: runs of letters, marks and digits after NFKC, in lower case. Each character of Chinese and
 * Japanese is one, as they have no blanks and a line may end between any two.
 */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}])+/gu,
      ) ?? []
  );
}

/** Returns each pair of neighbouring words, joined by a blank. */
export function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

/** Compares two lists as multisets: an item counts as often as it occurs in both. An empty list agrees fully. */
export function agreement(read: readonly string[], expected: readonly string[]): Agreement {
  const rest = new Map<string, number>();
  for (const item of expected) rest.set(item, (rest.get(item) ?? 0) + 1);
  let common = 0;
  for (const item of read) {
    const left = rest.get(item) ?? 0;
    if (left > 0) common += 1;
    rest.set(item, left - 1);
  }
  return {
    precision: read.length === 0 ? 1 : common / read.length,
    recall: expected.length === 0 ? 1 : common / expected.length,
  };
}

/** The harmonic mean of precision and recall. */
export function fScore({ precision, recall }: Agreement): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Code, which stays as it is: blocks between fences and code in a line. */
const CODE =
  /^[ \t>]*(`{3,}|~{3,})[^\n]*\n[^]*?^[ \t>]*\1[ \t]*$|(?<![`\\])(`+)(?!`)(?:[^`\n]|\n(?!\n)|(?!\2(?!`))`+)+?\2(?!`)/gm;

/**
 * Reduces Markdown to its words: links and pictures to their text, addresses and code as they are, without escapes and tags of
 * HTML.
 * @param hasTargets whether the targets of links are words too
 */
export function textOfMarkdown(markdown: string, hasTargets = false): string {
  const shown = hasTargets ? '$1 $2' : '$1';
  let text = '';
  let at = 0;
  for (const { index, 0: code } of markdown.matchAll(CODE)) {
    text += textOfProse(markdown.slice(at, index), shown) + code;
    at = index + code.length;
  }
  return text + textOfProse(markdown.slice(at), shown);
}

function textOfProse(markdown: string, link: string): string {
  return markdown
    .replace(
      /!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(((?:<[^>]*>|[^()\s]|\([^()]*\))*)(?:\s+"[^"]*")?\)/g,
      link,
    )
    .replace(/(?<!\\)<(?!(?:https?|mailto):)\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '');
}
