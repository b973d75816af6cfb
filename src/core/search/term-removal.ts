import type { Dictionary } from './dictionary';
import type { Postings } from './postings';
import { eachTermOf, FIELD_END, type TermStream } from './term-stream';

/** Takes away what an older form of a document had and the new one has not. */
export class TermRemoval {
  /** By number of a term, 1 while a change keeps it or has removed it; all zero between changes. */
  #done = new Uint8Array(1024);

  constructor(
    private readonly dictionary: Dictionary,
    private readonly postings: Postings,
  ) {}

  /**
   * Takes a document out of the lists of its terms.
   * @param stream the older form, which is in the lists
   * @param kept terms of the new form, whose lists are left alone
   */
  remove(doc: number, stream: TermStream, kept: readonly number[]): void {
    if (this.#done.length < this.dictionary.limit) this.#done = new Uint8Array(this.dictionary.limit * 2);
    const done = this.#done;
    for (const id of kept) done[id] = 1;
    const gone: number[] = [];
    eachTermOf(stream, (id) => {
      if (done[id] !== 0 || id === FIELD_END) return;
      done[id] = 1;
      gone.push(id);
    });
    for (const id of gone) {
      this.postings.remove(id, doc);
      done[id] = 0;
    }
    for (const id of kept) done[id] = 0;
  }
}
