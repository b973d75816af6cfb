/** A longer word is taken for no whole: it is found where it stands as it was typed. In UTF-16 units. */
const MAX_LETTERS = 64;
/** A whole reaches back over so many terms at most. */
export const MAX_REACH = 48;
/** What stemming may take away at the end of an English word of three letters or more: `gener|alization`. In UTF-16 units. */
const MAX_ENDING = 9;
const STEMMED = 3;

const JOINTS = /[^\p{L}\p{M}\p{N}]+/gu;
const LETTER = /\p{L}/u;

/** The text of the term at a place; empty before the beginning of a field. */
export type TextAt = (place: number) => string;

/**
 * Tells which terms of a text hold together those before them. A text has an identifier as its parts and then the whole
 * (`git`, `hub`, `github`; `well`, `known`, `wellknown`), and a version also without its letter (`v1`, `2`, `v1.2`, `1.2`);
 * nothing but the words themselves says so, and `in to into` says it by accident.
 */
export class Wholes {
  /** Of words, their letters without what joins the parts; empty for what cannot be a whole. */
  readonly #letters = new Map<string, string>();

  /** Where the parts of the whole at `at` begin, less than 2 × MAX_REACH before it; -1 when that is none. */
  startOf(at: number, textAt: TextAt): number {
    const before = textAt(at - 1);
    const isVersion = before !== '' && before === `v${textAt(at)}`;
    return this.#start(isVersion ? at - 1 : at, textAt, true);
  }

  /** @param mayNest whether a part may be a whole itself, behind its own parts */
  #start(at: number, textAt: TextAt, mayNest: boolean): number {
    const letters = this.#lettersOf(textAt(at));
    if (letters === '') return -1;
    // Where in the whole the parts that were gone through may begin.
    let begins: readonly number[] = [letters.length];
    for (let place = at - 1, parts = 1; at - place <= MAX_REACH; place -= 1, parts += 1) {
      begins = beginsOf(textAt(place), letters, begins, parts === 1);
      if (begins.length === 0) return -1;
      // A word with joints may have parts that are held together by capitals.
      const inner = mayNest ? this.#start(place, textAt, false) : -1;
      if (inner >= 0) place = inner;
      if (parts > 1 && begins.includes(0)) return place;
    }
    return -1;
  }

  #lettersOf(word: string): string {
    const known = this.#letters.get(word);
    if (known !== undefined) return known;
    const bare = word.replace(JOINTS, '');
    // Of numbers the joints are kept: without any, several of them are no whole.
    const canBe = bare.length > 1 && bare.length <= MAX_LETTERS && (bare !== word || LETTER.test(word));
    const letters = canBe ? bare : '';
    this.#letters.set(word, letters);
    return letters;
  }
}

/**
 * Where a part may begin that ends at one of `ends`; none when it fits nowhere. Its own ending may be missing, or be another
 * letter, and at the end of a whole the whole may lack some letters of it.
 */
function beginsOf(part: string, letters: string, ends: readonly number[], isLast: boolean): number[] {
  if (part === '') return [];
  const sure = sureOf(part);
  const isStem = sure.length < part.length;
  const found: number[] = [];
  for (const end of ends) {
    const latest = end - (isLast ? sure.length : part.length);
    const earliest = end - part.length - (isStem ? MAX_ENDING : 0);
    for (let at = latest; at >= earliest && at >= 0; at -= 1)
      if (letters.startsWith(sure, at) && !found.includes(at)) found.push(at);
  }
  return found;
}

/** What of a part must stand in the whole: its last letter may be another there (`generaliz`, `generalis`). */
export function sureOf(part: string): string {
  return part.slice(0, sureLength(part.length, part.charCodeAt(part.length - 1)));
}

/** How many units that are, of a part of so many with this last one. */
export function sureLength(length: number, last: number): number {
  return length >= STEMMED && last >= 0x61 && last <= 0x7a ? length - 1 : length;
}
