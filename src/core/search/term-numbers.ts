import { isStopWord } from './analyse';

/**
 * Small numbers for terms. A term keeps its number until it is released, also while no document holds it; a number is used
 * again after that, so a vocabulary never grows by change alone.
 */
export class TermNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  /** 0 stands for no term. */
  #limit = 1;
  /** By number, 1 for a stop word. */
  #stopWords = new Uint8Array(1024);

  /** Number of terms that have a number. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Every number given so far is below this. */
  get limit(): number {
    return this.#limit;
  }

  /** The number of a term, or undefined when it has none. */
  get(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The number of a term, which gets one when it has none. */
  take(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#limit++;
    // A slice keeps the whole note it was cut from in memory; a joined copy does not.
    this.#numbers.set(Array.from(term).join(''), number);
    if (number >= this.#stopWords.length) {
      const larger = new Uint8Array(this.#stopWords.length * 2);
      larger.set(this.#stopWords);
      this.#stopWords = larger;
    }
    this.#stopWords[number] = isStopWord(term) ? 1 : 0;
    return number;
  }

  /** Forgets a term. Nothing may refer to its number any more. */
  release(term: string): void {
    const number = this.#numbers.get(term);
    if (number === undefined) return;
    this.#numbers.delete(term);
    this.#free.push(number);
  }

  isStopWord(number: number): boolean {
    return this.#stopWords[number] === 1;
  }

  /** Every term with its number, in no promised order. */
  entries(): Iterable<[string, number]> {
    return this.#numbers.entries();
  }
}
