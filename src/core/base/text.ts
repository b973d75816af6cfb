/**
 * The inside of a character class, for expressions with the flag u or v: scripts in which a character says about as much as a
 * word elsewhere. But for Hangul, they are written without spaces between words.
 */
export const DENSE_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;

/** Longest excerpt in code points, `…` included. */
const MAX_EXCERPT = 240;
/** How far a cut may move to meet the end of a word; scripts without spaces are cut between characters. */
const WORD_REACH = 24;

/** The beginning of a note's prose, or its description when it has no prose. */
export function leadExcerpt(plain: string, description?: unknown): string {
  if (plain !== '') return cutExcerpt(plain, 0);
  return typeof description === 'string' ? cutExcerpt(description.replace(/\s+/g, ' ').trim(), 0) : '';
}

/**
 * At most `max` code points of a text on one line, from the word at offset `start` on, with `…` where something was cut.
 * @param start offset in UTF-16 units
 */
export function cutExcerpt(plain: string, start: number, max = MAX_EXCERPT): string {
  const from = wordStart(plain, start);
  const head = from > 0 ? '…' : '';
  // Twice as many units as points, and one more: enough to see whether anything is left.
  const points = Array.from(plain.slice(from, from + 2 * max + 1));
  const room = max - head.length;
  if (points.length <= room && from + points.join('').length === plain.length) return head + points.join('');
  const cut = points.slice(0, Math.max(0, room - 1)).join('');
  return `${head}${atWordEnd(cut, plain[from + cut.length] ?? ' ')}…`;
}

/** The beginning of the word that holds an offset; never in the middle of a character. */
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
 * The same text in memory of its own. An engine keeps what is cut out of a text as a view of it, so whoever keeps a title
 * keeps the whole note with it; nothing but memory depends on this.
 */
export function detachString<T extends string>(text: T): T {
  // V8 copies so short a cut by itself, and no view is made of less.
  if (text.length < SHORTEST_VIEW) return text;
  return ` ${text}`.slice(1) as T; // The very same text, which the compiler cannot see.
}

const SHORTEST_VIEW = 13;

/** Texts, lists and maps of them, all in memory of their own; maps have no prototype. Anything else is taken as it is. */
export function detachValue(value: unknown): unknown {
  if (typeof value === 'string') return detachString(value);
  if (Array.isArray(value)) return value.map(detachValue);
  if (typeof value === 'object' && value !== null) return ownMap(value);
  return value;
}

/** A map of values in memory of their own, without a prototype. */
export function ownMap(map: object): Record<string, unknown> {
  const own: Record<string, unknown> = { __proto__: null };
  for (const [key, value] of Object.entries(map)) own[key] = detachValue(value);
  return own;
}

/** Order of plain code units: the tie-breaker everywhere, the same on every machine and in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** At most `max` code points of a text, ending in `…` when something was cut. */
export function firstPoints(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text.slice(0, max * 2));
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

/** A character that can be seen: no white space, no control character, and nothing that takes no room of its own. */
const SEEN = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;

/** True when nothing of a text can be seen, as of zero-width spaces, a soft hyphen or a variation selector alone. */
export function isBlank(text: string): boolean {
  return !SEEN.test(text);
}

/** The text with another character, as long, in the place of each NUL: no note may hold one. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Letters that Unicode does not take apart into a base letter and an accent. */
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
 * A lower-case text with its Latin and Greek letters brought down to base letters. Marks of other scripts stay,
 * because there they make other letters: Cyrillic й is not и, and Indic vowels are marks.
 */
export function foldLatin(text: string): string {
  // All of ASCII stands for itself; most names are nothing else, and a vault has many.
  if (!/[\u0080-\uffff]/.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, '$1')
    .replace(/[ßæœøłđðþı]/g, (letter) => LATIN[letter] ?? letter)
    .normalize('NFC');
}

/** What is used of the decoder that every host has; the core knows no types of a host. */
declare const TextDecoder: new (
  label: 'utf-8',
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** The text of UTF-8 bytes, a BOM included. @throws TypeError when they are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The text of bytes that may be damaged: what is no UTF-8 in them becomes U+FFFD. */
export function damagedText(bytes: Uint8Array): string {
  return forgiving.decode(bytes);
}

const forgiving = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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
