const SMALL = 1;
const CAPITAL = 2;
const OTHER = 3;

/** Case of each code point of the basic plane, filled in as they are met; 0 = not met yet. */
const cases = new Uint8Array(0x10000);

/**
 * The parts of a word that begin with a capital, and the whole: of `prixÉlevé` prix, Élevé, prixÉlevé; of `ÉTATCivil` ÉTAT,
 * Civil, ÉTATCivil; of a plain word itself alone.
 */
export function humpsOf(word: string): string[] {
  const humps: string[] = [];
  let begin = 0;
  let before = OTHER;
  for (let at = 0; at < word.length;) {
    const point = word.codePointAt(at) ?? 0;
    const next = at + (point > 0xffff ? 2 : 1);
    const own = caseOf(point);
    if (own === CAPITAL && (before === SMALL || (before === CAPITAL && isSmallAt(word, next)))) {
      humps.push(word.slice(begin, at));
      begin = at;
    }
    before = own;
    at = next;
  }
  return begin === 0 ? [word] : [...humps, word.slice(begin), word];
}

function isSmallAt(word: string, at: number): boolean {
  return caseOf(word.codePointAt(at) ?? 0) === SMALL;
}

/**
 * Asks for one character at a time: to make an expression ready that looks for both in a word takes longer than many
 * searches.
 */
function caseOf(point: number): number {
  if (point > 0xffff) return classify(point);
  const known = cases[point] ?? 0;
  return known === 0 ? (cases[point] = classify(point)) : known;
}

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (/\p{Lu}/u.test(character)) return CAPITAL;
  return /\p{Ll}/u.test(character) ? SMALL : OTHER;
}
