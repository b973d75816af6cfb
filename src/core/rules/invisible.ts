/**
 * Characters that take no room and turn the direction of text or hide in it, tag characters and variation selectors
 * beyond one included: what a reader does not see, a model still reads.
 */
export const INVISIBLE =
  /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f]{2,}|[\u{e0100}-\u{e01ef}]+/gu;

/** A joiner that belongs to the spelling: between two letters of a script that joins them, or inside an emoji. */
const SCRIPT =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}]$/u;

const EMOJI_PART = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;

const EMOJI = /^\p{Extended_Pictographic}$/u;

/** The tags of a flag such as that of Scotland. */
const FLAG_TAGS = /^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}$/u;

/** Two removals can bring together what only then is invisible; after so many rounds nothing is left of that. */
const ROUNDS = 4;

/**
 * A text that is no Markdown without the characters that `invisibleFindings` finds in prose: what shows a value of front
 * matter shows all of it. Joiners inside a word or an emoji stay.
 */
export function withoutInvisible(text: string): string {
  let rest = text;
  for (let round = 0; round < ROUNDS && rest.search(INVISIBLE) >= 0; round += 1) {
    rest = rest.replace(INVISIBLE, (run: string, index: number, all: string) =>
      belongs(run, pointBefore(all, index), pointAt(all, index + run.length)) ? run : '',
    );
  }
  return rest;
}

export function belongs(run: string, before: string, after: string): boolean {
  if (run === '\u200d' && EMOJI_PART.test(before) && EMOJI.test(after)) return true;
  if (run === '\u200c' || run === '\u200d') return SCRIPT.test(before) && SCRIPT.test(after);
  if (/^[\u{e0100}-\u{e01ef}]$/u.test(run)) return /^\p{Script=Han}$/u.test(before);
  return before === '\u{1f3f4}' && FLAG_TAGS.test(run);
}

export function pointBefore(text: string, at: number): string {
  return Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
}

export function pointAt(text: string, at: number): string {
  return Array.from(text.slice(at, at + 2))[0] ?? '';
}
