import * as z from 'zod';
import { allows, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { type Sha, sha256, utf8Length } from '../base/hash';
import { type IfMatch, isExpected } from '../base/if-match';
import { LONG_TEXT } from '../base/steps';
import { localDate, type Timestamp, timestamp } from '../base/time';
import { refuseTemplates } from '../frontmatter/block';
import {
  composeWrite,
  droppedKey,
  mayNotSet,
  openContent,
  type OpenedContent,
  replaceBody,
  isEqual,
  setKeys,
  withVisibleBlock,
} from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import type { Gated } from '../gate/gate';
import { type Change, changeVault } from '../operation/change';
import { freePath } from '../operation/limits';
import type { Brain } from '../operation/context';
import { contentField, dryRunField, hashField, MAX_ROOT_NOTE, reasonField } from '../operation/fields';
import { operation } from '../operation/operation';
import { hashShape, pathShape, refsShape, warningsShape } from '../operation/shapes';
import type { EventData } from '../storage/event-data';
import { historyPath, readHistory } from '../storage/history';
import { rawPath, slugify } from '../vocabulary/address';
import { OTHER_ROOT_NOTE, stemOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import { stampOf } from '../vocabulary/envelope';
import { BodyWork, checkBody, checkContent } from './content';
import { safeProperties, safeText, withFound } from './properties';
import { lockedNote } from './write';
import { changedSince } from './update';
import type { Version } from './versions';

/** A recorded edit of the root note. */
export type RootEdit = NonNullable<EventData['root']> & { readonly ts: Timestamp };

/** Returns every recorded edit that was made, from all devices, by time. */
export async function recordedRootEdits({ past }: Pick<Brain, 'past'>): Promise<RootEdit[]> {
  const edits: RootEdit[] = [];
  for (const { ts, notes, data: { root } = {} } of await (await past.read()).telling('root')) {
    const failed = root?.undone === true ? edits.map(({ id }) => id).lastIndexOf(root.id) : -1;
    // Of a change that was cut and could not be finished, the past has the notes that it reached.
    const isMade = notes.length === 0 || notes.some(({ after }) => after === root?.after);
    if (root !== undefined && root.undone !== true && isMade) edits.push({ ...root, ts });
    else if (failed >= 0) edits.splice(failed, 1);
  }
  return edits;
}

/** Returns the number of older versions of a text of the root note; reads each of them at most once. */
export async function olderRootVersions(
  { state, versions, past }: Pick<Brain, 'state' | 'versions' | 'past'>,
  text: string,
): Promise<number> {
  const edits = await recordedRootEdits({ past });
  const before = new Map(edits.map((edit) => [edit.after, edit.before]));
  const seen = new Set([sha256(text)]);
  for (let next = before.get(sha256(text)); next !== undefined && !seen.has(next); next = before.get(next)) {
    if (!(await versions.has(state, next))) break;
    seen.add(next);
  }
  return seen.size - 1;
}

/** Yields the versions of the root note, newest first, as the log of edits links them. */
export async function* rootVersions(
  brain: Pick<Brain, 'state' | 'past'>,
  path: VaultPath,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const edits = new Map((await recordedRootEdits(brain)).map((edit) => [edit.after, edit]));
  const seen = new Set<Sha>();
  for (let current: string | null = text; current !== null;) {
    const hash = sha256(current);
    if (seen.has(hash)) return;
    seen.add(hash);
    const edit: RootEdit | undefined = edits.get(hash);
    yield {
      hash,
      ...(edit && edit.path === path && { updated_at: edit.ts, reason: edit.reason, written_by: edit.actor }),
      bytes: utf8Length(current),
      text: current,
    };
    current = edit?.before === undefined ? null : await readHistory(brain.state, edit.before);
  }
}

/** Returns the path of the root note: the configured one, or an existing `CLAUDE.md` when that is missing. */
export async function rootNotePath(brain: Pick<Brain, 'config' | 'vault'>): Promise<VaultPath> {
  const configured = vaultPath(brain.config.rootNote);
  if ((await brain.vault.stat(configured)) !== null) return configured;
  const claude = vaultPath(OTHER_ROOT_NOTE);
  return (await brain.vault.stat(claude)) !== null ? claude : configured;
}

const input = z.strictObject({
  content: contentField,
  reason: reasonField,
  expected_hash: hashField
    .optional()
    .describe('content_hash of the root note as you read it; required when it exists'),
  dry_run: dryRunField,
});

const output = z.object({
  path: pathShape,
  content_hash: hashShape,
  previous_hash: hashShape.optional(),
  history_path: pathShape.optional(),
  ...refsShape,
  warnings: warningsShape,
});

/**
 * Replaces the root note, which guides every agent. The former text is kept, and a log records who changed it and why; no front
 * matter is added. With the setting `propose` the text goes to the review queue instead; with `deny` it is refused. Fails with
 * `missing_field` or `hash_mismatch` unless the caller has read the current text, and with `locked`.
 */
export const editRoot = operation({
  name: 'edit-root',
  scope: 'admin',
  mutates: true,
  whole: true,
  input,
  output,
  async run(brain, { content, reason, expected_hash: expected, dry_run: dryRun }, caller, watch) {
    checkContent(content, 'content', MAX_ROOT_NOTE);
    if (brain.config.rootEdit === 'deny') {
      throw new BrainError(
        'forbidden_scope',
        'The owner of this vault does not let the root note be edited through the service.',
      );
    }
    const path = await rootNotePath(brain);
    const opened = openContent(content);
    checkBody(opened.body);
    const proposes = brain.config.rootEdit === 'propose';
    const work = new BodyWork(brain);
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const current = await brain.vault.read(path);
        checkExpected(path, current, expected, watch?.ifMatch);
        if (current !== null && !proposes && isLocked(current)) throw lockedNote(path);
        const gated = await work.gate({
          // A second front matter block is not merged here: it is part of the body.
          body: proposes ? opened.body : parseNote(content).body,
          ...(current !== null && { current: parseNote(current).body }),
          from: { path, wing: null, hall: null },
          mode: 'full',
          blind: !allows(caller, 'read'),
        });
        const edit = { path, content, opened, reason, current, gated };
        const change = await (proposes ? proposal(brain, edit, caller) : rootChange(brain, edit, caller));
        return dryRun ? { plan: null, result: change.result } : change;
      },
      {
        dryRun,
        signal: watch?.signal,
        buildsBeforeLock:
          content.length >= LONG_TEXT || ((await brain.vault.stat(path))?.size ?? 0) >= LONG_TEXT,
      },
    );
  },
});

/** @throws BrainError `missing_field` or `hash_mismatch` unless the caller has read `current`. */
function checkExpected(
  path: VaultPath,
  current: string | null,
  expected: string | undefined,
  ifMatch: IfMatch | undefined,
): void {
  if (current !== null) {
    const hash = sha256(current);
    if (expected === undefined && ifMatch === undefined) {
      throw new BrainError(
        'missing_field',
        `"expected_hash" is required because ${path} exists: read it first with ${called('note', 'a read')} and send its content_hash.`,
        {
          field: 'expected_hash',
          content_hash: hash,
        },
      );
    }
    if (!isExpected(hash, expected, ifMatch)) throw changedSince(path, hash);
  } else if (expected !== undefined || ifMatch !== undefined) {
    throw new BrainError(
      'hash_mismatch',
      `There is no note at ${path}, so it cannot be the one you read. Leave "expected_hash" out to make it.`,
      { path },
    );
  }
}

/** A call to `edit-root` whose content has passed the gate. */
interface GatedEdit {
  readonly path: VaultPath;
  readonly content: string;
  readonly opened: OpenedContent;
  readonly reason: string;
  /** The text of the root note now; null when there is none. */
  readonly current: string | null;
  readonly gated: Gated;
}

/** Plans a note in the review queue that proposes the edit. */
async function proposal(
  brain: Brain,
  { path, content, opened, reason, current, gated: inBody }: GatedEdit,
  caller: Caller,
): Promise<Change<z.input<typeof output>>> {
  const now = brain.clock.now();
  const existing = parseNote(current ?? '').frontmatter;
  const safe = await safeProperties(brain, opened, undefined, existing, { reason });
  const gated = withFound(inBody, safe);
  const composed = composeWrite(safe.opened, gated.body, {
    address: null,
    created_at: timestamp(now),
    ...stampOf(caller),
    options: { type: 'root-edit' },
    frontmatter: { target: path, ...safe.fields },
    current: current ?? undefined,
  });
  const slug = slugify(stemOf(path), sha256(content));
  const queued = await freePath(brain, (n) => rawPath(localDate(now), slug, n));
  const result = {
    path: queued,
    content_hash: sha256(composed.text),
    refs: gated.refs,
    unlinked: gated.unlinked,
    warnings: [
      ...composed.warnings,
      ...gated.warnings,
      'The owner reviews edits of the root note: yours waits in the queue.',
    ],
  };
  const plan = {
    op: 'propose-root',
    steps: [{ kind: 'create', path: queued, text: composed.text } as const],
  };
  const sent = { text: content, fields: { reason } };
  const arrival = { path: queued, text: composed.text, sent, body: opened.body, gated };
  return { plan, result, arrivals: [arrival] };
}

/** Plans the edit of the root note. */
async function rootChange(
  brain: Brain,
  { path, content, opened, reason, current, gated: inBody }: GatedEdit,
  caller: Caller,
): Promise<Change<z.input<typeof output>>> {
  refuseTemplates(opened, current ?? '');
  const stamp = stampOf(caller);
  const { text, warnings: dropped, safe } = await rootText(brain, content, inBody.body, current, stamp);
  const gated = withFound(inBody, safe);
  const before = current === null ? undefined : sha256(current);
  const after = sha256(text);
  const historyFile = before === undefined ? undefined : `.brain/${historyPath(before)}`;
  const result = {
    path,
    content_hash: after,
    ...(before !== undefined && { previous_hash: before, history_path: historyFile }),
    refs: gated.refs,
    unlinked: gated.unlinked,
    warnings: [...dropped, ...gated.warnings],
  };
  if (after === before) return { plan: null, result };
  const step =
    before === undefined
      ? ({ kind: 'create', path, text } as const)
      : ({ kind: 'edit', path, before, text } as const);
  const root = { path, before, after, actor: stamp.written_by, reason };
  return { plan: { op: 'edit-root', steps: [step], data: { root } }, forOwner: true, result };
}

/**
 * Returns the new text of the root note: the content with the gated body in one front matter block, without keys of the service
 * and keys that the writer may not set, and with what would act in the others as text.
 */
async function rootText(
  brain: Brain,
  content: string,
  body: string,
  current: string | null,
  { written_by: writtenBy }: ReturnType<typeof stampOf>,
) {
  const existing = parseNote(current ?? '').frontmatter;
  const plain = withVisibleBlock(replaceBody(content.replace(/^\uFEFF/, ''), body));
  const safe = await safeText(brain, plain.text, existing);
  const own = parseNote(safe.text).frontmatter;
  const dropped = Object.keys(own).filter(
    (key) => mayNotSet(key, writtenBy) && !isEqual(own[key], existing[key]),
  );
  const text = dropped.length === 0 ? safe.text : setKeys(safe.text, {}, dropped).text;
  return { text, safe, warnings: [...plain.warnings, ...dropped.map(droppedKey)] };
}
