import { generatedDocuments } from './corpus-generator';
import { markdownDocuments, recombined } from './corpus-markdown';

/** A document as every engine of a bench gets it: the same fields for all. */
export interface BenchDocument {
  readonly path: string;
  readonly title: string;
  /** Headings below the title, one a line. */
  readonly headings: string;
  /** The whole body, headings included, without front matter. */
  readonly text: string;
}

/** Which documents: of a folder of Markdown, or made by the seeded generator when there is none. */
export interface CorpusChoice {
  readonly folder?: string;
  readonly seed: number;
}

/**
 * So many documents, the same in every process that asks with the same choice. When a folder holds fewer, the others are
 * recombined from its paragraphs.
 */
export function* documentsOf({ folder, seed }: CorpusChoice, count: number): Iterable<BenchDocument> {
  if (folder === undefined) {
    yield* generatedDocuments(seed, count);
    return;
  }
  const real = markdownDocuments(folder, seed);
  yield* real.slice(0, count);
  if (count > real.length) yield* recombined(real, seed, count - real.length);
}

/** What a reader of the figures must know of the documents. */
export function sayCorpus({ folder, seed }: CorpusChoice): string {
  return folder === undefined
    ? `made by the bench's generator, seed ${seed}: Zipf's law, words that cluster in documents, one document in five not in Latin script`
    : `the Markdown files below ${folder} in an order of seed ${seed}; beyond their number, documents recombined from their paragraphs (which adds no new words)`;
}

/** The same text in memory of its own: not a slice of a larger one, nor the unjoined parts of one. */
export function flat(text: string): string {
  return Buffer.from(text).toString();
}
