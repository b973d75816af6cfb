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
