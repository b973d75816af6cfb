import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError, type ErrorCode } from '../base/errors';
import { sha256 } from '../base/hash';
import { apart, inSlices } from '../base/steps';
import { compareText } from '../base/text';
import { aliasesOf, type NoteRecord } from '../catalog/record';
import { setKeys } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { linkTo } from '../links/references';
import { foldLink, titleKey } from '../links/resolve';
import { phrase, titleOf } from '../links/title';
import { FACTS, type MarkdownFacts } from '../markdown/facts';
import { changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { mayChange, ownersLeft } from '../operation/owner';
import { countShape, pathShape, warningsShape } from '../operation/shapes';
import type { EditStep } from '../storage/plan';
import { addressOf, type Wing, wingOfPath } from '../vocabulary/address';
import { stemOf, type VaultPath } from '../vocabulary/paths';
import { allowsTunnels } from '../vocabulary/envelope';
import { existingWing } from '../wings/operations';
import { refreshWings } from '../wings/refresh';

/** The most tunnels of one note; more would mean little. */
const MAX_TUNNELS = 5;
/** The part of a note that is searched for mentions, in UTF-16 units. */
const MAX_PROSE = 100_000;
/** The least length of a one-word title that counts as a mention in prose. */
const MIN_SINGLE_WORD = 6;

/** A link between wings: both have the same room (slug, title or alias), or the prose mentions the other note. */
interface Tunnel {
  readonly path: VaultPath;
  readonly reason: 'room' | 'mention';
}

/** Tunnels in an answer. */
export const tunnelsShape = z.array(z.object({ path: pathShape, reason: z.enum(['room', 'mention']) }));

/** The note that tunnels start from. */
interface TunnelSource {
  readonly path: VaultPath;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly plain: string;
}

/** Returns the source of tunnels for a note at `path`, or one that is to be created there. */
export function tunnelSource(
  path: VaultPath,
  frontmatter: Readonly<Record<string, unknown>>,
  facts: MarkdownFacts,
): TunnelSource {
  return {
    path,
    title: titleOf(frontmatter, facts, path),
    aliases: aliasesOf(frontmatter),
    plain: facts.plain,
  };
}

/**
 * Finds related notes of other wings, same rooms first, then mentions, each by path; at most five. Notes with `auto_tunnel:
 * false` are excluded.
 */
export function findTunnels(brain: Pick<Brain, 'catalog'>, source: TunnelSource): Tunnel[] {
  const { catalog } = brain;
  const wing = wingOfPath(source.path);
  const rooms = new Set<VaultPath>();
  const mentions = new Set<VaultPath>();
  const eligible = (path: VaultPath) => {
    const record = catalog.record(path);
    const other = wingOfPath(path);
    return (
      record !== undefined &&
      record.autoTunnel &&
      addressOf(path) !== null &&
      other !== null &&
      other !== wing
    );
  };
  const named = (key: string) => [...catalog.candidates('title', key), ...catalog.candidates('alias', key)];

  const room = foldLink(stemOf(source.path));
  for (const path of catalog.candidates('folded', room)) if (eligible(path)) rooms.add(path);
  for (const name of [source.title, ...source.aliases]) {
    for (const path of named(titleKey(name))) if (eligible(path)) rooms.add(path);
  }
  const prose = phrase(source.plain.slice(0, MAX_PROSE));
  for (const word of new Set(prose.split(' '))) {
    for (const path of catalog.withFirstWord(word)) {
      if (!rooms.has(path) && eligible(path) && isMentioned(catalog.record(path), prose)) mentions.add(path);
    }
  }
  const sorted = (paths: ReadonlySet<VaultPath>) => [...paths].sort(compareText);
  return [
    ...sorted(rooms).map((path) => ({ path, reason: 'room' as const })),
    ...sorted(mentions).map((path) => ({ path, reason: 'mention' as const })),
  ].slice(0, MAX_TUNNELS);
}

/** Returns the value of the `tunnels` property: one quoted full-path link per tunnel, sorted. */
export function tunnelLinks(brain: Pick<Brain, 'catalog'>, tunnels: readonly Tunnel[]): string[] {
  return tunnels
    .flatMap(({ path }) => linkTo(path, brain.catalog.record(path)?.title ?? stemOf(path)) ?? [])
    .sort(compareText);
}

function isMentioned(note: NoteRecord | undefined, prose: string): boolean {
  if (note === undefined) return false;
  return [note.title, ...note.aliases].some((name) => {
    const words = phrase(name);
    const isTelling = words.includes(' ') || Array.from(words).length >= MIN_SINGLE_WORD;
    return isTelling && ` ${prose} `.includes(` ${words} `);
  });
}

/** The number of notes in one plan: few, so that other writers wait only briefly and the journal stays small. */
const BATCH = 8;

const output = z.object({
  scanned: countShape.describe('Promoted notes that were looked at'),
  changed: countShape,
  notes: z.array(z.object({ path: pathShape, tunnels: tunnelsShape })).describe('Those that changed'),
  warnings: warningsShape,
});

/** A note whose tunnels differ from those that a promotion would set today. */
interface Stale {
  readonly step: EditStep;
  readonly tunnels: readonly Tunnel[];
}

/**
 * Recomputes the automatic tunnels of every promoted note, or of one wing's, as a promotion does, since notes have been added,
 * renamed or removed. Notes with `auto_tunnel: false` are skipped; locked ones, the owner's when the caller does not act for the owner, and
 * those that change meanwhile, are unchanged
 * and named in `warnings`. Works in atomic batches; idempotent. Fails with `invalid_wing` for a wing that does not exist.
 */
export const rebuildTunnels = operation({
  name: 'rebuild_tunnels',
  scope: 'write',
  mutates: true,
  keyed: 'none',
  whole: true,
  input: z.strictObject({ wing: wingField.optional(), dry_run: dryRunField }),
  output,
  async run(brain, { wing: wingName, dry_run: dryRun }, caller, watch) {
    const promoted = promotedNotes(brain, wingName);
    const warnings: string[] = [];
    const notes: z.input<typeof output>['notes'] = [];
    const touched = new Set<Wing | null>();
    let waiting: Stale[] = [];
    const carryOut = async (): Promise<void> => {
      const batch = waiting;
      waiting = [];
      const skipped = dryRun ? [] : await edit(brain, batch, caller);
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
      // Finished batches are kept, and their maps are made.
      if (watch?.signal?.stopped === true) break;
      const stale = await staleTunnels(brain, path, warnings, caller);
      if (stale === null) continue;
      // The map of a wing shows one tunnel less when a tunnel to it is removed.
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

/** Returns the notes with an address that were promoted and allow tunnels, by path. */
function promotedNotes({ catalog }: Pick<Brain, 'catalog'>, wing: string | undefined): NoteRecord[] {
  const all =
    wing === undefined ? catalog.notes('wiki') : catalog.notesOfWing(existingWing(catalog.wings(), wing));
  return all.filter(
    ({ path, frontmatter }) =>
      addressOf(path) !== null && typeof frontmatter.promoted_at === 'string' && allowsTunnels(frontmatter),
  );
}

/** The error codes of a note that is no text, of one that is too entangled, and of one whose front matter cannot be edited. */
const UNFIT: ReadonlySet<ErrorCode> = new Set(['unsupported_type', 'invalid_frontmatter', 'too_entangled']);

/** Returns the edit that a note needs; null, possibly with a warning, when it needs none or must not be changed. */
async function staleTunnels(
  brain: Brain,
  path: VaultPath,
  warnings: string[],
  caller: Caller,
): Promise<Stale | null> {
  try {
    const text = await brain.vault.read(path);
    if (text === null) return null;
    const { frontmatter, body } = parseNote(text);
    const facts = await inSlices(apart(FACTS, body), brain.pace);
    return await brain.pace.run(() => {
      const tunnels = findTunnels(brain, tunnelSource(path, frontmatter, facts));
      const links = tunnelLinks(brain, tunnels);
      const existing = frontmatter.tunnels ?? [];
      if (JSON.stringify(existing) === JSON.stringify(links)) return null;
      if (!mayChange(caller, { path, frontmatter })) {
        warnings.push(ownersLeft(path, 'its list of tunnels'));
        return null;
      }
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
    // A note that cannot be read or edited must not stop the others.
    if (!(error instanceof BrainError) || !UNFIT.has(error.code)) throw error;
    warnings.push(`${path} was left as it is: ${error.message}`);
    return null;
  }
}

/** Changes the notes in one plan; resolves with those that somebody else has changed since they were read. */
function edit(brain: Brain, batch: readonly Stale[], caller: Caller): Promise<readonly VaultPath[]> {
  let left: readonly VaultPath[] = [];
  return changeVault(brain, async () => ({
    plan: { op: 'tunnels', steps: batch.map(({ step }) => step) },
    result: null,
    forOwner: actsForOwner(caller),
    finish: async (skipped) => void (left = skipped),
  })).then(() => left);
}
