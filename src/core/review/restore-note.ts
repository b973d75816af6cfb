import type { Brain } from '../brain';
import { changeVault } from '../change-vault';
import { ledgerOf } from '../ingest/ledger';
import { operation } from '../operation';
import { oneBlock } from '../rules/frontmatter/open-content';
import { parseNote } from '../rules/frontmatter/parse-note';
import { isSha } from '../rules/hash';
import { stemOf, type VaultPath } from '../rules/paths';
import { backInput, backOutput, backToQueue } from './back-to-queue';
import { originOf } from './origins';
import { markedText, readSource } from './queue-source';

/** Keys that say a note was rejected; gone once it is back in the queue. */
const REJECT_KEYS = ['rejected_at', 'rejected_by', 'reject_reason'];

/**
 * Takes a rejection back: the note returns to the queue under its old name, without the marks of the rejection, and the ledger
 * forgets its source.
 * Fails with `not_in_queue` or `source_missing`.
 */
export const restoreNote = operation({
  name: 'restore',
  scope: 'review',
  mutates: true,
  input: backInput,
  output: backOutput,
  run(brain, { path: given, dry_run: dryRun }, _caller, watch) {
    return changeVault(
      brain,
      async () => {
        const { path: from, text } = await readSource(brain, given, 'rejected');
        const queued = oneBlock(markedText(text, {}, REJECT_KEYS));
        const change = await backToQueue(brain, {
          op: 'restore',
          from,
          text,
          queued,
          stem: await queueStem(brain, from),
          dryRun,
        });
        return change.plan === null ? change : { ...change, finish: () => forgetSource(brain, text) };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

/** What the note was made of is no longer known as done: a person wants it back, and may want it made anew. */
async function forgetSource(brain: Brain, text: string): Promise<void> {
  const { source_hash: hash } = parseNote(text).frontmatter;
  if (isSha(hash)) await ledgerOf(brain).clear(hash);
}

/** The name that the note had in the queue; without a memory of it, what can be told from its present one. */
async function queueStem(brain: Pick<Brain, 'state'>, from: VaultPath): Promise<string> {
  const origin = await originOf(brain, from);
  return origin === null ? withoutNumber(stemOf(from)) : stemOf(origin);
}

/** Drops the number that a taken name got at rejection, but never a part of a date. */
function withoutNumber(stem: string): string {
  const match = /^(.+)-(?:[2-9]|[1-9]\d)$/.exec(stem);
  const base = match?.[1];
  return base === undefined || /^\d{4}(?:-\d{2})?$/.test(base) ? stem : base;
}
