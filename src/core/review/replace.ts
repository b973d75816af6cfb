import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { sha256 } from '../base/hash';
import { isExpected } from '../base/if-match';
import { LONG_TEXT } from '../base/steps';
import { isBlank } from '../base/text';
import { timestamp } from '../base/time';
import { placeOf } from '../catalog/record';
import {
  composeUpdate,
  droppedKey,
  hasTokensLock,
  isEqual,
  LOCK_KEY,
  type OpenedContent,
  openContent,
  setKeys,
  withLineEndsOf,
} from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import type { Values } from '../frontmatter/yaml';
import { asCode } from '../markdown/address';
import { BodyWork, checkContent } from '../notes/content';
import { actingProperties, safeProperties } from '../notes/properties';
import { linkedPath, readKnown } from '../notes/targets';
import { changedSince } from '../notes/update';
import { lockedNote } from '../notes/write';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hashField, pathField, reasonField } from '../operation/fields';
import { refuseUnwritable, seenOf } from '../operation/limits';
import { refuseOwners } from '../operation/owner';
import { operation } from '../operation/operation';
import { hashShape, pathShape, refsShape, warningsShape } from '../operation/shapes';
import { admitting, batchSiblings } from '../sources/batch-siblings';
import type { Step } from '../storage/plan';
import { CONFIRMATION_KEYS, PROTECTED_KEYS, stampOf } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import { decidedPath } from './confirm';
import { findingsHashField, keepField, keptOf, keptParts, refuseOtherFindings } from './kept';
import { followOf, leftWarnings, refreshMaps, relinkSteps } from './relink';
import { decisionOf, expectedHashField, readReviewNote, refuseRequest } from './review-note';

const input = z.strictObject({
  path: pathField.describe('The note of the queue'),
  replaces: pathField.describe('The note of the wiki or of knowledge that gets its text'),
  reason: reasonField,
  body: z
    .string()
    .optional()
    .describe(
      'The text behind the front matter instead of that of the queued note: both merged by hand; not with keep',
    ),
  keep: keepField,
  findings_hash: findingsHashField,
  expected_hash: expectedHashField,
  replaced_hash: hashField
    .optional()
    .describe('content_hash of the replaced note as it was looked at; refused when it has changed since'),
  dry_run: dryRunField,
});

const output = z.object({
  path: pathShape,
  from: pathShape,
  content_hash: hashShape,
  previous_hash: hashShape.optional().describe('The version before; absent without the scope "read"'),
  refs: refsShape.refs,
  warnings: warningsShape,
  body: z.string().optional().describe('The text behind the front matter as it will be; in a dry run only'),
  body_before: z.string().optional().describe('That text as it is; in a dry run only'),
});

/**
 * Replaces the text of a note of the wiki or of `knowledge/` with that of a queued note, or with `body`. The note keeps its address,
 * its title, its aliases and the time of its creation; the other keys of the queued note replace its own, its old version stays
 * readable by its hash, and links to the queued note follow. The queued note leaves the queue. `unpromote` takes it back.
 * Fails with `not_in_queue`, `source_missing`, `note_not_found`, `path_not_allowed`, `not_ours`, `locked`, `hash_mismatch` or
 * `empty_content`; nothing has changed then.
 */
export const replaceNote = operation({
  name: 'replace',
  scope: 'review',
  mutates: true,
  input,
  output,
  run(brain, ask, caller, watch) {
    const { path: given, reason, body: merged, keep, expected_hash: expected, dry_run: dryRun } = ask;
    const { findings_hash: findings } = ask;
    if (merged !== undefined) checkMerge(merged, keep);
    const to = decidedPath(brain, ask.replaces);
    const at = linkedPath(brain, given);
    const work = new BodyWork(brain);
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const queued = await readReviewNote(brain, given, 'raw', expected, watch?.ifMatch);
        refuseRequest(queued);
        const current = await readKnown(brain, to);
        if (current === null) throw nothingToReplace(to);
        refuseUnwritable(brain, to);
        const before = sha256(current);
        if (!isExpected(before, ask.replaced_hash, undefined)) throw changedSince(to, before);
        refuseOwners(caller, to, current);
        if (isLocked(current)) throw lockedNote(to);
        const replaced = await replacedText(
          brain,
          work,
          { from: queued.path, to, text: queued.text, current, reason, merged, keep, findings },
          caller,
        );
        const follow = followOf(brain, caller);
        const relinks = await relinkSteps(brain.whole, new Map([[queued.path, to]]), follow);
        const links = relinks.steps.filter(({ path }) => path !== to && path !== queued.path);
        const warnings = [...replaced.warnings, ...leftWarnings(brain, relinks.left)];
        const result = {
          path: to,
          from: queued.path,
          content_hash: sha256(replaced.text),
          previous_hash: before,
          refs: replaced.refs,
          warnings,
        };
        if (dryRun) {
          return {
            plan: null,
            result: { ...result, body: replaced.body, body_before: parseNote(current).body },
          };
        }
        const steps: Step[] = [
          { kind: 'edit', path: to, before, text: replaced.text },
          { kind: 'remove', path: queued.path, before: queued.hash },
          ...links,
        ];
        return {
          plan: { op: 'replace', decision: decisionOf(caller, replaced.text, reason), steps },
          result,
          isIndependent: true,
          forOwner: actsForOwner(caller),
          async finish(skipped) {
            for (const path of seenOf(brain, skipped))
              warnings.push(`${path} changed meanwhile; its link to the queued note was left as it is.`);
            await refreshMaps(brain, [to, ...links.map(({ path }) => path)], warnings);
          },
        };
      },
      {
        dryRun,
        signal: watch?.signal,
        buildsBeforeLock:
          (brain.catalog.record(at)?.size ?? 0) >= LONG_TEXT || (merged?.length ?? 0) >= LONG_TEXT,
      },
    );
  },
});

/** @throws BrainError `invalid_field` for a merge with kept findings, or as `checkContent` does */
function checkMerge(merged: string, keep: readonly number[] | undefined): void {
  checkContent(merged, 'body');
  if (keep === undefined) return;
  throw new BrainError(
    'invalid_field',
    '"keep" counts the findings of the queued note, and "body" is another text. Send one of them.',
    { field: 'keep' },
  );
}

function nothingToReplace(path: VaultPath): BrainError {
  return new BrainError(
    'note_not_found',
    `There is no note at ${path} to replace. ${called('promote', 'A promotion')} gives the queued note an address of its own.`,
    { path },
  );
}

/** The keys that a note keeps when it gets another text: those by which it is known, and those of the service. */
const KEPT: ReadonlySet<string> = new Set([...PROTECTED_KEYS, 'title', 'aliases', 'created']);

/** Returns the text that the replaced note gets, with warnings; writes nothing. */
async function replacedText(
  brain: Brain,
  work: BodyWork,
  note: {
    from: VaultPath;
    to: VaultPath;
    text: string;
    current: string;
    reason: string;
    merged: string | undefined;
    keep: readonly number[] | undefined;
    findings: string | undefined;
  },
  caller: Caller,
) {
  const { from, to, current } = note;
  const acting = await actingProperties(brain, note.text);
  const queued = openContent(note.text);
  const old = parseNote(current);
  const body = withLineEndsOf(current, note.merged ?? queued.body);
  if (isBlank(body)) {
    throw new BrainError(
      'empty_content',
      `${from} has no text, which would empty ${to}. Reject it instead.`,
      {
        path: from,
      },
    );
  }
  const warnings = hasTokensLock(queued) ? [droppedKey(LOCK_KEY)] : [];
  const properties = acting.changes;
  await refuseOtherFindings(brain, work, { ...parseNote(note.text), path: from, properties }, note.findings);
  const undecided = { path: from, frontmatter: queued.frontmatter, body, properties };
  const keep = await keptParts(brain, work, undecided, note.keep, caller, warnings);
  const { numbers, parts } = keptOf(properties, keep);
  const left = new Set([...numbers, ...acting.standingIn(old.frontmatter)]);
  const opened = openContent(acting.text(left));
  const place = { path: to, ...placeOf(to, old.frontmatter) };
  const gated = await work.gate(
    { body, current: old.body, from: place, mode: 'promote', ...(keep && { keep: parts }) },
    admitting(await batchSiblings(brain, from)),
  );
  const said = { supersede_reason: note.reason.trim() };
  const safe = await safeProperties(brain, openContent(''), undefined, old.frontmatter, said);
  const now = timestamp(work.timeOf(sha256(note.text), sha256(current)));
  const stamp = stampOf(caller);
  const { origin, written_by: writtenBy } = opened.frontmatter;
  // Who merges the texts has written the result; otherwise the writer of the queued note has.
  const isWritersOwn =
    note.merged === undefined && typeof writtenBy === 'string' && typeof origin === 'string';
  const composed = composeUpdate(current, withoutIdentity(opened, old.frontmatter), gated.body, {
    set: {
      updated_at: now,
      supersedes: sha256(current),
      ...safe.fields,
      ...(isWritersOwn ? { origin, written_by: writtenBy } : stamp),
      promoted_at: now,
      promoted_by: stamp.written_by,
    },
    envelope: {},
  });
  const { text } = setKeys(composed.text, {}, CONFIRMATION_KEYS);
  return {
    text,
    body: gated.body,
    refs: [
      ...acting.refs.map((ref, index) => ({ ...ref, unlinked: !left.has(index) })),
      ...safe.refs,
      ...gated.refs,
    ],
    warnings: [...warnings, ...safe.warnings, ...composed.warnings, ...gated.warnings],
  };
}

/**
 * Returns a queued note without the keys that the replaced note keeps, without those that the service sets, and without those
 * that the gate made code of a property that the replaced note has.
 */
function withoutIdentity(opened: OpenedContent, current: Values): OpenedContent {
  const { block } = opened;
  const isTokens = hasTokensLock(opened);
  const coded = new Map(Object.entries(current).map(([key, value]) => [asCode(key), value]));
  const isCoded = (key: string) => coded.has(key) && isEqual(coded.get(key), opened.frontmatter[key]);
  const entries = block.entries.filter(
    ({ key }) => !KEPT.has(key) && (key !== LOCK_KEY || !isTokens) && !isCoded(key),
  );
  const kept = new Set(entries.map(({ key }) => key));
  const frontmatter = Object.fromEntries(Object.entries(opened.frontmatter).filter(([key]) => kept.has(key)));
  return { ...opened, frontmatter, block: { ...block, entries, values: frontmatter } };
}
