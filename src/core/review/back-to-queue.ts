import * as z from 'zod';
import type { Brain } from '../brain';
import type { Change } from '../change-vault';
import type { Step } from '../commit';
import { dryRunField, pathField } from '../fields';
import { sha256 } from '../rules/hash';
import { type VaultPath, vaultPath } from '../rules/paths';
import { numbered } from '../rules/slug';
import { pathShape } from '../shapes';
import { freePath } from '../catalog/free-path';
import { withOwnLinks } from './relink';

/** What taking a decision back is asked and answers: where the note lies now in the queue, and where it lay. */
export const backInput = z.strictObject({ path: pathField, dry_run: dryRunField });
export const backOutput = z.object({ path: pathShape, from: pathShape });

/** A note on its way back. */
export interface Returning {
  readonly op: string;
  readonly from: VaultPath;
  /** As it stands, and as it is to stand in the queue. */
  readonly text: string;
  readonly queued: string;
  /** The name it had in the queue; a number is added when that is taken. */
  readonly stem: string;
  readonly dryRun: boolean | undefined;
  /** What else is done when its new path is known: edits, and what follows from them. */
  readonly along?: (to: VaultPath) => Promise<{ readonly steps: readonly Step[]; finish(): Promise<void> }>;
}

/** The change that moves a decided note back to `raw/`, never onto another one. */
export async function backToQueue(
  brain: Pick<Brain, 'catalog' | 'vault'>,
  { op, from, text, queued, stem, dryRun, along }: Returning,
): Promise<Change<z.input<typeof backOutput>>> {
  const to = await freePath(brain, (n) => vaultPath(`raw/${numbered(stem, n)}.md`));
  const result = { path: to, from };
  if (dryRun) return { plan: null, result };
  const more = await along?.(to);
  const steps: Step[] = [
    { kind: 'create', path: to, text: withOwnLinks(brain, queued, from, to) },
    { kind: 'remove', path: from, before: sha256(text) },
    ...(more?.steps ?? []),
  ];
  return { plan: { op, steps }, result, ...(more && { finish: () => more.finish() }) };
}
