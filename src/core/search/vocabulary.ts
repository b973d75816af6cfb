/** What an index tells about its terms, which it knows by numbers; they mean the same until it changes. */
export interface Vocabulary {
  /** The number of a term that occurs in a document; 0 for any other. */
  number(term: string): number;
  text(number: number): string;
  /** In how many documents the term occurs. */
  documents(number: number): number;
  isStopWord(number: number): boolean;
  /** Terms that a word which occurs nowhere may have meant, in no promised order; `letters` is its length as typed. */
  near(term: string, letters: number): readonly number[];
  /** Terms that begin or end with a character and are longer, in no promised order. */
  around(character: string): readonly number[];
  /** True when the second term stands right behind the first one in a document, or both are so frequent that it is likely. */
  adjoin(first: number, second: number): boolean;
}
