import * as z from 'zod';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { inSlices } from '../base/steps';
import { noteSteps } from '../catalog/record';
import { parseNote } from '../frontmatter/parse';
import type { Brain } from '../operation/context';
import { hashField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, hashShape, pathShape, timeShape, warningsShape } from '../operation/shapes';
import { comparePlaces, type NoteChange, type PlacedChange, searchableLog } from '../storage/change-log';
import { historyPath, readHistory } from '../storage/history';
import { wingIndexPath } from '../vocabulary/address';
import { type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { recordedRootEdits, rootNotePath, rootVersions } from './root';
import { resolveInputPath } from './targets';
import { versionOf, versionsOf } from './versions';

/** What the log of changes tells of a text and of the note that had it. */
interface VersionTrail {
  /** Where the text stood last. */
  readonly stood: VaultPath;
  /** Where the service last left the note. */
  readonly left: VaultPath;
  /** The text, and all that the note had after it. */
  readonly texts: ReadonlySet<Sha>;
}

/** A change and what it made of one note. */
interface Step {
  readonly change: PlacedChange;
  readonly note: NoteChange;
}

type Naming = (name: string) => Promise<PlacedChange[]>;

/**
 * Follows the note that had a text through the log of changes, from place to place: what a hand has written into it meanwhile
 * does not end the trail. One that a hand has moved is found again where the service next took the same text; until then it is
 * where the service left it. Null when the log does not know the text.
 */
async function trailOf(
  { state, pace }: Pick<Brain, 'state' | 'pace'>,
  text: Sha,
): Promise<VersionTrail | null> {
  const naming = await searchableLog(state, pace);
  const last = (await naming(text)).flatMap((change) => stepWith(change, text)).at(-1);
  if (last === undefined) return null;
  const texts = new Set([text]);
  let left = last.note.path;
  for (let step: Step | null = last; step !== null;) {
    const { path, after } = madeBy(step);
    if (after === null) break;
    texts.add(after);
    left = path;
    step = await nextStep(naming, { change: step.change, note: { path, before: null, after } }, texts);
  }
  return { stood: last.note.path, left, texts };
}

/** What the change did with the text; of one that is moved as it is, that it was made there. */
function stepWith(change: PlacedChange, text: Sha): Step[] {
  const { notes } = change;
  const note = notes.find(({ after }) => after === text) ?? notes.find(({ before }) => before === text);
  return note === undefined ? [] : [{ change, note }];
}

/** What the step made: of a note that it moved, that of the new place; with `after` null when the note was to be gone. */
function madeBy({ change: { notes }, note }: Step): NoteChange {
  if (note.after !== null) return note;
  // A move is planned as a new note, then the removal of the old one.
  const made = notes[notes.indexOf(note) - 1];
  return made?.before === null ? made : note;
}

/** The step that next took the note away from where this one has left it; null when there is none. Collects its texts there. */
async function nextStep(naming: Naming, from: Step, texts: Set<Sha>): Promise<Step | null> {
  let here = from;
  for (const change of await naming(from.note.path)) {
    const note = change.notes.find(({ path }) => path === from.note.path);
    if (note === undefined || comparePlaces(change, from.change) <= 0) continue;
    // A new note could be made there, so a hand was before the service.
    if (note.before === null) break;
    texts.add(note.before);
    here = { change, note };
    if (note.after === null) return here;
    texts.add(note.after);
  }
  const { after } = here.note;
  const later = after === null ? [] : await naming(after);
  for (const change of later) {
    const note = change.notes.find(({ before }) => before === after);
    if (note !== undefined && comparePlaces(change, here.change) > 0) return { change, note };
  }
  return null;
}

/** A text of the vault, the note it belongs to, and whether anyone has reviewed it. */
export interface FoundText {
  readonly path: VaultPath;
  readonly text: string;
  readonly status: ReadStatus;
}

/** What a text that is read is; what is rejected is not read. */
export const readStatusShape = z.enum(['wiki', 'knowledge', 'raw', 'root']);
type ReadStatus = z.output<typeof readStatusShape>;

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

async function wasRejected(brain: Brain, key: Sha, trail: VersionTrail | null): Promise<boolean> {
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

const versionShape = z.object({
  hash: hashShape,
  updated_at: timeShape.optional(),
  reason: z.string().optional(),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  bytes: countShape,
});

const output = z.union([
  z.object({ path: pathShape, versions: z.array(versionShape) }),
  versionShape.extend({
    path: pathShape,
    status: readStatusShape,
    content: z.string().describe('The whole file as it was, front matter included'),
    frontmatter: z.record(z.string(), z.unknown()),
    body: z.string(),
    warnings: warningsShape.optional(),
  }),
]);

/**
 * With a path: the versions of a note, newest first, the present one included. With a hash: that version whole.
 * Fails with `note_not_found` when there is no such note or version, with `path_not_allowed` for one that was rejected.
 */
export const history = operation({
  name: 'history',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ path: pathField.optional(), hash: hashField.optional() }),
  output,
  async run(brain, { path: given, hash }) {
    if (given !== undefined && hash !== undefined) {
      throw new BrainError(
        'invalid_field',
        'Give "path" to list the versions of a note, or "hash" to read one version, not both.',
        { field: 'hash' },
      );
    }
    if (given !== undefined) {
      const path = resolveInputPath(brain, given, brain.config.rootNote);
      const zone = zoneOf(path);
      const isRoot = path === (await rootNotePath(brain));
      if (zone !== 'wiki' && zone !== 'knowledge' && zone !== 'raw' && !isRoot) {
        throw new BrainError(
          'path_not_allowed',
          'Only notes in wiki/, knowledge/ and raw/ and the root note have a history.',
          { path },
        );
      }
      const text = await brain.vault.read(path);
      if (text === null) throw new BrainError('note_not_found', `There is no note at ${path}.`, { path });
      const versions = [];
      const chain = isRoot ? rootVersions(brain, path, text) : versionsOf(brain.state, text);
      for await (const { text: _, ...version } of chain) versions.push(version);
      return { path, versions };
    }
    if (hash === undefined) {
      throw new BrainError(
        'missing_field',
        'Give "path" to list the versions of a note, or "hash" to read one version.',
        { field: 'path' },
      );
    }
    const { path, status, text: content } = await findVersion(brain, hash);
    const version = versionOf(content);
    const { frontmatter, body, problem } = parseNote(content);
    const warnings = problem === null ? {} : { warnings: [problem] };
    return { ...version, path, status, content, frontmatter: { ...frontmatter }, body, ...warnings };
  },
});
