import * as z from 'zod';
import type { Brain } from '../brain';
import { changeVault, type Change } from '../change-vault';
import { dryRunField, pathField } from '../fields';
import { operation } from '../operation';
import { sha256 } from '../rules/hash';
import { stemOf, type VaultPath, vaultPath } from '../rules/paths';
import { numbered } from '../rules/slug';
import { pathShape } from '../shapes';
import { originOf } from './origins';
import { freePath, markedText, readSource } from './queue-source';

/** Keys that say a note was rejected; gone once it is back in the queue. */
const REJECT_KEYS = ['rejected_at', 'rejected_by', 'reject_reason'];

/**
 * Takes a rejection back: the note returns to the queue under its old name, without the marks of the rejection.
 * Fails with `not_in_queue` or `source_missing`.
 */
export const restoreNote = operation({
  name: 'restore',
  scope: 'review',
  mutates: true,
  input: z.strictObject({ path: pathField, dry_run: dryRunField }),
  output: z.object({ path: pathShape, from: pathShape }),
  run(brain, { path: given, dry_run: dryRun }) {
    return changeVault(brain, async (): Promise<Change<{ path: string; from: string }>> => {
      const { path: from, text } = await readSource(brain, given, 'rejected');
      const stem = await queueStem(brain, from);
      const to = await freePath(brain, (n) => vaultPath(`raw/${numbered(stem, n)}.md`));
      const restored = markedText(text, {}, REJECT_KEYS);
      const result = { path: to, from };
      if (dryRun) return { plan: null, result };
      const steps = [
        { kind: 'create', path: to, text: restored } as const,
        { kind: 'remove', path: from, before: sha256(text) } as const,
      ];
      return { plan: { op: 'restore', steps }, result };
    });
  },
});

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
