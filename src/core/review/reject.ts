import * as z from 'zod';
import { timestamp } from '../base/time';
import { inertLine } from '../frontmatter/block';
import { type Change, changeVault } from '../operation/change';
import { freePath } from '../operation/limits';
import { dryRunField, MAX_REASON, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape, timeShape } from '../operation/shapes';
import { stemOf, vaultPath } from '../vocabulary/paths';
import { stampOf } from '../vocabulary/envelope';
import { numbered } from '../vocabulary/address';
import { decisionOf, expectedHashField, markedText, readReviewNote } from './review-note';

const input = z.strictObject({
  path: pathField,
  reason: z.string().max(MAX_REASON).optional().describe('Why; kept with the note'),
  expected_hash: expectedHashField,
  dry_run: dryRunField,
});

const output = z.object({
  path: pathShape,
  rejected_path: pathShape,
  rejected_at: timeShape,
  linked_from: z.array(pathShape),
});

/**
 * Rejects a raw note: it moves to `raw/rejected/` with who rejected it and why. It overwrites nothing there, and links to it
 * are listed, not changed. Fails with `not_in_queue`, `source_missing` or `hash_mismatch`.
 */
export const rejectNote = operation({
  name: 'reject',
  scope: 'review',
  mutates: true,
  input,
  output,
  run(brain, { path: given, reason = '', expected_hash: expected, dry_run: dryRun }, caller, watch) {
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const { path, text, hash } = await readReviewNote(brain, given, 'raw', expected, watch?.ifMatch);
        const to = await freePath(brain, (n) => vaultPath(`raw/rejected/${numbered(stemOf(path), n)}.md`));
        const rejectedAt = timestamp(brain.clock.now());
        const rejected = markedText(text, {
          rejected_at: rejectedAt,
          rejected_by: stampOf(caller).written_by,
          ...(inertLine(reason) !== '' && { reject_reason: inertLine(reason) }),
        });
        const result = {
          path,
          rejected_path: to,
          rejected_at: rejectedAt,
          linked_from: brain.catalog.backlinks(path),
        };
        if (dryRun) return { plan: null, result };
        const steps = [
          { kind: 'create', path: to, text: rejected } as const,
          { kind: 'remove', path, before: hash } as const,
        ];
        const decision = decisionOf(caller, text, inertLine(reason));
        return { plan: { op: 'reject', decision, steps }, result, isIndependent: true };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});
