import * as z from 'zod';
import type { Brain } from '../brain';
import { noteSteps } from '../catalog/note-record';
import { BrainError } from '../errors';
import { historyPath, readHistory } from '../history-store';
import { wingIndexPath } from '../rules/address';
import { isSha, sha256, type Sha } from '../rules/hash';
import { vaultPath, type VaultPath, zoneOf } from '../rules/paths';
import { inSlices } from '../steps';
import { recordedRootEdits } from './root-edits';
import { rootNotePath } from './root-note';
import { trailOf } from './text-trail';

/** A text of the vault, the note it belongs to, and whether anyone has reviewed it. */
export interface FoundText {
  readonly path: VaultPath;
  readonly text: string;
  readonly status: ReadStatus;
}

/** What a text that is read is; what is rejected is not read. */
export const readStatusShape = z.enum(['wiki', 'knowledge', 'raw', 'root']);
export type ReadStatus = z.output<typeof readStatusShape>;

/** What the text at a path is that may be read. */
export function statusAt(path: VaultPath): ReadStatus {
  const zone = zoneOf(path);
  return zone === 'wiki' || zone === 'knowledge' || zone === 'raw' ? zone : 'root';
}

/**
 * The text that has a hash, now or in the past, and the note it belongs to.
 * @throws BrainError `note_not_found` when nothing has it, `path_not_allowed` when it is of a note that was rejected.
 */
export async function findVersion(brain: Brain, hash: string): Promise<FoundText> {
  const found = isSha(hash)
    ? ((await presentNote(brain, hash)) ?? (await keptVersion(brain, hash)) ?? (await mapWith(brain, hash)))
    : null;
  if (found !== null) return found;
  const rejected = brain.catalog.notes('rejected').find((note) => note.content_hash === hash);
  if (rejected !== undefined) throw rejectedVersion(rejected.content_hash);
  throw new BrainError('note_not_found', 'No note and no older version has this hash.', { hash });
}

/** The note or the root note that has these bytes now. */
async function presentNote(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const note = brain.catalog.withHash(hash);
  return (
    (note === null ? null : await textAt(brain, note, hash)) ??
    (await textAt(brain, await rootNotePath(brain), hash))
  );
}

/** The map of a wing that has these bytes now. Maps are made again from the notes, so none of their older versions are kept. */
async function mapWith(brain: Brain, hash: Sha): Promise<FoundText | null> {
  for (const wing of [...brain.catalog.wings(), ...brain.catalog.wings('emptied')]) {
    const found = await textAt(brain, wingIndexPath(wing), hash);
    if (found !== null) return found;
  }
  return null;
}

async function textAt({ vault }: Brain, path: VaultPath, hash: Sha): Promise<FoundText | null> {
  try {
    const text = await vault.read(path);
    return text !== null && sha256(text) === hash ? { path, text, status: statusAt(path) } : null;
  } catch (error) {
    // What is no text is not the text that is looked for.
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}

/** An older version, of the note that leads to it; one to which no note leads is its own file. */
async function keptVersion(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const text = await readHistory(brain.state, hash);
  if (text === null) return null;
  for (const record of brain.catalog.superseding()) {
    const past = await brain.versions.past(brain.state, record.frontmatter.supersedes, hash);
    if (!past.has(hash)) continue;
    if (record.status === 'rejected') throw rejectedVersion(hash);
    return { path: record.path, text, status: statusAt(record.path) };
  }
  const rootEdits = await recordedRootEdits(brain);
  const rootEdit = rootEdits.find((edit) => edit.before_hash === hash || edit.after_hash === hash);
  if (rootEdit !== undefined) return { path: vaultPath(rootEdit.path), text, status: 'root' };
  return {
    path: vaultPath(`.brain/${historyPath(hash)}`),
    text,
    status: await lostStatus(brain, hash, text),
  };
}

/**
 * What a version is to which no note leads: what the place was where it stood, by the log of changes, else by what it says of
 * itself. @throws BrainError `path_not_allowed` when its note was rejected, or when it was never reviewed and says the same as
 * a rejected one: a hand may have moved that, and no log can be relied on.
 */
async function lostStatus(brain: Brain, hash: Sha, text: string): Promise<ReadStatus> {
  const trail = await trailOf(brain, hash);
  if (trail !== null && zoneOf(trail.left) === 'rejected') throw rejectedVersion(hash);
  const zone = trail === null ? null : zoneOf(trail.stood);
  if (zone === 'wiki' || zone === 'knowledge') return zone;
  const steps = noteSteps(trail?.stood ?? vaultPath('raw/version.md'), 'raw', text);
  const { record } = await inSlices(steps, brain.pace);
  const twins = brain.catalog.keyOwners(record.content_key);
  if (twins.some((path) => brain.catalog.record(path)?.status === 'rejected')) throw rejectedVersion(hash);
  const { promoted_at, updated_at, supersedes } = record.frontmatter;
  const wasReviewed = [promoted_at, updated_at, supersedes].some((value) => typeof value === 'string');
  if (zone !== null || !wasReviewed) return 'raw';
  return record.wing !== null && record.hall !== null ? 'wiki' : 'knowledge';
}

function rejectedVersion(hash: Sha): BrainError {
  return new BrainError(
    'path_not_allowed',
    'This version is of a note that was rejected, and such notes are not read. Only a person can restore it.',
    { hash },
  );
}
