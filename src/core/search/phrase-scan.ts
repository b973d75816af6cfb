import { listMarked } from './marked-units';
import type { PhraseTerm } from './quoted-phrases';
import type { StreamWholes } from './stream-wholes';
import { FIELD_END, LONG_TERM, termEnding, type TermStream, unitsOf } from './term-stream';

/** A phrase with more places between its words is not scanned for: the places of a shorter one are bits of a number. */
export const MAX_PLACES = 31;
/** A document is looked at in pieces of so many units, so that the lists of what is found have a fixed size. */
const PIECE = 4096;
const NOWHERE = -2;

/**
 * Looks for a phrase at the places alone where its words stand, which is all that nearly every document needs. Where a whole
 * (`GitHub` behind `git` and `hub`) may have a part in it, it does not say.
 */
export class PhraseScan {
  readonly #meant: ReadonlyMap<number, readonly PhraseTerm[]>;
  readonly #marks = new Uint8Array(1 << 16);
  readonly #places = new Uint32Array(PIECE + 1);
  readonly #fours = new Uint32Array(PIECE / 4 + 1);
  readonly #last: number;

  /**
   * @param meant by number of a term, what it may stand for
   * @param last the place that the last term of the phrase leads to, MAX_PLACES at most
   */
  constructor(meant: ReadonlyMap<number, readonly PhraseTerm[]>, last: number) {
    this.#meant = meant;
    this.#last = last;
    for (const term of meant.keys()) this.#marks[term % LONG_TERM] = 1;
  }

  /** True or false when a document holds the phrase or not, null when that takes a closer look. */
  scan(units: TermStream, wholes: Pick<StreamWholes, 'isWhole'>): boolean | null {
    // A bit for each place of the phrase that a way leads to which ends with the unit at `openEnd`.
    let open = 0;
    let openEnd = NOWHERE;
    for (let from = 0; from < units.length; from += PIECE) {
      const to = Math.min(units.length, from + PIECE);
      const hits = listMarked(this.#marks, units, from, to, this.#places, this.#fours);
      for (let hit = 0; hit < hits; hit += 1) {
        const at = this.#places[hit] ?? 0;
        const term = termEnding(units, at);
        const meant = this.#meant.get(term);
        if (meant === undefined) continue;
        const before = openEnd === at - unitsOf(term) ? open : 0;
        // A whole goes on from where its first part begins, and keeps open what its last one has.
        const matters = before !== 0 || (openEnd !== NOWHERE && meant.some((each) => each.from > 0));
        if (matters && wholes.isWhole(units, at)) return null;
        let now = 0;
        for (const { from: start, to: end } of meant) if (((1 | before) >>> start) & 1) now |= 1 << end;
        if ((now >>> this.#last) & 1) return true;
        if (now === 0) continue;
        [open, openEnd] = [now, at];
        const unit = units[at + 1] ?? FIELD_END;
        const end = unit < LONG_TERM ? at + 1 : at + 2;
        if (unit !== FIELD_END && !this.#meant.has(termEnding(units, end)) && wholes.isWhole(units, end))
          return null;
      }
    }
    return false;
  }
}
