import { createTwoFilesPatch } from 'diff';
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
import type { PastReader } from '../past/past';
import { comparePlaces, type NoteChange, type PastChange } from '../storage/change-log';
import { historyPath, readHistory } from '../storage/history';
import { wingIndexPath } from '../vocabulary/address';
import { isOwners } from '../vocabulary/ownership';
import { type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { recordedRootEdits, rootNotePath, rootVersions } from './root';
import { findNotePath, noSuchNote, noteZone, readKnown, readText } from './targets';
import { versionOf, versionsOf } from './versions';

/** The history of a note that had a given text, from the change log. */
interface VersionTrail {
  /** The last path at which the note had the text. */
  readonly lastPath: VaultPath;
  /** The path at which the service last left the note. */
  readonly currentPath: VaultPath;
  /** The text and all later texts of the note. */
  readonly texts: ReadonlySet<Sha>;
}

/** A change, and its effect on one note. */
interface Step {
  readonly change: PastChange;
  readonly note: NoteChange;
}

/**
 * Follows the note that had a text through the change log, across moves; edits by hand do not end the search. A note moved by
 * hand is found again where the service next changed the same text; until then its path is the last one that the service knew.
 * Returns null when the log does not have the text.
 */
async function trailOf(past: PastReader, text: Sha): Promise<VersionTrail | null> {
  const last = (await past.naming(text)).flatMap((change) => stepWith(change, text)).at(-1);
  if (last === undefined) return null;
  const texts = new Set([text]);
  let currentPath = last.note.path;
  for (let step: Step | null = last; step !== null;) {
    const { path, after } = resultOf(step);
    if (after === null) break;
    texts.add(after);
    currentPath = path;
    step = await nextStep(past, { change: step.change, note: { path, before: null, after } }, texts);
  }
  return { lastPath: last.note.path, currentPath, texts };
}

/** Returns the effect of a change on the text: its creation rather than its removal when a note was moved unchanged. */
function stepWith(change: PastChange, text: Sha): Step[] {
  const { notes } = change;
  const note = notes.find(({ after }) => after === text) ?? notes.find(({ before }) => before === text);
  return note === undefined ? [] : [{ change, note }];
}

/** Returns the result of a step: for a moved note that at the new path; `after` is null when the note was removed. */
function resultOf({ change: { notes }, note }: Step): NoteChange {
  if (note.after !== null) return note;
  // A move is planned as a creation followed by the removal of the old note.
  const made = notes[notes.indexOf(note) - 1];
  return made?.before === null ? made : note;
}

/** Returns the next step that moved or removed the note, and adds its texts until then; null when there is none. */
async function nextStep(past: PastReader, from: Step, texts: Set<Sha>): Promise<Step | null> {
  let here = from;
  for (const change of await past.naming(from.note.path)) {
    const note = change.notes.find(({ path }) => path === from.note.path);
    if (note === undefined || comparePlaces(change, from.change) <= 0) continue;
    // The creation shows that the old note was gone from this path: someone moved it by hand.
    if (note.before === null) break;
    texts.add(note.before);
    here = { change, note };
    if (note.after === null) return here;
    texts.add(note.after);
  }
  const { after } = here.note;
  const later = after === null ? [] : await past.naming(after);
  for (const change of later) {
    const note = change.notes.find(({ before }) => before === after);
    if (note !== undefined && comparePlaces(change, here.change) > 0) return { change, note };
  }
  return null;
}

/** A text of the vault, its note, and its status. */
export interface FoundText {
  readonly path: VaultPath;
  readonly text: string;
  readonly status: ReadStatus;
  /** Told of an older version of a note that there still is: where that is, and its text. */
  readonly live?: { readonly path: VaultPath; readonly hash: Sha };
}

/** The statuses of readable texts; rejected ones are not readable. */
export const readStatusShape = z.enum(['wiki', 'knowledge', 'raw', 'vault', 'root']);
type ReadStatus = z.output<typeof readStatusShape>;

/** Returns the status of the readable text at a path: that of a note, else it is the root note. */
export function statusAt(catalog: Brain['catalog'], path: VaultPath): ReadStatus {
  return noteZone(catalog, path) ?? 'root';
}

/**
 * Returns the text with a hash, current or past, and its note.
 * @throws BrainError `note_not_found` when no text has the hash, `path_not_allowed` when its note was rejected
 */
export async function findVersion(brain: Brain, hash: string): Promise<FoundText> {
  if (isSha(hash) && !brain.catalog.isHeldBack(hash)) {
    const found = (await presentNote(brain, hash)) ?? (await supersededVersion(brain, hash));
    if (found !== null) return found;
    if (await isOfRejected(brain, new Set([hash]))) throw rejectedVersion(hash);
    const other = (await lostVersion(brain, hash)) ?? (await presentMap(brain, hash));
    if (other !== null) return other;
  }
  throw new BrainError('note_not_found', 'No note and no older version has this hash.', { hash });
}

/** Returns the note or the root note whose current text has the hash. */
async function presentNote(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const note = brain.catalog.withHash(hash);
  return (
    (note === null ? null : await textAt(brain, note, hash)) ??
    (await textAt(brain, await rootNotePath(brain), hash))
  );
}

/**
 * Returns the wing map whose current text has the hash. Maps are derived from the notes, so their older versions are not kept.
 */
async function presentMap(brain: Brain, hash: Sha): Promise<FoundText | null> {
  for (const wing of [...brain.catalog.wings(), ...brain.catalog.wings('emptied')]) {
    const found = await textAt(brain, wingIndexPath(wing), hash);
    if (found !== null) return found;
  }
  return null;
}

async function textAt(brain: Brain, path: VaultPath, hash: Sha): Promise<FoundText | null> {
  // A file that is no text cannot have the hash.
  const text = await readText(brain, path);
  return text !== null && sha256(text) === hash
    ? { path, text, status: statusAt(brain.catalog, path) }
    : null;
}

/** Returns an older version of a readable note. */
async function supersededVersion(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const text = await readHistory(brain.state, hash);
  if (text === null) return null;
  for (const { path, content_hash: now, frontmatter } of brain.catalog.superseding()) {
    const past = await brain.versions.past(brain.state, frontmatter.supersedes, hash);
    if (past.has(hash))
      return { path, text, status: statusAt(brain.catalog, path), live: { path, hash: now } };
  }
  return null;
}

/** Returns true when a rejected note has or had one of these texts. */
async function isOfRejected({ catalog, versions, state }: Brain, texts: ReadonlySet<Sha>): Promise<boolean> {
  for (const { content_hash, frontmatter } of catalog.notes('rejected')) {
    if (texts.has(content_hash)) return true;
    for (const past of await versions.past(state, frontmatter.supersedes)) if (texts.has(past)) return true;
  }
  return false;
}

/** Returns a version of the root note, or one that no note supersedes: its path is that of the history file. */
async function lostVersion(brain: Brain, hash: Sha): Promise<FoundText | null> {
  const text = await readHistory(brain.state, hash);
  if (text === null) return null;
  const rootEdits = await recordedRootEdits(brain);
  const rootEdit = rootEdits.find((edit) => edit.before === hash || edit.after === hash);
  if (rootEdit !== undefined) {
    const { path } = rootEdit;
    const now = path === (await rootNotePath(brain)) ? await readText(brain, path) : null;
    if (now === null && brain.catalog.scope.leavesOut(path)) return null;
    return { path, text, status: 'root', ...(now !== null && { live: { path, hash: sha256(now) } }) };
  }
  const trail = await trailOf(await brain.past.read(), hash);
  const status = await lostStatus(brain, hash, text, trail);
  if (status === null) return null;
  const note = trail === null ? undefined : brain.catalog.record(trail.currentPath);
  return {
    path: vaultPath(`.brain/${historyPath(hash)}`),
    text,
    status,
    ...(note !== undefined &&
      note.status !== 'rejected' && { live: { path: note.path, hash: note.content_hash } }),
  };
}

/**
 * Returns the status of a version that no note supersedes: that of its last path in the change log, otherwise one derived from
 * its text; null when its note was at a path that is left out now, which is as good as no note.
 * @throws BrainError `path_not_allowed` when its note was rejected, or a rejected note has the same text (someone may have
 * moved it by hand, which no log records), unless its note or another with the same text is reviewed and exists
 */
async function lostStatus(
  brain: Brain,
  hash: Sha,
  text: string,
  trail: VersionTrail | null,
): Promise<ReadStatus | null> {
  if (trail !== null && [trail.lastPath, trail.currentPath].some((path) => isLeftOut(brain, path)))
    return null;
  const zone = trail === null ? null : zoneOf(trail.lastPath);
  const steps = noteSteps(trail?.lastPath ?? vaultPath('raw/version.md'), 'raw', text);
  const { record } = await inSlices(steps, brain.pace);
  if (await wasRejected(brain, record.content_key, trail)) throw rejectedVersion(hash);
  if (zone === 'wiki' || zone === 'knowledge') return zone;
  if (zone === 'other') return 'vault';
  const { promoted_at, updated_at, supersedes } = record.frontmatter;
  const wasReviewed = [promoted_at, updated_at, supersedes].some((value) => typeof value === 'string');
  if (zone !== null || !wasReviewed) return 'raw';
  return record.wing !== null && record.hall !== null ? 'wiki' : 'knowledge';
}

/** Returns true for the path of a note of the owner that is left out. */
function isLeftOut({ catalog }: Pick<Brain, 'catalog'>, path: VaultPath): boolean {
  return zoneOf(path) === 'other' && catalog.scope.leavesOut(path);
}

async function wasRejected(brain: Brain, key: Sha, trail: VersionTrail | null): Promise<boolean> {
  if (trail !== null && zoneOf(trail.currentPath) === 'rejected') return true;
  const related = [...brain.catalog.keyOwners(key), ...(trail === null ? [] : [trail.currentPath])];
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

/** Returns where a note of the owner is now that was at this path before an adoption, or before it was given back; null for no such note. */
async function movedFrom(brain: Pick<Brain, 'catalog' | 'past'>, path: VaultPath): Promise<VaultPath | null> {
  const past = await brain.past.read();
  const steps = (await past.naming(path)).flatMap(({ notes }) => notes);
  const left = steps.filter((note) => note.path === path && note.after === null).at(-1);
  const trail = left?.before ? await trailOf(past, left.before) : null;
  const note = trail === null ? undefined : brain.catalog.record(trail.currentPath);
  return note !== undefined && note.status !== 'rejected' && isOwners(note) ? note.path : null;
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
  z.object({
    path: pathShape,
    diff: z.object({ from: hashShape, to: hashShape, patch: z.string().optional() }),
    warnings: warningsShape.optional(),
  }),
]);

/**
 * With a path: lists the versions of a note, newest first, the current one included; a note of the owner that was adopted or given
 * back is found by its former path too. With a hash: returns that version. With `diff`: compares two versions as a unified patch. Fails
 * with `note_not_found` when there is no such note or version, with `path_not_allowed` for a rejected one.
 */
export const history = operation({
  name: 'history',
  scope: 'read',
  mutates: false,
  input: z.strictObject({
    path: pathField.optional(),
    hash: hashField.optional(),
    diff: z
      .string()
      .max(200)
      .optional()
      .describe(
        'The hash of a version, which is compared with the note as it is now, or two with ".." between',
      ),
  }),
  output,
  async run(brain, { path: given, hash, diff }) {
    if (diff !== undefined) {
      if (given === undefined && hash === undefined) return compareVersions(brain, diff);
      const field = given === undefined ? 'hash' : 'path';
      throw new BrainError('invalid_field', `"diff" names the versions. Leave "${field}" out.`, { field });
    }
    if (given !== undefined && hash !== undefined) {
      throw new BrainError(
        'invalid_field',
        'Give "path" to list the versions of a note, or "hash" to read one version, not both.',
        { field: 'hash' },
      );
    }
    if (given !== undefined) {
      const named = await findNotePath(brain, given);
      const path = brain.catalog.taken(named) === null ? ((await movedFrom(brain, named)) ?? named) : named;
      const isRoot = path === (await rootNotePath(brain));
      if (noteZone(brain.catalog, path) === null && !isRoot) {
        throw new BrainError(
          'path_not_allowed',
          'Only notes in wiki/, knowledge/ and raw/, notes of the owner that are not left out, and the root note have a history.',
          { path },
        );
      }
      const text = await readKnown(brain, path);
      if (text === null) throw await noSuchNote(brain, path, path);
      const versions = [];
      const chain = isRoot ? rootVersions(brain, path, text) : versionsOf(brain, path, text);
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

/** The most lines that may differ: more would hold other calls up. */
const MAX_EDITS = 400;
/** The longest patch (UTF-16 units); it ends with a whole line. */
const MAX_PATCH = 20_000;

/** Compares two versions, given as `from..to`, or one with the present text of its note. */
async function compareVersions(brain: Brain, diff: string): Promise<z.input<typeof output>> {
  const [first = '', second, ...more] = diff.split('..').map((each) => each.trim());
  const isRange = [first, second].every((each) => each === undefined || isSha(each)) && more.length === 0;
  if (!isRange)
    throw new BrainError(
      'invalid_field',
      '"diff" takes a hash, or two as "<hash>..<hash>". The list of versions has them.',
      { field: 'diff' },
    );
  const from = await findVersion(brain, first);
  const last = second ?? from.live?.hash ?? first;
  const to = await findVersion(brain, last);
  const hashes = { from: first, to: last };
  const patch = createTwoFilesPatch(hashes.from, hashes.to, from.text, to.text, from.path, to.path, {
    context: 2,
    maxEditLength: MAX_EDITS,
  });
  const { path } = to;
  if (patch === undefined)
    return {
      path,
      diff: hashes,
      warnings: [`More than ${MAX_EDITS} lines differ. Read the two versions by their hashes.`],
    };
  const isLong = patch.length > MAX_PATCH;
  const shown = isLong ? patch.slice(0, patch.lastIndexOf('\n', MAX_PATCH) + 1) : patch;
  const warnings = isLong ? { warnings: ['The patch is cut. Read the two versions by their hashes.'] } : {};
  return { path, diff: { ...hashes, patch: shown }, ...warnings };
}
