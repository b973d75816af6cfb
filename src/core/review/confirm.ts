import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { isSha, sha256 } from '../base/hash';
import { isExpected } from '../base/if-match';
import { timestamp } from '../base/time';
import { setKeys } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { linkedPath, readKnown } from '../notes/targets';
import { changedSince } from '../notes/update';
import { lockedNote } from '../notes/write';
import { type Change, changeConcurrently } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hashField, pathField } from '../operation/fields';
import { refuseUnwritable } from '../operation/limits';
import { notOurs, refuseOwners } from '../operation/owner';
import { operation } from '../operation/operation';
import { hashShape, pathShape, timeShape, warningsShape } from '../operation/shapes';
import { readHistory } from '../storage/history';
import { stampOf } from '../vocabulary/envelope';
import { stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';
import { decisionOf } from './review-note';

const output = z.object({
  path: pathShape,
  content_hash: hashShape,
  previous_hash: hashShape,
  verified_at: timeShape.optional().describe('Absent when a confirmation was taken back'),
  verified_by: z.string().optional(),
  warnings: warningsShape,
});

/**
 * Confirms that a note still holds: a person has checked it. The half-life of its claims counts from then on. Its text stays.
 * With `undo` the hash of the version before the last confirmation takes it back. Fails with `forbidden_scope` for a caller that does
 * not act for the owner, with `locked` for a locked note and a caller that is no person, with `path_not_allowed`, `not_ours`, `note_not_found`, `hash_mismatch` or `invalid_frontmatter`; nothing
 * has changed then.
 */
export const confirmNote = operation({
  name: 'confirm',
  scope: 'review',
  mutates: true,
  input: z.strictObject({
    path: pathField,
    undo: hashField
      .optional()
      .describe('Take the confirmation back: previous_hash of its answer; expected_hash is then required'),
    expected_hash: hashField.optional().describe('content_hash that was looked at'),
    dry_run: dryRunField,
  }),
  output,
  async run(brain, { path: given, undo, expected_hash: expected, dry_run: dryRun }, caller, watch) {
    const path = decidedPath(brain, given);
    const standing = actsForOwner(caller) ? null : await readKnown(brain, path);
    if (standing !== null) refuseOwners(caller, path, standing);
    refuseAgents(caller, 'confirms a note');
    if (undo !== undefined && expected === undefined)
      throw new BrainError('missing_field', '"expected_hash" is required with "undo".', {
        field: 'expected_hash',
      });
    refuseUnwritable(brain, path);
    return changeConcurrently(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const text = await readDecided(brain, path);
        const before = sha256(text);
        if (!isExpected(before, expected, watch?.ifMatch)) throw changedSince(path, before);
        if (!caller.human && isLocked(text)) throw lockedNote(path);
        const stamps = {
          verified_at: timestamp(brain.clock.now()),
          verified_by: personStamp(brain, caller),
        };
        const edited =
          undo === undefined
            ? setKeys(text, stamps)
            : { text: await unconfirmed(brain, path, text, undo), warnings: [] };
        const result = {
          path,
          content_hash: sha256(edited.text),
          previous_hash: before,
          ...(undo === undefined && stamps),
          warnings: [...edited.warnings],
        };
        if (dryRun || edited.text === text) return { plan: null, result };
        const steps = [{ kind: 'edit', path, before, text: edited.text } as const];
        return {
          plan: {
            op: undo === undefined ? 'confirm' : 'unconfirm',
            decision: { ...decisionOf(caller, text), by: stamps.verified_by },
            steps,
          },
          result,
          absent: 'note_not_found',
          forOwner: true,
        };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

/** Returns the text before a confirmation. @throws BrainError `invalid_field` when the hash is of another text */
async function unconfirmed(brain: Brain, path: VaultPath, text: string, hash: string): Promise<string> {
  const former = isSha(hash) ? await readHistory(brain.state, hash) : null;
  const { verified_at: at, verified_by: by } = parseNote(text).frontmatter;
  // Confirmed anew it must be the present text, so that no other text can come back this way.
  const isBefore =
    former !== null &&
    typeof at === 'string' &&
    typeof by === 'string' &&
    setKeys(former, { verified_at: at, verified_by: by }).text === text;
  if (isBefore) return former;
  throw new BrainError(
    'invalid_field',
    `"undo" must be the previous_hash of the last confirmation of ${path}. Nothing was done.`,
    { field: 'undo' },
  );
}

/**
 * Refuses a caller that does not act for the owner of the vault.
 * @throws BrainError `forbidden_scope`
 */
export function refuseAgents(caller: Caller, does: string): void {
  if (actsForOwner(caller)) return;
  throw new BrainError(
    'forbidden_scope',
    `Only a person ${does}: in Obsidian, on the web page, or on the command line of the owner.`,
  );
}

/** Returns the stamp of the person for whom a caller acts. */
function personStamp({ config }: Pick<Brain, 'config'>, caller: Caller): string {
  if (caller.human || caller.name === 'local') return stampOf(caller).written_by;
  return `human:${config.humanName}`;
}

/**
 * Returns the path of a note of the wiki or of `knowledge/`.
 * @throws BrainError `not_ours` or `path_not_allowed`
 */
export function decidedPath(brain: Pick<Brain, 'catalog' | 'vault'>, given: string): VaultPath {
  const path = linkedPath(brain, given);
  if (brain.catalog.statusOf(path) === 'vault') throw notOurs(path);
  const zone = zoneOf(path);
  if ((zone === 'wiki' || zone === 'knowledge') && stemOf(path) !== '_index') return path;
  throw new BrainError(
    'path_not_allowed',
    `${path} is no note of wiki/ or knowledge/; a note in raw/ is promoted first.`,
    { path },
  );
}

/** Reads a note that is there. @throws BrainError `note_not_found` */
export async function readDecided(brain: Pick<Brain, 'catalog' | 'vault'>, path: VaultPath): Promise<string> {
  const text = await readKnown(brain, path);
  if (text !== null) return text;
  throw new BrainError(
    'note_not_found',
    `There is no note at ${path}. ${called('notes', 'The list of notes')} names those that are there.`,
    { path },
  );
}
