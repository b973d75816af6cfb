import { sureOf } from './wholes';

const KNOWN = 1 << 31;
const LETTERS = 26;
const DIGIT = 1 << 26;
/** All other characters share the bits from here on. */
const OTHER = 27;

/**
 * Which characters terms have, a bit for each letter from a to z and less than one for others: whether one may be a part of
 * another is told by two numbers, and hardly ever needs their texts.
 */
export class LetterSets {
  readonly #textOf: (term: number) => string;
  readonly #all: Int32Array;
  readonly #sure: Int32Array;

  /** @param limit above every term */
  constructor(textOf: (term: number) => string, limit: number) {
    this.#textOf = textOf;
    this.#all = new Int32Array(limit);
    this.#sure = new Int32Array(limit);
  }

  /** False when `part` is surely not the last part of `whole`, nor its version with a letter. */
  mayEnd(part: number, whole: number): boolean {
    if (this.#all[whole] === 0) this.#read(whole);
    if (this.#sure[part] === 0) this.#read(part);
    return ((this.#sure[part] ?? 0) & ~(this.#all[whole] ?? 0)) === 0;
  }

  #read(term: number): void {
    const text = this.#textOf(term);
    this.#all[term] = charactersOf(text);
    this.#sure[term] = charactersOf(sureOf(text).replace(/^v/, ''));
  }
}

function charactersOf(text: string): number {
  let set = KNOWN;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const letter = code - 0x61;
    if (letter >= 0 && letter < LETTERS) set |= 1 << letter;
    else if (code >= 0x30 && code <= 0x39) set |= DIGIT;
    else set |= 1 << (OTHER + (code & 3));
  }
  return set;
}
