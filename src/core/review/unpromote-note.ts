import { changeVault } from '../change-vault';
import { BrainError } from '../errors';
import { refreshWings } from '../notes/wing-index';
import { operation } from '../operation';
import { wingOfPath } from '../rules/address';
import { setKeys } from '../rules/frontmatter/compose';
import { oneBlock } from '../rules/frontmatter/open-content';
import { parseNote } from '../rules/frontmatter/parse-note';
import { stemOf } from '../rules/paths';
import { localDate, noteTime } from '../rules/time';
import { backInput, backOutput, backToQueue } from './back-to-queue';
import { originOf } from './origins';
import { readSource } from './queue-source';
import { relinkSteps } from './relink';
import { stampedKeys } from './unstamp';

/** Keys that promotion set. Wing and hall stay: in the queue they are the suggestion. */
const PROMOTE_KEYS = ['promoted_at', 'promoted_by', 'tunnels'];

/**
 * Takes a promotion back: the note returns to the queue under its former name, without the stamps that the promotion gave it.
 * Fails with `source_missing`, or `not_in_queue` for a note that was never promoted.
 */
export const unpromoteNote = operation({
  name: 'unpromote',
  scope: 'review',
  mutates: true,
  input: backInput,
  output: backOutput,
  run(brain, { path: given, dry_run: dryRun }, _caller, watch) {
    return changeVault(
      brain,
      async () => {
        const { path: from, text } = await readSource(brain, given, 'wiki');
        const { frontmatter } = parseNote(text);
        const { promoted_at: promotedAt, created_at: createdAt } = frontmatter;
        if (typeof promotedAt !== 'string') {
          throw new BrainError(
            'not_in_queue',
            `${from} was not promoted from the queue, so it cannot go back to it.`,
            { path: from },
          );
        }
        const day = localDate(noteTime(createdAt) ?? noteTime(promotedAt) ?? brain.clock.now());
        const origin = await originOf(brain, from);
        const { text: queued } = setKeys(text, {}, [
          ...PROMOTE_KEYS,
          ...(await stampedKeys(brain, from, frontmatter)),
        ]);
        const tunnelled = brain.catalog.record(from)?.tunnels ?? [];
        return backToQueue(brain, {
          op: 'unpromote',
          from,
          text,
          queued: oneBlock(queued),
          stem: origin === null ? `${day}-${stemOf(from)}` : stemOf(origin),
          dryRun,
          async along(to) {
            const steps = await relinkSteps(brain, from, to);
            const touched = [from, ...tunnelled, ...steps.map((step) => step.path)];
            return { steps, finish: () => refreshWings(brain, touched.map(wingOfPath), []) };
          },
        });
      },
      { dryRun, signal: watch?.signal },
    );
  },
});
