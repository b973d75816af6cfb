import * as z from 'zod';
import { allows, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { isSha, sha256, utf8Length } from '../base/hash';
import { type IfMatch, isExpected } from '../base/if-match';
import { LONG_TEXT } from '../base/steps';
import { compareText } from '../base/text';
import { localDate, timestamp } from '../base/time';
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
import { historyPath, readHistory } from '../storage/history';
import { appendLines, valuesIn } from '../storage/lines';
import { rawPath, slugify } from '../vocabulary/address';
import { OTHER_ROOT_NOTE, stemOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import { stampOf } from '../vocabulary/envelope';
import { BodyWork, checkBody, checkContent } from './content';
import { safeProperties, safeText, withFound } from './properties';
import { lockedNote } from './write';
import { changedSince } from './update';
import type { Version } from './versions';

/**
 * A line of the log of root note edits. The root note has no stamps, so the log keeps who changed it and the hash of the former
 * text. `undone` marks a recorded edit that failed, `undo` one that reverted the edits of a writer.
 */
const rootEdit = z.object({
  v: z.literal(1),
  ts: z.string(),
  id: z.string(),
  actor: z.string(),
  client: z.string().optional(),
  path: z.string(),
  before_hash: z.string().optional(),
  after_hash: z.string(),
  before_bytes: z.number(),
  after_bytes: z.number(),
  reason: z.string(),
  history_path: z.string().optional(),
  undone: z.boolean().optional(),
  undo: z.boolean().optional(),
});
export type RootEdit = z.output<typeof rootEdit>;

const FOLDER = 'audit';
const LOG_FILE = /\/root-edits\.[^/]+\.jsonl$/;

/** Records an edit durably. It runs before the edit, so every edit has a record. */
export async function recordRootEdit(brain: Pick<Brain, 'state' | 'device'>, edit: RootEdit): Promise<void> {
  await appendLines(brain.state, `${FOLDER}/root-edits.${brain.device}.jsonl`, [edit], true);
}

/** Returns every recorded edit that was made, from all devices, by time. Lines that do not parse are left out. */
export async function recordedRootEdits(brain: Pick<Brain, 'state'>): Promise<RootEdit[]> {
  const edits: RootEdit[] = [];
  // The edit of a torn line was never made.
  const editOf = (value: unknown) => rootEdit.safeParse(value).data ?? null;
  for (const edit of await valuesIn(brain.state, FOLDER, LOG_FILE, editOf)) {
    const failed = edit.undone === true ? edits.map(({ id }) => id).lastIndexOf(edit.id) : -1;
    if (edit.undone !== true) edits.push(edit);
    else if (failed >= 0) edits.splice(failed, 1);
  }
  return edits.sort((a, b) => compareText(a.ts, b.ts));
}

/** Returns the number of older versions of a text of the root note; reads each of them at most once. */
export async function olderRootVersions(
  { state, versions }: Pick<Brain, 'state' | 'versions'>,
  text: string,
): Promise<number> {
  const before = new Map(
    (await recordedRootEdits({ state })).map((edit) => [edit.after_hash, edit.before_hash]),
  );
  const seen = new Set([sha256(text)]);
  for (let next = before.get(sha256(text)); isSha(next) && !seen.has(next); next = before.get(next)) {
    if (!(await versions.has(state, next))) break;
    seen.add(next);
  }
  return seen.size - 1;
}

/** Yields the versions of the root note, newest first, as the log of edits links them. */
export async function* rootVersions(
  brain: Pick<Brain, 'state'>,
  path: VaultPath,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const edits = new Map((await recordedRootEdits(brain)).map((edit) => [edit.after_hash, edit]));
  const seen = new Set<string>();
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
    current =
      edit !== undefined && isSha(edit.before_hash) ? await readHistory(brain.state, edit.before_hash) : null;
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

/** Plans the edit of the root note, with its record. */
async function rootChange(
  brain: Brain,
  { path, content, opened, reason, current, gated: inBody }: GatedEdit,
  caller: Caller,
): Promise<Change<z.input<typeof output>>> {
  refuseTemplates(opened, current ?? '');
  const now = brain.clock.now();
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
  const record = {
    v: 1 as const,
    ts: timestamp(now),
    id: sha256(`${before ?? ''}${after}${now.getTime()}`).slice(0, 16),
    actor: stamp.written_by,
    ...(caller.client !== undefined && { client: caller.client }),
    path,
    ...(before !== undefined && { before_hash: before, history_path: historyFile }),
    after_hash: after,
    before_bytes: current === null ? 0 : utf8Length(current),
    after_bytes: utf8Length(text),
    reason,
  };
  return {
    plan: { op: 'edit-root', steps: [step] },
    forOwner: true,
    result,
    prepare: () => recordRootEdit(brain, record),
    failed: () => recordRootEdit(brain, { ...record, undone: true }),
  };
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
