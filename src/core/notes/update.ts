import * as z from 'zod';
import { actsForOwner, allows, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { isExpected } from '../base/if-match';
import { LONG_TEXT, type Watch } from '../base/steps';
import { timestamp } from '../base/time';
import { placeOf } from '../catalog/record';
import {
  composeUpdate,
  droppedKey,
  hasTokensLock,
  LOCK_KEY,
  openBody,
  openContent,
  setKeys,
  withLineEndsOf,
} from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { type ParsedNote, parseNote } from '../frontmatter/parse';
import { type Change, changeConcurrently } from '../operation/change';
import {
  contentField,
  dryRunField,
  envelopeFields,
  frontmatterField,
  hashField,
  reasonField,
} from '../operation/fields';
import type { Brain } from '../operation/context';
import { refuseInstructionFile, refuseUnwritable, withOwn } from '../operation/limits';
import { notOurs, refuseOwners } from '../operation/owner';
import { operation } from '../operation/operation';
import { hashShape, pathShape, refsShape, timeShape, warningsShape } from '../operation/shapes';
import { historyPath } from '../storage/history';
import { wingOfPath } from '../vocabulary/address';
import { stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';
import { isWriter, stampName, stampOf } from '../vocabulary/envelope';
import { refreshWings } from '../wings/refresh';
import { BodyWork, checkBody, checkContent } from './content';
import { safeProperties, withFound } from './properties';
import { lockedNote } from './write';
import { refusePlaceholder } from './losses';
import { titleWarning, withLineBreaks } from './opening';
import { refuseRejected } from './rejected';
import { nearestNotes, readPath, targetFields, targetPath } from './targets';

const input = z.strictObject({
  ...targetFields,
  content: contentField,
  reason: reasonField,
  expected_hash: hashField
    .optional()
    .describe('content_hash that you read; refused when the note has changed since'),
  frontmatter: frontmatterField,
  ...envelopeFields,
  dry_run: dryRunField,
});

/** The answer of a change that supersedes a note. */
export const superseded = z.object({
  path: pathShape,
  content_hash: hashShape,
  supersedes: hashShape,
  updated_at: timeShape,
  history_path: pathShape,
  ...refsShape,
  warnings: warningsShape,
});

/**
 * Supersedes a note in place: the body is replaced, front matter is kept, and the old version stays readable by its hash. Never
 * creates a note. A queued note is revised by its writer or by a person, and stays in the queue. Fails with `note_not_found`, `in_queue`, `not_ours`,
 * `hash_mismatch`, `locked`, or `rejected_before` for a text that was rejected; nothing has changed then.
 */
export const updateNote = operation({
  name: 'update',
  // A queued note of its own.
  scope: 'propose',
  mutates: true,
  input,
  output: superseded,
  async run(
    brain,
    { content: sent, reason, expected_hash: expected, frontmatter, dry_run: dryRun, ...rest },
    caller,
    watch,
  ) {
    const { half_life, applies, claim_provenance, ...target } = rest;
    const { text: content, warnings } = withLineBreaks(sent, caller);
    checkContent(content);
    return supersede(brain, caller, watch, {
      path: allows(caller, 'read') ? await readPath(brain, target) : targetPath(brain, target),
      content: () => content,
      warnings,
      ...{ reason, expected, frontmatter, dryRun },
      envelope: { half_life, applies, claim_provenance },
      isLong: content.length >= LONG_TEXT,
    });
  },
});

/** A new version of a note. */
interface NewVersion {
  readonly path: VaultPath;
  /** Returns the content that the caller sends for a note as it is: its body, perhaps with front matter. Its error refuses the change. */
  readonly content: (old: ParsedNote) => string | Promise<string>;
  readonly reason: string;
  /** What was found in the content before. */
  readonly warnings?: readonly string[];
  /** The hash of the version that the caller has read. */
  readonly expected?: string | undefined;
  readonly frontmatter?: z.output<typeof input>['frontmatter'];
  readonly envelope?: Pick<z.output<typeof input>, keyof typeof envelopeFields>;
  readonly dryRun?: boolean | undefined;
  /** True when the content is long, so that it is gated before the lock is taken. */
  readonly isLong: boolean;
  /** True when the content is the body as it is with a change, and has no front matter. */
  readonly isPart?: boolean;
}

/**
 * Supersedes a note as `updateNote` does, by a content that may depend on what the note says now.
 * @throws BrainError as `updateNote`
 */
export function supersede(
  brain: Brain,
  caller: Caller,
  watch: Watch | undefined,
  version: NewVersion,
): Promise<z.input<typeof superseded>> {
  const { content, reason, expected, frontmatter, envelope = {}, dryRun = false } = version;
  const own = withOwn(brain, caller, version.path);
  const path = updatablePath(own, version.path, caller);
  refuseInstructionFile(caller, path);
  const isQueued = zoneOf(path) === 'raw';
  const maySee = allows(caller, 'read');
  if (brain.limits?.sees(path) !== false) refuseUnwritable(brain, path);
  const work = new BodyWork(brain);
  const said = { supersede_reason: reason.trim() };
  const isNamed = expected !== undefined || watch?.ifMatch !== undefined || version.isPart === true;
  return changeConcurrently(
    own,
    async (): Promise<Change<z.input<typeof superseded>>> => {
      const now = await currentVersion(brain, own, path, caller, expected, watch?.ifMatch);
      const { current, old, before, withoutLock } = now;
      const text = await content(old);
      if (!caller.human) refusePlaceholder(text, old.body);
      const opened = version.isPart === true ? openBody(text) : openContent(text);
      checkBody(opened.body);
      const safe = await safeProperties(brain, opened, frontmatter, old.frontmatter, said);
      const body = withLineEndsOf(current, opened.body);
      const from = { path, ...placeOf(path, old.frontmatter) };
      const inBody = await work.gate({ body, current: old.body, from, mode: 'full', blind: !maySee });
      const gated = withFound(inBody, safe);
      const updatedAt = timestamp(work.timeOf(before));
      const composed = composeUpdate(withoutLock, safe.opened, gated.body, {
        set: { updated_at: updatedAt, supersedes: before, ...safe.fields, ...stampOf(caller) },
        envelope,
        ...(safe.frontmatter && { frontmatter: safe.frontmatter }),
      });
      const key = own.catalog.record(path)?.content_key;
      const rejected = await refuseRejected(brain, caller, work, composed.text, key);
      const dropped = withoutLock === current ? [] : [droppedKey(LOCK_KEY)];
      const isBlind = !isNamed && !isWriter(old.frontmatter.written_by, stampName(caller));
      const losses = caller.human || !maySee ? [] : await work.losses(before, old, body, isBlind);
      const warnings = [
        ...(version.warnings ?? []),
        ...(caller.human || 'title' in { ...frontmatter, ...opened.frontmatter }
          ? []
          : await titleWarning(brain, old, opened.body)),
        ...rejected,
        ...dropped,
        ...composed.warnings,
        ...losses,
        ...gated.warnings,
      ];
      const result = {
        path,
        content_hash: sha256(composed.text),
        supersedes: before,
        updated_at: updatedAt,
        history_path: `.brain/${historyPath(before)}`,
        refs: gated.refs,
        unlinked: gated.unlinked,
        warnings,
      };
      if (dryRun) return { plan: null, result };
      const sent = { text, fields: { ...frontmatter, ...said } };
      return {
        plan: { op: 'update', steps: [{ kind: 'edit', path, before, text: composed.text }] },
        result,
        absent: 'note_not_found',
        ...(isQueued && { arrivals: [{ path, text: composed.text, before, sent, body, gated }] }),
        forOwner: actsForOwner(caller),
        finish: () => refreshWings(brain, [wingOfPath(path)], warnings),
      };
    },
    { dryRun, signal: watch?.signal, buildsBeforeLock: version.isLong || sizeOf(own, path) >= LONG_TEXT },
  );
}

/** Reads the note as it is. @throws BrainError when the caller may not supersede it, or has read another version */
async function currentVersion(
  brain: Brain,
  { vault }: Pick<Brain, 'vault'>,
  path: VaultPath,
  caller: Caller,
  expected: string | undefined,
  ifMatch: Watch['ifMatch'],
) {
  const current = await vault.read(path);
  if (current === null) throw await noNoteToUpdate(brain, path, allows(caller, 'read'));
  const old = parseNote(current);
  const isQueued = zoneOf(path) === 'raw';
  if (!isQueued) refuseOwners(caller, path, current);
  else if (!mayRevise(old, caller)) throw inQueue(path, ANOTHERS);
  const before = sha256(current);
  if (!isExpected(before, expected, ifMatch)) throw changedSince(path, before);
  const withoutLock = isQueued && caller.human ? withoutTokensLock(current, old) : current;
  if (isLocked(withoutLock)) throw lockedNote(path);
  return { current, old, before, withoutLock };
}

function sizeOf({ catalog }: Pick<Brain, 'catalog'>, path: VaultPath): number {
  return catalog.record(path)?.size ?? 0;
}

/** Returns the error for a caller that has read an older version than the current one. */
export function changedSince(path: VaultPath, current: Sha): BrainError {
  return new BrainError(
    'hash_mismatch',
    `${path} has changed since you read it. Read it again with ${called('note', 'a read')}, apply your change to what it says now, and send its content_hash as expected_hash.`,
    { path, content_hash: current },
  );
}

/** Returns the error for an update of nothing; who may read gets the nearest notes. */
async function noNoteToUpdate(brain: Brain, path: VaultPath, maySee: boolean): Promise<BrainError> {
  const { near, nearest } = maySee ? await nearestNotes(brain, path) : { near: '', nearest: undefined };
  return new BrainError(
    'note_not_found',
    `There is no note at ${path}; an update never creates one.${near} Use ${called('write', 'a write')} for a new note.`,
    { path, ...(nearest && { nearest }) },
  );
}

const ANOTHERS =
  'is in the review queue, and another writer put it there. Only that writer or a person revises it; once it is promoted, it can be updated.';

/** Returns true when the caller may revise this queued note: a person may revise every one. */
function mayRevise({ frontmatter }: ParsedNote, caller: Caller): boolean {
  return caller.human || isWriter(frontmatter.written_by, stampName(caller));
}

/** Returns a queued note without its lock when a token wrote it: the owner has not set that lock. */
function withoutTokensLock(text: string, note: ParsedNote): string {
  return hasTokensLock(note) ? setKeys(text, {}, [LOCK_KEY]).text : text;
}

function inQueue(path: VaultPath, why: string): BrainError {
  return new BrainError('in_queue', `${path} ${why}`, { path });
}

function updatablePath({ catalog }: Pick<Brain, 'catalog'>, path: VaultPath, caller: Caller): VaultPath {
  const zone = zoneOf(path);
  if (zone !== 'raw' && !allows(caller, 'write'))
    throw new BrainError(
      'forbidden_scope',
      `This token may only propose: it changes its own notes in raw/, and ${path} is none. Propose a new text with ${called('write', 'a write')}, or ask the owner of the vault for a token with the scope "write".`,
      { scope: 'write', path },
    );
  if (zone === 'rejected')
    throw inQueue(path, 'was rejected and is not updated. A reviewer can restore it to the queue.');
  if (catalog.record(path)?.status === 'vault') throw notOurs(path);
  if (!['wiki', 'knowledge', 'raw'].includes(zone) || stemOf(path) === '_index') {
    throw new BrainError(
      'path_not_allowed',
      'Only notes in wiki/ and knowledge/, and in raw/ your own or, for a person, any, can be updated; wing indexes are made by the service.',
      { path },
    );
  }
  return path;
}
