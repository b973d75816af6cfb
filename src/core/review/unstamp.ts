import type { Brain } from '../brain';
import { searchableLog } from '../change-log';
import { readHistory } from '../history-store';
import { type ParsedNote, parseNote } from '../rules/frontmatter/parse-note';
import type { VaultPath } from '../rules/paths';

/** What a promotion gives a note that says nothing of where it comes from. */
const STAMP = ['origin', 'written_by'];

/**
 * The keys of the note at `path` that its promotion added beside its own, so that in the queue nothing claims to know who wrote
 * it. What the note said before tells: none are named when that is not known any more, and none that a later write has set. The
 * time when the note was made is not among them: its file is a new one, so nothing else could tell it.
 */
export async function stampedKeys(
  brain: Pick<Brain, 'state' | 'pace'>,
  path: VaultPath,
  now: ParsedNote['frontmatter'],
): Promise<string[]> {
  const text = await textBefore(brain, path);
  if (text === null) return [];
  const { frontmatter: before } = parseNote(text);
  const isAdded = (key: string): boolean => (before[key] ?? null) === null && (now[key] ?? null) !== null;
  const isStamped = STAMP.every(isAdded) && now.written_by === now.promoted_by;
  return [
    ...(isAdded('source_type') && now.source_type === 'internal' ? ['source_type'] : []),
    ...(isStamped && now.updated_at === before.updated_at ? STAMP : []),
  ];
}

/** What the note at `path` said when it was last promoted to it, as far as the log of changes and the history tell. */
async function textBefore({ state, pace }: Pick<Brain, 'state' | 'pace'>, path: VaultPath) {
  const naming = await searchableLog(state, pace);
  const promotions = (await naming(path)).flatMap(({ op, notes }) => {
    const made = notes.findIndex((note) => note.path === path && note.before === null);
    // A move is planned as a new note, then the removal of the old one.
    const left = made < 0 ? undefined : notes[made + 1];
    return op === 'promote' && left?.before && left.after === null ? [left.before] : [];
  });
  const last = promotions.at(-1);
  return last === undefined ? null : readHistory(state, last);
}
