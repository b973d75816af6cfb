import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { parsedJson } from '../base/json';
import { isLocked } from '../frontmatter/note-lock';
import { lockedNote } from '../notes/write';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hashField, MAX_REASON, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, hashShape, pathShape, warningsShape } from '../operation/shapes';
import type { PastReader } from '../past/past';
import { followOf, leftWarnings, relinkSteps } from '../review/relink';
import { historyPath } from '../storage/history';
import { forgetTarget } from '../review/review-note';
import type { Step } from '../storage/plan';
import { wingOfPath } from '../vocabulary/address';
import { stampOf } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import { refreshWings } from '../wings/refresh';
import { notesHolding, type WholeNote, wholeNote } from './find';
import type { Named } from './redact';
import { pathsNamed, sweep } from './sweep';
import { pathsAmong, tombstoneOf, tombstones } from './tombstone';

const input = z.strictObject({
  path: pathField.optional(),
  hash: hashField.optional().describe('One of its texts, for a note that is gone; instead of the path'),
  reason: z
    .string()
    .max(MAX_REASON)
    .optional()
    .describe('Why; the past keeps it, so name no note in it. Required unless dry_run'),
  original: z
    .boolean()
    .optional()
    .describe('Also remove the original of a document that other notes were made of too'),
  plan: hashField.optional().describe('`plan` of the dry run that you looked at; required unless dry_run'),
  dry_run: dryRunField,
});

const output = z.object({
  path: pathShape.optional().describe('Absent for a note whose file is gone'),
  title: z.string(),
  plan: hashShape.describe('Stands for what this answer lists; another one when anything of it changes'),
  forgotten: z.boolean().describe('False for a dry run'),
  file: z.enum(['removed', 'kept', 'gone']).describe('`kept`: it is a note of the owner, whose file stays'),
  versions: countShape.describe('Texts that the history has of it alone'),
  shared: z
    .array(hashShape)
    .describe('Texts of it that stay, because other notes have them or its file does'),
  original: pathShape.optional().describe('The kept original of its document'),
  original_goes: z.boolean(),
  original_of: z.array(pathShape).describe('Other notes that were made of this document'),
  linked_from: z.array(pathShape).describe('Notes whose links to it become text'),
  others: z
    .array(z.object({ path: pathShape, title: z.string(), shared: z.array(z.string()) }))
    .describe('Other notes that hold its words, at most 20. They are not changed'),
  elsewhere: z.object({
    devices: countShape.describe('Other devices of this vault. Each removes it when its service runs again'),
    unreachable: z.array(z.string()).describe('What the service cannot reach'),
  }),
  warnings: warningsShape,
});
type Answer = z.input<typeof output>;

const UNREACHABLE = [
  'copies and former versions that a sync program keeps',
  'backups of the vault and of its database',
  'mirrors and copies of the vault elsewhere, and the trash of the system',
  'what agents and language models have read of it',
];

/**
 * Forgets a note: its file, every version, texts as sent, the kept original of its document, words, vectors, kept answers, and its place
 * in the logs go for good; links to it become text. The file of a note of the owner stays. A text that another note has too stays for
 * that one, and other notes that hold its words are listed. The past keeps that a note was forgotten, by whom, when and why.
 * | A dry run returns what goes and a `plan`; the call requires that value and fails when anything of it has changed since. It cannot be
 * taken back. Only a person and the owner's token may do it. Needs `read` in addition to `review`. Fails with `note_not_found`,
 * `path_not_allowed`, `missing_field`, `hash_mismatch`, `locked` or `forbidden_scope`.
 */
export const forget = operation({
  name: 'forget',
  scope: 'review',
  // The dry run tells of the note and of others.
  besides: 'read',
  mutates: true,
  whole: true,
  // A kept answer would name the note.
  keyed: 'none',
  input,
  output,
  async run(brain, asked, caller, watch) {
    refuseOthers(caller);
    const { reason = '', original = false, plan: seen, dry_run: dryRun = false } = asked;
    let [named, salt]: [Named, string] = [{ hashes: new Set(), paths: new Set(), lines: new Set() }, ''];
    const build = async (): Promise<Change<Answer>> => {
      const note = await wholeNote(brain, asked);
      if (note.path !== null && isLocked(note.text) && !caller.human) throw lockedNote(note.path);
      const goes = note.path !== null && !note.isOwners;
      const links =
        goes && note.path !== null
          ? await relinkSteps(brain, new Map([[note.path, null]]), followOf(brain, caller))
          : { steps: [], left: [] };
      const result = await answerOf(brain, note, original, links.steps);
      result.warnings.push(...leftWarnings(brain, links.left));
      if (dryRun) return { plan: null, result };
      if (reason.trim() === '') throw missing('reason', 'Say in "reason" why, without naming the note.');
      if (seen === undefined) throw lookFirst();
      if (seen !== result.plan) throw movedOn(result.plan);
      named = namedBy(note, result.original_goes);
      // What asks for it names it too.
      const requests = brain.catalog.notes().filter((each) => forgetTarget(each) === note.path);
      for (const { path } of requests) named = joined(named, await wholeNote(brain, { path }));
      const forgotten = await tombstoneOf(named);
      ({ salt } = forgotten);
      const steps: Step[] = [
        ...(goes && note.path !== null
          ? [{ kind: 'remove', path: note.path, before: sha256(note.text) } as const]
          : []),
        ...requests.map(({ path, content_hash: before }) => ({ kind: 'remove', path, before }) as const),
        ...links.steps,
      ];
      return {
        plan: {
          op: 'forget',
          decision: { by: stampOf(caller).written_by, reason },
          steps,
          data: { forgotten },
        },
        forOwner: true,
        result: { ...result, forgotten: true },
        finish: (skipped) => {
          for (const path of skipped)
            result.warnings.push(`${path} changed meanwhile; its link to the note was left as it is.`);
          const wings = [...note.paths, ...links.steps.map(({ path }) => path)].map(wingOfPath);
          return refreshWings(brain, wings, result.warnings);
        },
      };
    };
    const answer = await changeVault(brain, build, { dryRun, signal: watch?.signal });
    if (dryRun) return answer;
    try {
      brain.catalog.holdBack(named.hashes);
      if (await sweep(brain, named)) await markDone(brain, ({ salt: its }) => its === salt);
      else throw new Error('The journal has a change that is not settled.');
    } catch (error) {
      brain.log.error('forget.sweep', { message: String(error) });
      answer.warnings.push(
        'The note is gone, but not all of its traces could be removed now. The service tries again by itself; its log says what is in the way.',
      );
    }
    return answer;
  },
});

/** @throws BrainError `forbidden_scope` for a caller that does not act for the owner */
function refuseOthers(caller: Caller): void {
  if (actsForOwner(caller)) return;
  throw new BrainError(
    'forbidden_scope',
    'Only a person and the token of the owner may have a note forgotten. Ask the owner of the vault.',
  );
}

async function answerOf(
  brain: Brain,
  note: WholeNote,
  withOriginal: boolean,
  links: readonly { readonly path: VaultPath }[],
): Promise<Answer> {
  const { path, title, isOwners, hashes, shared, source } = note;
  let versions = 0;
  for (const hash of hashes)
    if ((await brain.state.readPart(historyPath(hash), 0, 1)) !== null) versions += 1;
  const originalGoes =
    source !== null && source.original !== null && (source.others.length === 0 || withOriginal);
  const linkedFrom = links.map((link) => link.path);
  const file = path === null ? 'gone' : isOwners ? 'kept' : 'removed';
  const seen = [path, sha256(note.text), file, originalGoes, ...[...hashes].sort(), ...linkedFrom];
  return {
    ...(path !== null && { path }),
    title,
    plan: sha256(JSON.stringify(seen)),
    forgotten: false,
    file,
    versions,
    shared: [...shared].sort(),
    ...(source?.original != null && { original: source.original }),
    original_goes: originalGoes,
    original_of: [...(source?.others ?? [])],
    linked_from: linkedFrom,
    others: (await notesHolding(brain, note)).map((other) => ({ ...other, shared: [...other.shared] })),
    elsewhere: { devices: await otherDevices(brain), unreachable: UNREACHABLE },
    warnings: isOwners
      ? [
          'The note is yours, so its file stays, and its text as it is now. Delete the file by hand if it is to go.',
        ]
      : [],
  };
}

/** Returns the number of other devices that have written into the past of this vault. */
async function otherDevices({ state, device }: Pick<Brain, 'state' | 'device'>): Promise<number> {
  const logs = [...(await state.list('past')), ...(await state.list('changes'))];
  const names = logs.map((log) => /^past\/([^.]+)\.|^changes\/[^.]+\.([^.]+)\./.exec(log));
  const devices = new Set(names.map((found) => found?.[1] ?? found?.[2]));
  devices.delete(undefined);
  devices.delete(device);
  return devices.size;
}

function namedBy({ hashes, paths, lines, source }: WholeNote, originalGoes: boolean): Named {
  // Of a document of which nothing was kept the service may still hold pages that were prepared.
  if (source === null || (!originalGoes && source.others.length > 0)) return { hashes, paths, lines };
  const original = source.original === null ? [] : [source.original];
  return { hashes: new Set([...hashes, source.hash]), paths: new Set([...paths, ...original]), lines };
}

function joined(one: Named, other: Named): Named {
  return {
    hashes: new Set([...one.hashes, ...other.hashes]),
    paths: new Set([...one.paths, ...other.paths]),
    lines: new Set([...one.lines, ...other.lines]),
  };
}

function missing(field: string, message: string): BrainError {
  return new BrainError('missing_field', message, { field });
}

function lookFirst(): BrainError {
  return missing(
    'plan',
    '"plan" is required: call once with "dry_run": true, look at what goes, and send its "plan".',
  );
}

function movedOn(plan: string): BrainError {
  return new BrainError(
    'hash_mismatch',
    'What would be forgotten is not what you looked at any more, and nothing was done. Look again with "dry_run": true and send the "plan" of that answer.',
    { plan },
  );
}

/**
 * Removes what this device still keeps of notes that were forgotten, here or on another device: after a start, and when the past has
 * new ones. It can be cut anywhere, and goes on with the next call.
 */
export async function finishForgetting(brain: Brain): Promise<void> {
  const done = await doneHere(brain);
  const all = await tombstones(brain);
  const open: Tombstone[] = [];
  for (const tombstone of all)
    if (!done.includes(tombstone.id) && !(await isStillThere(brain, tombstone))) open.push(tombstone);
  const past = await brain.past.read();
  const gone: (readonly [hash: Sha, tombstone: Tombstone])[] = [];
  for (const tombstone of all)
    for (const hash of tombstone.hashes)
      if (!(await isWrittenSince(past, hash, tombstone))) gone.push([hash, tombstone]);
  brain.catalog.holdBack(gone.map(([hash]) => hash));
  const lives = await livingHashes(brain);
  // A sync program may bring a version back from a device that was away.
  for (const [hash, { id }] of gone) {
    if (!done.includes(id) || lives(hash)) continue;
    if ((await brain.state.readPart(historyPath(hash), 0, 1)) !== null)
      await brain.state.remove(historyPath(hash));
  }
  if (open.length === 0) return;
  const left = gone.filter(([hash, tombstone]) => open.includes(tombstone) && !lives(hash));
  const hashes = new Set(left.map(([hash]) => hash));
  const candidates = await pathsNamed(brain, hashes);
  const paths = new Set<VaultPath>();
  for (const tombstone of open)
    for (const path of await pathsAmong(tombstone, candidates, brain.pace)) paths.add(path);
  const lines = new Set(open.flatMap((tombstone) => tombstone.lines ?? []));
  if (await sweep(brain, { hashes, paths, lines }))
    await markDone(brain, (tombstone) => open.some(({ id }) => id === tombstone.id));
}

/** Resolves true while the file of a note is there that another device has forgotten: what is kept of it goes once the file has gone. */
async function isStillThere({ catalog, pace }: Brain, tombstone: Tombstone): Promise<boolean> {
  const hashes = new Set<string>(tombstone.hashes);
  const alike = catalog.notes().filter(({ content_hash }) => hashes.has(content_hash));
  const paths = alike.map(({ path }) => path);
  return (await pathsAmong(tombstone, paths, pace)).length > 0;
}

/** Returns a test for texts and sources of forgotten notes that a note has again. */
async function livingHashes({ catalog, pace }: Brain): Promise<(hash: Sha) => boolean> {
  const texts = new Set<unknown>();
  for (const { content_hash, frontmatter } of catalog.notes())
    await pace.run(() => texts.add(content_hash).add(frontmatter.supersedes));
  return (hash) => texts.has(hash) || catalog.ofSource(hash).length > 0;
}

async function isWrittenSince(past: PastReader, hash: Sha, { at }: Tombstone): Promise<boolean> {
  return (await past.naming(hash)).some((change) => change.at > at);
}

type Tombstone = Awaited<ReturnType<typeof tombstones>>[number];

/** Returns the ids of the events whose notes this device has removed. */
async function doneHere(brain: Pick<Brain, 'state' | 'device'>): Promise<string[]> {
  const text = await brain.state.read(markerOf(brain));
  return z.array(z.string()).safeParse(parsedJson(text ?? '')).data ?? [];
}

async function markDone(brain: Brain, isDone: (tombstone: Tombstone) => boolean): Promise<void> {
  const ids = (await tombstones(brain)).filter(isDone).map(({ id }) => id);
  await brain.state.write(markerOf(brain), `${JSON.stringify([...(await doneHere(brain)), ...ids])}\n`);
}

function markerOf({ device }: Pick<Brain, 'device'>): string {
  return `local.${device}/forgotten.json`;
}
