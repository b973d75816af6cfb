import { textIn } from './unit-text';

/** Paths as a file of the index has them: their letters one after the other. */
export class PathList {
  /** @param ends where each path ends in `units`, UTF-16 */
  constructor(
    private readonly ends: Uint32Array,
    private readonly units: Uint16Array,
  ) {}

  /** Number of paths. */
  get size(): number {
    return this.ends.length;
  }

  /** The paths from a place up to another. Made into one text first: a text of its own for each costs several times as much. */
  between(from: number, to: number): string[] {
    const begin = this.#begin(from);
    const text = textIn(this.units, begin, this.#begin(to) - begin);
    const paths: string[] = [];
    for (let place = from; place < to; place += 1)
      paths.push(text.slice(this.#begin(place) - begin, this.#begin(place + 1) - begin));
    return paths;
  }

  #begin(place: number): number {
    return place === 0 ? 0 : (this.ends[place - 1] ?? 0);
  }
}
