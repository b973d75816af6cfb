import * as z from 'zod';
import { sha256 } from '../base/hash';
import { timestamp, localDate } from '../base/time';
import { inertLine } from '../frontmatter/block';
import { composeWrite, openContent } from '../frontmatter/compose';
import { linkedPath, noSuchNote } from '../notes/targets';
import { changeVault } from '../operation/change';
import { dryRunField, pathField, reasonField } from '../operation/fields';
import { freePath } from '../operation/limits';
import { operation } from '../operation/operation';
import { hashShape, pathShape, warningsShape } from '../operation/shapes';
import { FORGET_REQUEST } from '../review/review-note';
import { rawPath } from '../vocabulary/address';
import { stampOf } from '../vocabulary/envelope';

/** It holds no word of the note, which it would keep otherwise. */
const BODY = '# Forget a note\n\nThe note that `target` names is to be forgotten.\n';

/**
 * Asks that a note is forgotten: the request waits in the queue with its reason, and a person decides. Nothing takes it by a rule or in
 * bulk, and rejecting it leaves the note. Fails with `note_not_found`.
 */
export const askToForget = operation({
  name: 'ask_to_forget',
  scope: 'propose',
  mutates: true,
  input: z.strictObject({ path: pathField, reason: reasonField, dry_run: dryRunField }),
  output: z.object({
    path: pathShape.describe('The request in the queue'),
    content_hash: hashShape,
    target: pathShape,
    warnings: warningsShape,
  }),
  run(brain, { path: given, reason, dry_run: dryRun }, caller, watch) {
    return changeVault(
      brain,
      async () => {
        const target = linkedPath(brain, given);
        if (brain.catalog.record(target) === undefined) throw await noSuchNote(brain, given, target);
        const now = brain.clock.now();
        const { text, warnings } = composeWrite(openContent(BODY), BODY, {
          address: null,
          created_at: timestamp(now),
          ...stampOf(caller),
          options: { type: FORGET_REQUEST },
          frontmatter: { target, reason: inertLine(reason) },
        });
        const path = await freePath(brain, (n) => rawPath(localDate(now), 'forget-a-note', n));
        const result = { path, content_hash: sha256(text), target, warnings };
        const steps = [{ kind: 'create', path, text } as const];
        return { plan: dryRun === true ? null : { op: 'ask-to-forget', steps }, result };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});
