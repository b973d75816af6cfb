import { compareText } from '../rules/text';

export interface Scored<T> {
  readonly item: T;
  readonly score: number;
}

/** Keeps the best of many: higher scores first, equal scores by path, so that the order is total. */
export class Best<S extends Scored<{ readonly path: string }>> {
  /** At most `limit` candidates, best first. */
  readonly ranked: S[] = [];

  constructor(private readonly limit: number) {}

  /** False when a score is too low to come in, whatever the path. */
  admits(score: number): boolean {
    const last = this.ranked[this.limit - 1];
    return last === undefined || score >= last.score;
  }

  add(candidate: S): void {
    let at = this.ranked.length;
    while (at > 0 && isBefore(candidate, this.ranked[at - 1])) at -= 1;
    this.ranked.splice(at, 0, candidate);
    if (this.ranked.length > this.limit) this.ranked.pop();
  }
}

function isBefore<S extends Scored<{ readonly path: string }>>(a: S, b: S | undefined): boolean {
  return b === undefined || (b.score - a.score || compareText(a.item.path, b.item.path)) < 0;
}
