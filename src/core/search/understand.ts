import { inSlices, type Steps } from '../base/steps';
import type { NoteRecord } from '../catalog/record';
import { titleKey } from '../links/resolve';
import type { Brain } from '../operation/context';
import type { VaultPath } from '../vocabulary/paths';
import { asksReviewed, filterTest, keysIn, type ParsedQuery, parseQuery } from './operators';
import { namedNotes, type Retrieval } from './retrieve';

/** The number of notes whose properties are looked at in one step. */
const NOTES_PER_STEP = 512;

/** A query with operators, and the test that notes must pass. */
interface Understood {
  readonly parsed: ParsedQuery;
  /** What is searched for. */
  readonly asked: Pick<Retrieval, 'query' | 'passes' | 'reviewed'>;
}

/** Reads the operators of a query; returns null for a query without any, and for one that is the name of a note. */
export async function understand(brain: Brain, query: string): Promise<Understood | null> {
  const keys = new Set(keysIn(query));
  if (parseQuery(query, keys) === null || (await namedNotes(brain, query)).length > 0) return null;
  const properties = keys.size === 0 ? keys : await inSlices(propertySteps(brain, keys), brain.pace);
  const parsed = parseQuery(query, properties);
  if (parsed === null) return null;
  const excluded = new Set<string>();
  for (const word of parsed.without) {
    const holders = await inSlices(brain.catalog.words.phraseHolders(`"${word}"`, true), brain.pace);
    for (const path of holders ?? []) excluded.add(path);
  }
  const test = filterTest(parsed.filters);
  const passes = (note: NoteRecord): boolean => test(note) && !excluded.has(note.path);
  const reviewed = asksReviewed(parsed) && { reviewed: true };
  return { parsed, asked: { query: parsed.words, passes, ...reviewed } };
}

/** Returns which of the folded keys are properties of notes that the caller may see. */
function* propertySteps(
  { catalog }: Pick<Brain, 'catalog'>,
  keys: ReadonlySet<string>,
): Steps<ReadonlySet<string>> {
  const found = new Set<string>();
  const names = new Set<string>();
  const paths: readonly VaultPath[] = catalog.notePaths();
  for (let at = 0; at < paths.length && found.size < keys.size; at += 1) {
    if (at % NOTES_PER_STEP === 0) yield;
    const path = paths[at];
    const note = path === undefined ? undefined : catalog.record(path);
    for (const name of Object.keys(note?.frontmatter ?? {})) {
      // Notes have few names of properties, and folding one takes longer than all else.
      if (names.has(name)) continue;
      names.add(name);
      const key = titleKey(name);
      if (keys.has(key)) found.add(key);
    }
  }
  return found;
}
