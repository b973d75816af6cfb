import * as z from 'zod';
import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { changeVault } from '../change-vault';
import { BrainError, type ErrorCode } from '../errors';
import { dryRunField, wingField } from '../fields';
import { existingWing } from '../notes/index-wings';
import { refreshWings } from '../notes/wing-index';
import { operation } from '../operation';
import type { EditStep } from '../plan';
import { addressOf, wingOfPath, type Wing } from '../rules/address';
import { allowsTunnels } from '../rules/auto-tunnel';
import { setKeys } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import { isLocked } from '../rules/lock';
import { factSteps } from '../rules/markdown';
import type { VaultPath } from '../rules/paths';
import { countShape, pathShape, warningsShape } from '../shapes';
import { findTunnels, type Tunnel, tunnelLinks, tunnelSource, tunnelsShape } from './tunnels';
import { inSlices } from '../steps';

/** So many notes are changed by one plan: few enough that nobody waits long for the writer, and the journal stays small. */
const BATCH = 8;

const output = z.object({
  scanned: countShape.describe('Promoted notes that were looked at'),
  changed: countShape,
  notes: z.array(z.object({ path: pathShape, tunnels: tunnelsShape })).describe('Those that changed'),
  warnings: warningsShape,
});

/** A note whose tunnels are others than those that promotion would dig today. */
interface Stale {
  readonly step: EditStep;
  readonly tunnels: readonly Tunnel[];
}

/**
 * Digs the automatic tunnels of every promoted note anew, or of one wing's, by the rule of promotion: since then other notes
 * have come, been renamed or gone. Notes that say `auto_tunnel: false` are passed over; locked ones, and those that change
 * meanwhile, are left and named in `warnings`. Done in parts, of which each is all or nothing; a second run changes nothing.
 * Fails with `invalid_wing` for a wing that does not exist.
 */
export const rebuildTunnels = operation({
  name: 'rebuild_tunnels',
  scope: 'write',
  mutates: true,
  input: z.strictObject({ wing: wingField.optional(), dry_run: dryRunField }),
  output,
  async run(brain, { wing: wingName, dry_run: dryRun }, _caller, watch) {
    const promoted = promotedNotes(brain, wingName);
    const warnings: string[] = [];
    const notes: z.input<typeof output>['notes'] = [];
    const touched = new Set<Wing | null>();
    let waiting: Stale[] = [];
    const carryOut = async (): Promise<void> => {
      const batch = waiting;
      waiting = [];
      const skipped = dryRun ? [] : await edit(brain, batch);
      for (const { step, tunnels } of batch) {
        if (skipped.includes(step.path)) {
          warnings.push(`${step.path} changed meanwhile and was left as it is. Rebuild the tunnels again.`);
          continue;
        }
        notes.push({ path: step.path, tunnels: [...tunnels] });
        for (const path of [step.path, ...tunnels.map((tunnel) => tunnel.path)])
          touched.add(wingOfPath(path));
      }
    };
    for (const { path, tunnels: former } of promoted) {
      // What was dug stands, and its maps are made.
      if (watch?.signal?.stopped === true) break;
      const stale = await staleTunnels(brain, path, warnings);
      if (stale === null) continue;
      // A wing that a tunnel led to so far shows one less.
      if (!dryRun) for (const to of former) touched.add(wingOfPath(to));
      waiting.push(stale);
      if (waiting.length === BATCH) await carryOut();
    }
    if (waiting.length > 0) await carryOut();
    if (!dryRun && notes.length > 0) {
      for (const wing of touched) await brain.writer.run(() => refreshWings(brain, [wing], warnings));
    }
    return { scanned: promoted.length, changed: notes.length, notes, warnings };
  },
});

/** The notes at an address that came from the queue and let themselves be joined, by path. */
function promotedNotes({ catalog }: Pick<Brain, 'catalog'>, wing: string | undefined): NoteRecord[] {
  const all =
    wing === undefined ? catalog.notes('wiki') : catalog.notesOfWing(existingWing(catalog.wings(), wing));
  return all.filter(
    ({ path, frontmatter }) =>
      addressOf(path) !== null && typeof frontmatter.promoted_at === 'string' && allowsTunnels(frontmatter),
  );
}

/** Codes of a note that is no text, and of one whose front matter cannot be edited. */
const UNFIT: ReadonlySet<ErrorCode> = new Set(['unsupported_type', 'invalid_frontmatter']);

/** What has to be changed in a note as it stands now; null, perhaps with a warning, when nothing has to or may be. */
async function staleTunnels(brain: Brain, path: VaultPath, warnings: string[]): Promise<Stale | null> {
  try {
    const text = await brain.vault.read(path);
    if (text === null) return null;
    const { frontmatter, body } = parseNote(text);
    const facts = await inSlices(factSteps(body), brain.pace);
    return await brain.pace.run(() => {
      const tunnels = findTunnels(brain, tunnelSource(path, frontmatter, facts));
      const links = tunnelLinks(brain, tunnels);
      const standing = frontmatter.tunnels ?? [];
      if (JSON.stringify(standing) === JSON.stringify(links)) return null;
      if (isLocked(text)) {
        warnings.push(`${path} is locked by its owner and keeps the tunnels it has.`);
        return null;
      }
      const composed = links.length > 0 ? setKeys(text, { tunnels: links }) : setKeys(text, {}, ['tunnels']);
      return {
        step: { kind: 'edit', path, before: sha256(text), text: composed.text, optional: true },
        tunnels,
      };
    });
  } catch (error) {
    // One note that cannot be read or edited must not keep the others from being done.
    if (!(error instanceof BrainError) || !UNFIT.has(error.code)) throw error;
    warnings.push(`${path} was left as it is: ${error.message}`);
    return null;
  }
}

/** Changes the notes in one go; resolves with those that somebody else has changed since they were read. */
function edit(brain: Brain, batch: readonly Stale[]): Promise<readonly VaultPath[]> {
  let left: readonly VaultPath[] = [];
  return changeVault(brain, async () => ({
    plan: { op: 'tunnels', steps: batch.map(({ step }) => step) },
    result: null,
    finish: async (skipped) => void (left = skipped),
  })).then(() => left);
}
