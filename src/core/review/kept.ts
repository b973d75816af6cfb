import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { wingKey } from '../catalog/wings';
import type { ParsedNote } from '../frontmatter/parse';
import type { changesShape, GateChange } from '../gate/changes';
import type { LinkSource } from '../links/resolve';
import type { BodyWork } from '../notes/content';
import type { Brain } from '../operation/context';
import { hashField } from '../operation/fields';
import { admitting, batchSiblings } from '../sources/batch-siblings';
import { isHall } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';

/** The most findings that an answer lists and that a person may keep. */
const MAX_FINDINGS = 1000;

export const keepField = z
  .array(z.number().int().min(0))
  .max(MAX_FINDINGS)
  .optional()
  .describe('Findings of GET /gate that a person keeps as written, by index; send expected_hash with it');

export const findingsHashField = hashField
  .optional()
  .describe(
    'findings_hash of GET /gate; refused when the findings have changed since, which other notes can do',
  );

/** A note before its decision. */
interface Undecided extends Pick<ParsedNote, 'frontmatter' | 'body'> {
  readonly path: VaultPath;
  /** What would act in its front matter, where the decision makes that text. */
  readonly properties: readonly GateChange[];
}

/** Returns the place for which the links of a note are resolved before a person has chosen one. */
export function suggestedPlace(
  { catalog }: Pick<Brain, 'catalog'>,
  { path, frontmatter: { wing: named, hall } }: Omit<Undecided, 'body' | 'properties'>,
): LinkSource {
  const wing = typeof named === 'string' ? wingKey(named) : null;
  return { path, wing: wing && catalog.wingSpelling(wing), hall: isHall(hall) ? hall : null };
}

/** Returns what a promotion or an adoption changes in a note, wherever the note goes: first in its properties. */
export async function changesAtPromotion(
  brain: Pick<Brain, 'catalog' | 'whole'>,
  work: BodyWork,
  note: Undecided,
): Promise<readonly GateChange[]> {
  const request = { body: note.body, from: suggestedPlace(brain, note), mode: 'promote' } as const;
  const { changes } = await work.gate(request, admitting(await batchSiblings(brain, note.path)));
  return [...note.properties, ...changes];
}

/** Returns the hash of the findings: equal hashes mean that an index names the same part, with the same reason. */
export function findingsHash(changes: readonly GateChange[]): Sha {
  return sha256(
    JSON.stringify(
      changes.map(({ from, to, reason, kind, text }) => [
        from,
        to,
        reason,
        ...(kind === 'property' ? [text] : []),
      ]),
    ),
  );
}

/**
 * Refuses a decision on other findings than those that the caller looked at. The findings of a text depend on other notes too.
 * @throws BrainError `hash_mismatch` when the note has other findings than those with the hash `expected`
 */
export async function refuseOtherFindings(
  brain: Pick<Brain, 'catalog' | 'whole'>,
  work: BodyWork,
  note: Undecided,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const found = findingsHash(await changesAtPromotion(brain, work, note));
  if (found === expected) return;
  throw new BrainError(
    'hash_mismatch',
    `The gate finds other parts in ${note.path} than those that were looked at, and nothing was done. Read them again with ${called('gate', 'the report of the gate')}; if the decision still holds, repeat it with the present findings_hash.`,
    { path: note.path, findings_hash: found },
  );
}

/** Returns the numbers of the properties, and the parts of the body, that a person keeps. */
export function keptOf(
  properties: readonly GateChange[],
  kept: readonly GateChange[] = [],
): { readonly numbers: ReadonlySet<number>; readonly parts: readonly GateChange[] } {
  const numbers = properties.flatMap((change, index) => (kept.includes(change) ? [index] : []));
  return { numbers: new Set(numbers), parts: kept.filter(({ kind }) => kind !== 'property') };
}

/** Returns changes as an answer lists them. */
export function listed(changes: readonly GateChange[]): z.input<typeof changesShape> {
  return changes
    .slice(0, MAX_FINDINGS)
    .map(({ kind, reason, line, text, becomes }, index) => ({ index, kind, reason, line, text, becomes }));
}

/**
 * Returns the parts of a note that its caller keeps as written; undefined without any. Only a person keeps parts: for another
 * caller `warnings` says that they are not kept.
 * @throws BrainError `invalid_field` for an index that no finding has
 */
export async function keptParts(
  brain: Pick<Brain, 'catalog' | 'whole'>,
  work: BodyWork,
  note: Undecided,
  keep: readonly number[] | undefined,
  caller: Caller,
  warnings: string[],
): Promise<readonly GateChange[] | undefined> {
  if (keep === undefined || keep.length === 0) return undefined;
  if (!caller.human) {
    warnings.push('"keep" was ignored: only a person keeps what the gate would change.');
    return undefined;
  }
  const changes = (await changesAtPromotion(brain, work, note)).slice(0, MAX_FINDINGS);
  const unknown = keep.find((index) => index >= changes.length);
  if (unknown !== undefined) {
    throw new BrainError(
      'invalid_field',
      `"keep" names the finding ${unknown}, and the note has ${changes.length === 0 ? 'none' : `0 to ${changes.length - 1}`}. Read them again with ${called('gate', 'the report of the gate')}.`,
      { field: 'keep' },
    );
  }
  const kept = new Set(keep);
  return changes.filter((_, index) => kept.has(index));
}
