import * as z from 'zod';
import { changeVault, type Change } from '../change-vault';
import type { Step } from '../commit';
import { BrainError } from '../errors';
import { dryRunField, pathField } from '../fields';
import { refreshWings } from '../notes/wing-index';
import { operation } from '../operation';
import { wingOfPath } from '../rules/address';
import { setKeys } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import { stemOf, vaultPath } from '../rules/paths';
import { numbered } from '../rules/slug';
import { localDate, parseTime } from '../rules/time';
import { pathShape } from '../shapes';
import { originOf } from './origins';
import { freePath, readSource } from './queue-source';
import { relinkSteps } from './relink';

/** Keys that promotion set. Wing and hall stay: in the queue they are the suggestion. */
const PROMOTE_KEYS = ['promoted_at', 'promoted_by', 'tunnels'];

/**
 * Takes a promotion back: the note returns to the queue under its former name.
 * Fails with `source_missing`, or `not_in_queue` for a note that was never promoted.
 */
export const unpromoteNote = operation({
  name: 'unpromote',
  scope: 'review',
  mutates: true,
  input: z.strictObject({ path: pathField, dry_run: dryRunField }),
  output: z.object({ path: pathShape, from: pathShape }),
  run(brain, { path: given, dry_run: dryRun }) {
    return changeVault(brain, async (): Promise<Change<{ path: string; from: string }>> => {
      const { path: from, text } = await readSource(brain, given, 'wiki');
      const { promoted_at: promotedAt, created_at: createdAt } = parseNote(text).frontmatter;
      if (typeof promotedAt !== 'string') {
        throw new BrainError(
          'not_in_queue',
          `${from} was not promoted from the queue, so it cannot go back to it.`,
          { path: from },
        );
      }
      const day = localDate(parseTime(createdAt) ?? parseTime(promotedAt) ?? brain.clock.now());
      const stem = stemOf((await originOf(brain, from)) ?? vaultPath(`raw/${day}-${stemOf(from)}.md`));
      const to = await freePath(brain, (n) => vaultPath(`raw/${numbered(stem, n)}.md`));
      const { text: queued } = setKeys(text, {}, PROMOTE_KEYS);
      const result = { path: to, from };
      if (dryRun) return { plan: null, result };
      const relinks = await relinkSteps(brain, from, to);
      const steps: Step[] = [
        { kind: 'create', path: to, text: queued },
        { kind: 'remove', path: from, before: sha256(text) },
        ...relinks,
      ];
      const tunnelled = brain.catalog.record(from)?.tunnels ?? [];
      const finish = () =>
        refreshWings(brain, [from, ...tunnelled, ...relinks.map((step) => step.path)].map(wingOfPath), []);
      return { plan: { op: 'unpromote', steps }, result, finish };
    });
  },
});
