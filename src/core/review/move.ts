import * as z from 'zod';
import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import { isExpected } from '../base/if-match';
import { setKeys } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { linkedPath, wingFinder } from '../notes/targets';
import { changedSince } from '../notes/update';
import { lockedNote } from '../notes/write';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, hashField, pathField, slugField, wingField } from '../operation/fields';
import { refuseUnwritable, seenOf } from '../operation/limits';
import { operation } from '../operation/operation';
import { countShape, hallShape, hashShape, pathShape, warningsShape } from '../operation/shapes';
import type { PastChange } from '../storage/change-log';
import type { Step } from '../storage/plan';
import { addressOf, fileStem, notePath, sanitiseWing } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { readDecided, refuseAgents } from './confirm';
import { refuseTaken } from './promote';
import { followOf, leftWarnings, refreshMaps, withOwnLinks } from './relink';
import { linksBack } from './links-back';
import { decidedOf, formerNote } from './return';
import { decisionOf } from './review-note';

const output = z.object({
  path: pathShape,
  from: pathShape,
  wing: z.string(),
  hall: hallShape,
  slug: z.string(),
  content_hash: hashShape,
  relinked: countShape,
  warnings: warningsShape,
});

/**
 * Moves a note of the wiki to another hall, wing or name, or to several of these. Links to it follow. A move back gives the note back byte for
 * byte when nobody has changed it since.
 * Fails with `forbidden_scope` for a caller that does not act for the owner, with `locked` for a locked note and a caller that is no
 * person, with `missing_field` without a new place, with
 * `path_not_allowed`, `note_not_found`, `hash_mismatch`, `destination_exists`, `invalid_frontmatter` or a naming code; nothing has
 * changed then.
 */
export const moveNote = operation({
  name: 'move',
  scope: 'review',
  mutates: true,
  input: z.strictObject({
    path: pathField,
    wing: wingField.optional(),
    hall: hallField.optional(),
    slug: slugField.optional(),
    expected_hash: hashField.optional().describe('content_hash that was looked at'),
    dry_run: dryRunField,
  }),
  output,
  async run(brain, { path: given, expected_hash: expected, dry_run: dryRun, ...place }, caller, watch) {
    refuseAgents(caller, 'moves a note');
    const from = linkedPath(brain, given);
    const address = addressOf(from);
    if (address === null) {
      throw new BrainError('path_not_allowed', `${from} is no note of wiki/, and only these are moved.`, {
        path: from,
      });
    }
    const { wing: namedWing, hall = address.hall, slug: namedSlug } = place;
    // What the caller names is checked before anything is read.
    if (namedWing !== undefined) sanitiseWing(namedWing);
    const slug = namedSlug === undefined ? address.slug : fileStem(namedSlug, 'invalid_slug');
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const wing = namedWing === undefined ? address.wing : await wingFinder(brain)(namedWing);
        const to = notePath({ wing, hall, slug });
        const text = await readDecided(brain, from);
        refuseUnwritable(brain, from);
        refuseUnwritable(brain, to);
        const before = sha256(text);
        if (!isExpected(before, expected, watch?.ifMatch)) throw changedSince(from, before);
        if (!caller.human && isLocked(text)) throw lockedNote(from);
        if (to === from) {
          throw new BrainError(
            'missing_field',
            `${from} is there already. Name another "hall", "wing" or "slug".`,
            { field: 'hall' },
          );
        }
        await refuseTaken(brain, to);
        const moved: MovedText =
          (await backMoved(brain, from, to, text)) ??
          setKeys(await withOwnLinks(brain, text, from, to), { wing, hall });
        const follow = followOf(brain, caller);
        const back = { from, to, isForAll: false, changes: moved.changes ?? [] };
        const { steps: links, left } = await linksBack(
          brain.whole,
          { moves: [back], others: [], own: [] },
          follow,
        );
        const warnings = [...moved.warnings, ...leftWarnings(brain, left)];
        const result = {
          path: to,
          from,
          ...{ wing, hall, slug },
          content_hash: sha256(moved.text),
          relinked: seenOf(
            brain,
            links.map((step) => step.path),
          ).length,
          warnings,
        };
        if (dryRun) return { plan: null, result };
        const steps: Step[] = [
          { kind: 'create', path: to, text: moved.text },
          { kind: 'remove', path: from, before },
          ...links,
        ];
        return {
          plan: { op: 'move', decision: decisionOf(caller, text), steps },
          result,
          isIndependent: true,
          forOwner: true,
          async finish(skipped) {
            const missed = seenOf(brain, skipped);
            result.relinked -= missed.length;
            for (const path of missed)
              warnings.push(`${path} changed meanwhile; its link to the moved note was left as it is.`);
            await refreshMaps(brain, [from, to, ...links.map(({ path }) => path)], warnings);
          },
        };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

/** A note at its new path, and the move that is taken back by it. */
interface MovedText {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly changes?: readonly PastChange[];
}

/** Returns the text that a note had at the path to which it goes back, when nobody has changed it since; null otherwise. */
async function backMoved(
  brain: Brain,
  from: VaultPath,
  to: VaultPath,
  text: string,
): Promise<MovedText | null> {
  const former = await formerNote(brain.whole, await decidedOf(brain.whole, from, text), 'move', {
    path: from,
    text,
  });
  return former?.why === undefined && former?.to === to
    ? { text: former.text, warnings: [], changes: [former.change] }
    : null;
}
