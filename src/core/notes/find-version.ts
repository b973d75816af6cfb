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
import { type TextTrail, trailOf } from './text-trail';

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
  if (isSha(hash)) {
    const found = (await presentNote(brain, hash)) ?? (await supersededVersion(brain, hash));
    if (found !== null) return found;
    if (await isOfRejected(brain, new Set([hash]))) throw rejectedVersion(hash);
    const other = (await lostVersion(brain, hash)) ?? (await mapWith(brain, hash));
    if (other !== null) return other;
  }
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

/** An older version of a note that may be read. */
async function supersededVersion(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const text = await readHistory(brain.state, hash);
  if (text === null) return null;
  for (const { path, frontmatter } of brain.catalog.superseding()) {
    const past = await brain.versions.past(brain.state, frontmatter.supersedes, hash);
    if (past.has(hash)) return { path, text, status: statusAt(path) };
  }
  return null;
}

/** True when a rejected note has the bytes of one of these, or had them. */
async function isOfRejected({ catalog, versions, state }: Brain, texts: ReadonlySet<Sha>): Promise<boolean> {
  for (const { content_hash, frontmatter } of catalog.notes('rejected')) {
    if (texts.has(content_hash)) return true;
    for (const past of await versions.past(state, frontmatter.supersedes)) if (texts.has(past)) return true;
  }
  return false;
}

/** A version of the root note, or one to which no note leads: that is its own file. */
async function lostVersion(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const text = await readHistory(brain.state, hash);
  if (text === null) return null;
  const rootEdits = await recordedRootEdits(brain);
  const rootEdit = rootEdits.find((edit) => edit.before_hash === hash || edit.after_hash === hash);
  if (rootEdit !== undefined) return { path: vaultPath(rootEdit.path), text, status: 'root' };
  const status = await lostStatus(brain, hash, text);
  return { path: vaultPath(`.brain/${historyPath(hash)}`), text, status };
}

/**
 * What a version is to which no note leads: what the place was where it stood, by the log of changes, else by what it says of
 * itself. @throws BrainError `path_not_allowed` when its note was rejected, or a rejected note says the same: a hand may have
 * moved that, which no log tells. Not when its note, or another that says the same, has been reviewed and stands.
 */
async function lostStatus(brain: Brain, hash: Sha, text: string): Promise<ReadStatus> {
  const trail = await trailOf(brain, hash);
  const zone = trail === null ? null : zoneOf(trail.stood);
  const steps = noteSteps(trail?.stood ?? vaultPath('raw/version.md'), 'raw', text);
  const { record } = await inSlices(steps, brain.pace);
  if (await wasRejected(brain, record.content_key, trail)) throw rejectedVersion(hash);
  if (zone === 'wiki' || zone === 'knowledge') return zone;
  const { promoted_at, updated_at, supersedes } = record.frontmatter;
  const wasReviewed = [promoted_at, updated_at, supersedes].some((value) => typeof value === 'string');
  if (zone !== null || !wasReviewed) return 'raw';
  return record.wing !== null && record.hall !== null ? 'wiki' : 'knowledge';
}

async function wasRejected(brain: Brain, key: Sha, trail: TextTrail | null): Promise<boolean> {
  if (trail !== null && zoneOf(trail.left) === 'rejected') return true;
  const related = [...brain.catalog.keyOwners(key), ...(trail === null ? [] : [trail.left])];
  const states = new Set(related.map((path) => brain.catalog.record(path)?.status));
  if (states.has('wiki') || states.has('knowledge')) return false;
  return states.has('rejected') || (trail !== null && (await isOfRejected(brain, trail.texts)));
}

function rejectedVersion(hash: Sha): BrainError {
  return new BrainError(
    'path_not_allowed',
    'This version is of a note that was rejected, and such notes are not read. Only a person can restore it.',
    { hash },
  );
}
