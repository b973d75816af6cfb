import { Dictionary } from '../../../src/core/fulltext/dictionary';
import { FIELD_END, LONG_TERM, TermPacker, unpackTerms } from '../../../src/core/fulltext/streams';
import { unitsOf } from '../../../src/core/fulltext/words';

export { type Dictionary, FIELD_END, LONG_TERM, unpackTerms };

/** A dictionary that holds these terms, numbered in their order from 1. */
export function dictionaryOf(terms: readonly string[] = []): Dictionary {
  const dictionary = new Dictionary();
  for (const term of terms) dictionary.intern(unitsOf(term));
  return dictionary;
}

/** Terms as the index keeps those of a document. */
export function streamOf(terms: readonly number[]): Uint16Array {
  const packer = new TermPacker();
  for (const term of terms) packer.add(term);
  return packer.take();
}
