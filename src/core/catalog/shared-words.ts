import { inSlices, type Pacing, type Steps } from '../base/steps';
import type { Analyser } from '../fulltext/terms';
import type { Store } from '../ports/ports';
import type { Knowledge } from './knowledge';
import { SIMILAR_TEXT, type SimilarNote } from './note-search';
import { textsOf } from './prose';
import type { NoteRecord } from './record';

/** The most shared words that are named for a similar note. */
const MAX_SHARED = 5;
/** The part of a similar note that is searched for them (UTF-16 units). */
const REACH = 5 * SIMILAR_TEXT;
/** The length of text that one step reads (UTF-16 units). */
const PART = 8192;

/** A similar note, and words that both texts have, as the first one writes them: rarest first, at most five. */
export interface SharingNote extends Pick<SimilarNote, 'path' | 'title'> {
  readonly shared: readonly string[];
}

/**
 * Resolves with the words that a text and each of the notes similar to it have in common. Similar notes are found by the forms and parts of
 * words; named are words that stand in both as they are written, but for case. So a note may have none.
 */
export async function withSharedWords(
  brain: Pick<Store & Pacing & Knowledge, 'catalog' | 'vault' | 'prose' | 'pace' | 'log'>,
  texts: readonly string[],
  notes: readonly SimilarNote[],
): Promise<SharingNote[]> {
  if (notes.length === 0) return [];
  const { analyser } = brain.catalog.words;
  const wanted = new Set(notes.flatMap(({ terms }) => terms));
  const own = await inSlices(wordSteps(texts, wanted, analyser), brain.pace);
  const sharing: SharingNote[] = [];
  for (const { path, title, terms } of notes) {
    const record = brain.catalog.record(path);
    const theirs = record === undefined ? [] : await textsOfNote(brain, record);
    const words = await inSlices(wordSteps(theirs, new Set(terms), analyser), brain.pace);
    const shared = new Map<string, string>();
    for (const term of terms) {
      const both = [...(own.get(term) ?? [])].find(([word]) => words.get(term)?.has(word));
      if (both !== undefined) shared.set(...both);
    }
    sharing.push({ path, title, shared: [...shared.values()].slice(0, MAX_SHARED) });
  }
  return sharing;
}

async function textsOfNote(brain: Parameters<typeof textsOf>[0], note: NoteRecord): Promise<string[]> {
  const { title, aliases, headings, tags } = note;
  const texts = await textsOf(brain, note, REACH);
  return [title, ...aliases, ...headings, ...tags, ...(texts === null ? [] : [texts.shown, texts.prose])];
}

/** Returns, for each stem, the words with it in the texts: in lower case, and as the first of them is written. */
function* wordSteps(
  texts: readonly string[],
  stems: ReadonlySet<string>,
  analyser: Analyser,
): Steps<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  for (const text of texts) {
    for (let from = 0; from < text.length;) {
      // A part ends where a word does; one without any space is cut.
      const gap = from + PART < text.length ? text.slice(from, from + PART).search(/\s\S*$/) : -1;
      const part = text.slice(from, gap > 0 ? from + gap : from + PART);
      analyser.eachTerm(part, (stem, start, end) => {
        if (!stems.has(stem)) return;
        const word = part.slice(start, end);
        const words = found.get(stem) ?? new Map<string, string>();
        const key = word.normalize().toLowerCase();
        if (!words.has(key)) words.set(key, word);
        found.set(stem, words);
      });
      from += part.length;
      yield;
    }
  }
  return found;
}
