/** Numbers for names that several documents share. 0 stands for no name. */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [''];
  /** By number, the number of documents with the name. */
  readonly #uses: number[] = [0];
  readonly #free: number[] = [];

  /** @param limit an upper bound (exclusive) of the numbers */
  constructor(private readonly limit: number) {}

  /** Returns the number of a name, or undefined if no document has it. */
  get(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** Returns the number of a name and counts one more document with it. */
  take(name: string | null): number {
    if (name === null) return 0;
    const number = this.#numbers.get(name) ?? this.#newNumber(name);
    this.#uses[number] = (this.#uses[number] ?? 0) + 1;
    return number;
  }

  /** Counts one document fewer with the name of this number. */
  release(number: number): void {
    if (number === 0) return;
    const uses = (this.#uses[number] ?? 0) - 1;
    this.#uses[number] = uses;
    if (uses > 0) return;
    this.#numbers.delete(this.#names[number] ?? '');
    this.#free.push(number);
  }

  #newNumber(name: string): number {
    const number = this.#free.pop() ?? this.#names.length;
    if (number >= this.limit)
      throw new RangeError(`Documents may have ${this.limit - 1} such names at most.`);
    this.#names[number] = name;
    this.#numbers.set(name, number);
    return number;
  }
}
