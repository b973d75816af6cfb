import { finish, keepBest, type Steps } from './steps';

/**
 * The inside of a character class, for expressions with the flag u or v: scripts in which one character means about as much as
 * a word in others. All but Hangul are written without spaces between words.
 */
export const DENSE_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;

/** The longest excerpt, `…` included (code points). */
const MAX_EXCERPT = 240;
/** The distance that a cut may move to reach a word's end (UTF-16 units); scripts without spaces are cut anywhere. */
const WORD_REACH = 24;

/** Returns an excerpt from the beginning of a note's prose, or of its description when it has no prose. */
export function leadExcerpt(plain: string, description?: unknown): string {
  if (plain !== '') return cutExcerpt(plain, 0);
  return typeof description === 'string' ? cutExcerpt(description.replace(/\s+/g, ' ').trim(), 0) : '';
}

/**
 * Returns at most `max` code points of a text on one line, from the word at offset `start` on, with `…` where text was cut.
 * @param start offset (UTF-16 units)
 */
export function cutExcerpt(plain: string, start: number, max = MAX_EXCERPT): string {
  const from = wordStart(plain, start);
  const head = from > 0 ? '…' : '';
  // A code point has at most two units; one more unit shows whether text is left.
  const near = plain.slice(from, from + 2 * max + 1);
  const room = max - head.length;
  if (pointsEnd(near, room) === plain.length - from) return head + near;
  const cut = near.slice(0, pointsEnd(near, room - 1));
  return `${head}${atWordEnd(cut, plain[from + cut.length] ?? ' ')}…`;
}

/** Returns the offset behind the first code points of a text, or behind all when it has fewer (UTF-16 units). */
function pointsEnd(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left -= 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** Returns the offset where the word at `at` begins; never the middle of a surrogate pair. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const near = Math.min(at, text.length);
  const floor = Math.max(0, near - WORD_REACH);
  for (let start = near; start >= floor; start -= 1) {
    if (start === 0) return 0;
    if (/\s/.test(text[start - 1] ?? '')) return start;
  }
  const unit = text.charCodeAt(near);
  return unit >= 0xdc00 && unit <= 0xdfff ? near - 1 : near;
}

function atWordEnd(text: string, next: string): string {
  if (/\s/.test(next)) return text.trimEnd();
  const space = text.lastIndexOf(' ');
  return space > 0 && text.length - space <= WORD_REACH ? text.slice(0, space).trimEnd() : text;
}

/**
 * Copies a string so that it does not keep its source in memory. V8 stores a substring as a view of the whole string, so a
 * stored title would keep its note. Only the use of memory depends on this.
 */
export function detachString<T extends string>(text: T): T {
  // V8 copies shorter substrings itself.
  if (text.length < SHORTEST_VIEW) return text;
  return ` ${text}`.slice(1) as T; // The text is equal; the compiler cannot know that.
}

const SHORTEST_VIEW = 13;

/** Copies a string, list or object with `detachString` in all its strings; objects get no prototype. Other values stay. */
export function detachValue(value: unknown): unknown {
  if (typeof value === 'string') return detachString(value);
  if (Array.isArray(value)) return value.map(detachValue);
  if (typeof value === 'object' && value !== null) return detachMap(value);
  return value;
}

/** Copies an object with `detachValue` for each of its values. The copy has no prototype. */
export function detachMap(map: object): Record<string, unknown> {
  const own: Record<string, unknown> = { __proto__: null };
  for (const [key, value] of Object.entries(map)) own[key] = detachValue(value);
  return own;
}

/** Compares by UTF-16 code units: the tie-breaker of all sorting, equal on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns at most `max` code points of a text, ending in `…` when text was cut. */
export function firstPoints(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text.slice(0, max * 2));
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

/** A visible character: no white space, no control character, and none that has no width. */
const SEEN = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;

/** Returns true when a text has no visible character, such as one of zero-width spaces or variation selectors. */
export function isBlank(text: string): boolean {
  return !SEEN.test(text);
}

/** Replaces each NUL, which no note may hold, by U+FFFD. The length in UTF-16 units stays. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Letters that Unicode does not decompose, and their base letters. */
const LATIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/**
 * Replaces the Latin and Greek letters of a lower-case text by their base letters. Marks of other scripts stay, because they
 * make other letters there: Cyrillic й is not и, and Indic vowels are marks.
 */
export function foldLatin(text: string): string {
  // ASCII folds to itself. A vault has many names, and most are ASCII.
  if (!/[\u0080-\uffff]/.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, '$1')
    .replace(/[ßæœøłđðþı]/g, (letter) => LATIN[letter] ?? letter)
    .normalize('NFC');
}

/** The part of `TextDecoder` that is used here. Every host has it; the core compiles without a host's types. */
declare const TextDecoder: new (
  label: 'utf-8',
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** Decodes UTF-8 and keeps a BOM. @throws TypeError when the bytes are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Decodes UTF-8, keeps a BOM, and replaces invalid bytes by U+FFFD. */
export function damagedText(bytes: Uint8Array): string {
  return forgiving.decode(bytes);
}

const forgiving = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Characters without width that change the direction of text or hide in it, tag characters and runs of variation selectors
 * included. A person does not see them, but a model reads them.
 */
export const INVISIBLE =
  /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f]{2,}|[\u{e0100}-\u{e01ef}]+/gu;

/** A letter of a script whose spelling uses joiners. */
const SCRIPT =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}]$/u;

const EMOJI_PART = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;

const EMOJI = /^\p{Extended_Pictographic}$/u;

/** The tag characters of a regional flag, such as that of Scotland. */
const FLAG_TAGS = /^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}$/u;

/** The rounds of removal: a removal can bring characters together that are invisible only then. */
const ROUNDS = 4;

/**
 * Removes the invisible characters of a plain text, such as a value of front matter. Joiners that belong to the spelling of a
 * word or an emoji stay. It removes from plain text what `invisibleFindingSteps` of the gate finds in Markdown.
 */
export function withoutInvisible(text: string): string {
  let rest = text;
  for (let round = 0; round < ROUNDS && rest.search(INVISIBLE) >= 0; round += 1) {
    rest = rest.replace(INVISIBLE, (run: string, index: number, all: string) =>
      belongsToSpelling(run, codePointBefore(all, index), codePointAt(all, index + run.length)) ? run : '',
    );
  }
  return rest;
}

/** Returns true when a run of `INVISIBLE` belongs to the spelling: a joiner in a word or an emoji, a variant, a flag. */
export function belongsToSpelling(run: string, before: string, after: string): boolean {
  if (run === '\u200d' && EMOJI_PART.test(before) && EMOJI.test(after)) return true;
  if (run === '\u200c' || run === '\u200d') return SCRIPT.test(before) && SCRIPT.test(after);
  if (/^[\u{e0100}-\u{e01ef}]$/u.test(run)) return /^\p{Script=Han}$/u.test(before);
  return before === '\u{1f3f4}' && FLAG_TAGS.test(run);
}

/** Returns the code point that ends at an offset, or ''. */
export function codePointBefore(text: string, at: number): string {
  return Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
}

/** Returns the code point that begins at an offset, or ''. */
export function codePointAt(text: string, at: number): string {
  return Array.from(text.slice(at, at + 2))[0] ?? '';
}

/** Returns how many of the pairs of letters of two names are in both, from 0 to 1 (Dice's coefficient). */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const pairs = one.length + other.length - 2;
  if (pairs <= 0) return 0;
  let shared = 0;
  for (let at = 0; at + 2 <= one.length; at += 1) if (other.includes(one.slice(at, at + 2))) shared += 1;
  return Math.min(1, (2 * shared) / pairs);
}

/** The number of names that a sentence lists. */
const MAX_NAMES = 8;

/** The number of names that are compared in one step. */
export const NAMES_PER_STEP = 256;

/** Returns the names most like a name, for a sentence, at most 8: "homelab, household", or with " …" when there are more. */
export function listNearest(names: readonly string[], to: string): string {
  return finish(listNearestSteps(names, to));
}

/** Does the work of `listNearest` in steps, for many names. */
export function* listNearestSteps(names: readonly string[], to: string): Steps<string> {
  const wanted = to.toLowerCase();
  const best: Scored[] = [];
  for (const [at, name] of names.entries()) {
    if (at % NAMES_PER_STEP === 0) yield;
    keepBest(best, { name, score: likeness(wanted, name.toLowerCase()) }, MAX_NAMES, bestFirst);
  }
  const shown = best.map(({ name }) => name).join(', ');
  return names.length > MAX_NAMES ? `${shown} …` : shown;
}

interface Scored {
  readonly name: string;
  readonly score: number;
}

function bestFirst(a: Scored, b: Scored): number {
  return b.score - a.score || compareText(a.name, b.name);
}

const DENSE = new RegExp(`[${DENSE_SCRIPTS}]`, 'gu');
/** The UTF-16 units of a token, but for scripts without spaces, where each character is one. */
const UNITS_PER_TOKEN = 4;

/**
 * Estimates the tokens of a text: one for each four UTF-16 units, and one for each character of Chinese, Japanese, Korean, Thai and other
 * scripts without spaces.
 */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / UNITS_PER_TOKEN);
}

/** A token of a language model, about: a part of a word, a group of digits, a run of signs, a character of another script. */
const TOKEN = /[a-z]{1,8}|\d{1,3}|[^\x20-\x7e]|[!-/:-@[-`{-~]{1,4}/gi;

/** Returns the tokens of a text, about: closer than `estimateTokens` where it holds many signs and digits, as paths and JSON do. */
export function tokensAbout(text: string): number {
  return text.match(TOKEN)?.length ?? 0;
}

/** The end of a sentence, with the quotes and brackets after it. */
const SENTENCE_END = /[.!?…]+["'”’)\]]*(?=\s)|[。！？][”’」』）]*/g;
/** What ends with a point within a sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|Dr|Mr|Mrs|Ms|St|Prof|Nr|No|vs|etc|ca|bzw|vgl|usw|e\.g|i\.e|z\.B|u\.a|d\.h)\.$/u;

/** Returns the ends of the sentences of a text, the last of which may lack its sign. */
export function sentenceEnds(text: string): number[] {
  const ends = Array.from(text.matchAll(SENTENCE_END), ({ 0: sign, index }) => index + sign.length);
  return ends.filter((end) => !ABBREVIATION.test(text.slice(Math.max(0, end - 8), end)));
}
