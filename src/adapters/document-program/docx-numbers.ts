import { childAt, childrenOf, type XmlElement } from './xml';

/** One level of a numbering. */
interface Level {
  readonly format: string;
  /** The number as it is shown, with `%1` for that of the first level. */
  readonly text: string;
  readonly start: number;
}

/** A place in a numbering of a document. */
export interface NumberPlace {
  readonly id: string;
  /** From 0. */
  readonly level: number;
}

/** The numberings of a document (`numbering.xml`). They count as their paragraphs come. */
export class DocxNumbers {
  readonly #levels = new Map<string, ReadonlyMap<number, Level>>();
  /** The numbering that a number counts in: several may continue one. */
  readonly #counting = new Map<string, string>();
  readonly #starts = new Map<string, Map<number, number>>();
  readonly #counts = new Map<string, number[]>();

  constructor(numbering: XmlElement | undefined) {
    const kinds = new Map<string, ReadonlyMap<number, Level>>();
    const byStyle = new Map<string, string>();
    const linked = new Map<string, string>();
    for (const kind of childrenOf(numbering, 'w:abstractNum')) {
      const id = kind.attributes['w:abstractNumId'] ?? '';
      kinds.set(id, levelsOf(childrenOf(kind, 'w:lvl')));
      const [style, link] = [valueOf(kind, 'w:styleLink'), valueOf(kind, 'w:numStyleLink')];
      if (style !== undefined) byStyle.set(style, id);
      if (link !== undefined) linked.set(id, link);
    }
    for (const number of childrenOf(numbering, 'w:num')) {
      const id = number.attributes['w:numId'] ?? '';
      const own = valueOf(number, 'w:abstractNumId') ?? '';
      const kind = byStyle.get(linked.get(own) ?? '') ?? own;
      const overrides = childrenOf(number, 'w:lvlOverride');
      const changed = levelsOf(overrides.flatMap((one) => childrenOf(one, 'w:lvl')));
      this.#levels.set(id, new Map([...(kinds.get(kind) ?? []), ...changed]));
      this.#counting.set(id, kind);
      this.#starts.set(
        id,
        new Map(
          overrides.flatMap((one) => {
            const start = Number(valueOf(one, 'w:startOverride') ?? Number.NaN);
            return Number.isNaN(start) ? [] : [[Number(one.attributes['w:ilvl'] ?? 0), start] as const];
          }),
        ),
      );
    }
  }

  /** Counts a paragraph, and returns its number as it is shown; '' for a bullet, null for no item of a list. */
  next({ id, level }: NumberPlace): string | null {
    const levels = this.#levels.get(id);
    const here = levels?.get(level);
    if (levels === undefined || here === undefined) return null;
    const key = this.#counting.get(id) ?? '';
    const counts = this.#counts.get(key) ?? [];
    this.#counts.set(key, counts);
    // A number that begins anew does so once.
    const start = this.#starts.get(id)?.get(level);
    this.#starts.get(id)?.delete(level);
    counts[level] = start ?? (counts[level] === undefined ? here.start : counts[level] + 1);
    counts.length = level + 1;
    if (here.format === 'bullet') return '';
    if (here.format === 'none') return here.text.replace(/%\d/g, '').trim();
    return here.text
      .replace(/%([1-9])/g, (_, digit: string) => {
        const at = Number(digit) - 1;
        const { format = 'decimal', start: first = 1 } = levels.get(at) ?? {};
        return shownNumber(counts[at] ?? first, format);
      })
      .trim();
  }
}

function valueOf(element: XmlElement, name: string): string | undefined {
  return childAt(element, name)?.attributes['w:val'];
}

function levelsOf(levels: readonly XmlElement[]): ReadonlyMap<number, Level> {
  return new Map(
    levels.map((level) => [
      Number(level.attributes['w:ilvl'] ?? 0),
      {
        format: valueOf(level, 'w:numFmt') ?? 'decimal',
        text: valueOf(level, 'w:lvlText') ?? '',
        start: Number(valueOf(level, 'w:start') ?? 0) || 0,
      },
    ]),
  );
}

const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** Returns a number in the form that a format of Office names (`lowerLetter`, `upperRoman`, …); in digits for others. */
function shownNumber(value: number, format: string): string {
  if (/letter|^alpha/i.test(format) && value > 0) {
    const letter = String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.min(10, Math.ceil(value / 26)));
    return format.startsWith('upper') ? letter.toUpperCase() : letter;
  }
  if (/roman/i.test(format) && value > 0 && value < 4000) {
    let [rest, letters] = [value, ''];
    for (const [one, sign] of ROMAN) {
      letters += sign.repeat(Math.floor(rest / one));
      rest %= one;
    }
    return format.startsWith('upper') ? letters.toUpperCase() : letters;
  }
  return format === 'decimalZero' ? String(value).padStart(2, '0') : String(value);
}
