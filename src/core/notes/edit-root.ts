import * as z from 'zod';
import { allows } from '../caller';
import { changeVault, type Change } from '../change-vault';
import { BrainError } from '../errors';
import { contentField, dryRunField, hashField, MAX_ROOT_NOTE, reasonField } from '../fields';
import { historyPath } from '../history-store';
import { isExpected } from '../if-match';
import { operation } from '../operation';
import { rawPath } from '../rules/address';
import { parseNote } from '../rules/frontmatter/parse-note';
import { openContent, visibleNote } from '../rules/frontmatter/open-content';
import { composeWrite, replaceBody, setKeys } from '../rules/frontmatter/compose';
import { refuseTemplates } from '../rules/frontmatter/inert';
import { droppedKey, mayNotSet, same } from '../rules/frontmatter/offers';
import { sha256, utf8Length } from '../rules/hash';
import { isLocked } from '../rules/lock';
import { stampOf } from '../rules/provenance';
import { slugify } from '../rules/slug';
import { stemOf } from '../rules/paths';
import { localDate, timestamp } from '../rules/time';
import { hashShape, pathShape, refsShape, warningsShape } from '../shapes';
import { gateBody } from './gate-body';
import { checkBody, checkContent } from './content';
import { lockedNote } from './place-note';
import { recordRootEdit } from './root-edits';
import { rootNotePath } from './root-note';
import { changedSince } from './update-note';

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
 * Rewrites the note that guides every agent. The old text is kept, and a record says who changed it and why; no front
 * matter is injected. Under the setting `propose` the text goes to the review queue instead; under `deny` it is refused.
 * Fails with `missing_field` or `hash_mismatch` unless the caller has read what stands there now, and with `locked`.
 */
export const editRoot = operation({
  name: 'edit-root',
  scope: 'admin',
  mutates: true,
  input,
  output,
  async run(brain, { content, reason, expected_hash: expected, dry_run: dryRun }, caller, watch) {
    const ifMatch = watch?.ifMatch;
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
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const current = await brain.vault.read(path);
        const before = current === null ? undefined : sha256(current);
        if (before !== undefined && expected === undefined && ifMatch === undefined) {
          throw new BrainError(
            'missing_field',
            `"expected_hash" is required because ${path} exists: read it first and send its content_hash.`,
            {
              field: 'expected_hash',
              content_hash: before,
            },
          );
        }
        if (before !== undefined && !isExpected(before, expected, ifMatch)) throw changedSince(path, before);
        if (before === undefined && (expected !== undefined || ifMatch !== undefined)) {
          throw new BrainError(
            'hash_mismatch',
            `There is no note at ${path}, so it cannot be the one you read. Leave "expected_hash" out to make it.`,
            { path },
          );
        }
        if (current !== null && !proposes && isLocked(current)) throw lockedNote(path);
        const gated = await gateBody(brain, {
          // Nothing is joined in this note: a second block stays where it is, as a part of the body.
          body: proposes ? opened.body : parseNote(content).body,
          ...(current !== null && { current: parseNote(current).body }),
          from: { path, wing: null, hall: null },
          mode: 'full',
          blind: !allows(caller, 'read'),
        });
        const now = brain.clock.now();
        const stamp = stampOf(caller);
        const shared = { refs: gated.refs, unlinked: gated.unlinked };
        if (proposes) {
          const composed = composeWrite(opened, gated.body, {
            address: null,
            created_at: timestamp(now),
            ...stamp,
            options: { type: 'root-edit' },
            frontmatter: { target: path, reason },
            current: current ?? undefined,
          });
          const slug = slugify(stemOf(path), sha256(content));
          let n = 1;
          while (brain.catalog.taken(rawPath(localDate(now), slug, n)) !== null) n += 1;
          const proposal = rawPath(localDate(now), slug, n);
          const result = {
            path: proposal,
            content_hash: sha256(composed.text),
            ...shared,
            warnings: [
              ...composed.warnings,
              ...gated.warnings,
              'The owner reviews edits of the root note: yours waits in the queue.',
            ],
          };
          const plan = {
            op: 'propose-root',
            steps: [{ kind: 'create', path: proposal, text: composed.text } as const],
          };
          return { plan: dryRun ? null : plan, result };
        }
        refuseTemplates(opened, current ?? '');
        const { text, warnings: dropped } = rootText(content, gated.body, current, stamp.written_by);
        const after = sha256(text);
        const historyFile = before === undefined ? undefined : `.brain/${historyPath(before)}`;
        const result = {
          path,
          content_hash: after,
          ...(before !== undefined && { previous_hash: before, history_path: historyFile }),
          ...shared,
          warnings: [...dropped, ...gated.warnings],
        };
        if (dryRun || after === before) return { plan: null, result };
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
          result,
          prepare: () => recordRootEdit(brain, record),
          failed: () => recordRootEdit(brain, { ...record, undone: true }),
        };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

/**
 * The root note as it is to stand: the content with the gated body and no key of the service, in one block, without what the
 * writer may not set.
 */
function rootText(
  content: string,
  body: string,
  current: string | null,
  writtenBy: string,
): { text: string; warnings: string[] } {
  const plain = visibleNote(replaceBody(content.replace(/^\uFEFF/, ''), body));
  const own = parseNote(plain.text).frontmatter;
  const standing = parseNote(current ?? '').frontmatter;
  const dropped = Object.keys(own).filter(
    (key) => mayNotSet(key, writtenBy) && !same(own[key], standing[key]),
  );
  const text = dropped.length === 0 ? plain.text : setKeys(plain.text, {}, dropped).text;
  return { text, warnings: [...plain.warnings, ...dropped.map(droppedKey)] };
}
