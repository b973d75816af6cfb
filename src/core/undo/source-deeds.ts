import type { LoggedChange } from '../change-log';
import { readHistory } from '../history-store';
import { listOf } from '../ingest/back-references';
import { type AddedSources, recordedAdditions } from '../notes/added-sources';
import type { StateStore } from '../ports';
import { setKeys } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256, type Sha } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { isWriter } from '../rules/provenance';
import type { Deeds } from './deeds';

/** What has been added to the sources of one note, oldest first. */
type Additions = readonly AddedSources[];

/** The additions to the sources of notes, by where the notes stand now, of those that the writer has added to in that time. */
export async function sourceDeeds(
  state: StateStore,
  deeds: Deeds,
  changes: readonly LoggedChange[],
): Promise<Map<VaultPath, Additions>> {
  const moved = new Map<VaultPath, { readonly to: VaultPath; readonly ts: string }[]>();
  for (const { ts, notes } of changes) {
    for (const [index, note] of notes.entries()) {
      const from = notes[index + 1];
      // A move is planned as a new note, then the removal of the old one.
      if (note.before !== null || from === undefined || from.after !== null) continue;
      moved.set(from.path, [...(moved.get(from.path) ?? []), { to: note.path, ts }]);
    }
  }
  const now = (record: AddedSources): VaultPath => {
    let { path, ts }: { path: VaultPath; ts: string } = record;
    // Bounded: a note may go to and fro within one second.
    for (let steps = 0; steps < changes.length; steps += 1) {
      const next = moved.get(path)?.find((move) => move.ts >= ts);
      if (next === undefined || (next.ts === ts && steps > 100)) break;
      ({ to: path, ts } = next);
    }
    return path;
  };
  const found = new Map<VaultPath, AddedSources[]>();
  const suspects = new Set<VaultPath>();
  for (const record of await recordedAdditions(state)) {
    const path = now(record);
    found.set(path, [...(found.get(path) ?? []), record]);
    if (isDeed(record, deeds)) suspects.add(path);
  }
  return new Map([...found].filter(([path]) => suspects.has(path)));
}

function isDeed({ written_by, ts }: AddedSources, { by, since }: Deeds): boolean {
  return isWriter(written_by, by) && ts >= since;
}

/** A note without what the writer has added to its sources. */
export interface WithoutSources {
  readonly text: string;
  /** The version that it is byte for byte; absent when something else has changed since. */
  readonly version?: Sha;
}

/**
 * Takes out of a text what the writer has added to its sources: the whole bytes of before when nothing else has changed since,
 * else only those elements of `sources` that nobody else has added later. Null when none of them is there.
 * @throws BrainError `invalid_frontmatter` when the front matter cannot be edited safely.
 */
export async function withoutSources(
  state: StateStore,
  text: string,
  additions: Additions,
  deeds: Deeds,
): Promise<WithoutSources | null> {
  const standing = listOf(parseNote(text).frontmatter.sources);
  // Whoever has added an element last is who added what stands there.
  const added = new Map(additions.flatMap((record) => record.sources.map((each) => [each, record] as const)));
  const ours = standing.filter((each) => {
    const record = added.get(each);
    return record !== undefined && isDeed(record, deeds);
  });
  if (ours.length === 0) return null;
  const left = new Set(ours);
  let hash = sha256(text);
  for (const record of [...additions].reverse()) {
    if (record.after !== hash || !isDeed(record, deeds)) break;
    hash = record.before;
    for (const each of record.sources) left.delete(each);
    if (left.size > 0) continue;
    const before = await readHistory(state, hash);
    if (before !== null) return { text: before, version: hash };
    break;
  }
  const kept = standing.filter((each) => !ours.includes(each));
  const edited = kept.length > 0 ? setKeys(text, { sources: kept }) : setKeys(text, {}, ['sources']);
  return { text: edited.text };
}
