import { isStopWord } from './analyse';

/**
 * Small numbers for terms. A number is used again after its term was released, so a vocabulary never grows by
 * change alone.
 */
export class TermNumbers {
  readonly #numbers = new Map<string, number>();
  /** By number; 0 stands for no term. */
  readonly #terms: string[] = [''];
  readonly #stopWords: boolean[] = [false];
  readonly #free: number[] = [];

  /** The number of a term, or undefined when it has none. */
  get(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The number of a term, which gets one when it has none. */
  take(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#terms.length;
    this.#numbers.set(term, number);
    this.#terms[number] = term;
    this.#stopWords[number] = isStopWord(term);
    return number;
  }

  /** Forgets the term of a number that nothing refers to any more. */
  release(number: number): void {
    this.#numbers.delete(this.#terms[number] ?? '');
    this.#free.push(number);
  }

  isStopWord(number: number): boolean {
    return this.#stopWords[number] ?? false;
  }

  /** Every term that has a number, in no promised order. */
  terms(): Iterable<string> {
    return this.#numbers.keys();
  }
}
