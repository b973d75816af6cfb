import * as z from 'zod';
import { cardsOf } from '../links/canvas';
import { following, movedAlready, type Moves } from '../links/follow';
import { opens } from '../links/resolve';
import { isRelative } from '../markdown/address';
import { readText } from '../notes/targets';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField } from '../operation/fields';
import { seenOf } from '../operation/limits';
import { operation } from '../operation/operation';
import { pathShape, warningsShape } from '../operation/shapes';
import { comparePlaces, type PastChange } from '../storage/change-log';
import type { EventData } from '../storage/event-data';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import { refuseAgents } from './confirm';
import { followers, followOf, leftWarnings, refreshMaps, relinkSteps } from './relink';

/** The changes in which moves by hand are looked for, and the moves among them that are followed, the newest first. */
const MAX_CHANGES = 2_000;
const MAX_MOVES = 200;
/** The notes with links that may open another note since that are looked for at most. */
const MAX_ASTRAY = 2_000;
/** The most steps from one place of a note to the next. It guards against a forged past. */
const MAX_STEPS = 100;

/** The operations whose changes tell of moves by hand, and of links that a person had mended. */
const FOLLOW = 'follow';
const MEND = 'mend-links';

/**
 * Returns the moves by hand that may have left links which open no file, or another one since: from the former places of notes to the
 * present ones. It reads canvases, and no notes.
 */
async function leftMoves(brain: Pick<Brain, 'catalog' | 'vault' | 'past' | 'pace'>): Promise<Moves> {
  const { catalog, pace } = brain;
  const reader = await brain.past.read();
  const { changes } = await reader.lastOf([FOLLOW, MEND], MAX_CHANGES);
  const byHand = handMovesIn(changes);
  const to = new Map<VaultPath, VaultPath>();
  const astray = new Map<VaultPath, Map<VaultPath, VaultPath>>();
  let room = MAX_ASTRAY;
  // The same note may be astray by many moves.
  const named = new Map<VaultPath, PastChange[]>();
  const naming = async (path: VaultPath): Promise<PastChange[]> => {
    const changes = named.get(path) ?? (await reader.naming(path));
    named.set(path, changes);
    return changes;
  };
  if (byHand.length === 0) return movedAlready(catalog, to);
  const onCanvases = new Set([...(await cardsOnCanvases(brain)).values()].flat());
  // Where another note has the place of a note, links to it are that one's. A link that opens another note by now may have opened any of them.
  const hasAstray = byHand.some((move) => move.astray.length > 0);
  for (const move of byHand.reverse()) {
    if (catalog.taken(move.from) !== null || to.has(move.from) || to.size === MAX_MOVES) continue;
    const mayLeave = hasAstray || (await pace.run(() => leavesLinks(brain, move, onCanvases)));
    const now = mayLeave ? await placeSince(naming, byHand, move) : null;
    if (now === null || !isLinked(brain, now)) continue;
    to.set(move.from, now);
    for (const path of move.astray.slice(0, room)) {
      const at = await placeSince(naming, byHand, { path, change: move.seen });
      astray.set(at, (astray.get(at) ?? new Map<VaultPath, VaultPath>()).set(move.from, now));
      room -= 1;
    }
  }
  const opening = new Map([...astray].map(([path, moved]) => [path, movedAlready(catalog, moved)]));
  return { ...movedAlready(catalog, to), opening };
}

/** Links that a move by hand left. */
export interface LeftLinks {
  /** What they opened before. */
  readonly path: VaultPath;
  /** Where that is now. */
  readonly now: VaultPath;
  /** The notes and canvases with such links. */
  readonly notes: Set<VaultPath>;
}

/** Returns the links that moves by hand left, without reading a note. */
export async function leftLinks(
  brain: Pick<Brain, 'catalog' | 'vault' | 'past' | 'pace'>,
): Promise<LeftLinks[]> {
  const { catalog, pace } = brain;
  const moves = await leftMoves(brain);
  const found = new Map<VaultPath, LeftLinks>();
  const add = (path: VaultPath, note: VaultPath): void => {
    const now = moves.to.get(path) ?? path;
    const left = found.get(path) ?? { path, now, notes: new Set() };
    found.set(path, left);
    left.notes.add(note);
  };
  if (moves.to.size === 0) return [];
  for (const path of await followers(brain, moves)) {
    const { links = [], propertyLinks = [] } = catalog.record(path) ?? {};
    await pace.run(() => {
      for (const link of [...links, ...propertyLinks]) {
        const left = following({ ...link, fragment: null, text: null }, path, moves);
        if (left !== null) add(left.opened, path);
      }
    });
  }
  for (const [path, files] of await cardsOnCanvases(brain))
    for (const file of files) if (moves.to.has(file)) add(file, path);
  return [...found.values()];
}

/** A move by hand, as the past has it. */
interface ByHand {
  readonly from: VaultPath;
  readonly path: VaultPath;
  readonly change: PastChange;
  /** The notes whose links open another note since, where they were at the time of the change that says so. */
  readonly astray: readonly VaultPath[];
  readonly seen: PastChange;
}

/** Returns the moves by hand among changes, oldest first. What a mending changed, or did not name, is not astray any more. */
function handMovesIn(changes: readonly PastChange[]): ByHand[] {
  let byHand: ByHand[] = [];
  for (const change of changes) {
    const { op, data, notes } = change;
    if (data?.moved !== undefined)
      byHand.push({ ...data.moved, astray: data.moved.astray ?? [], change, seen: change });
    if (op !== MEND) continue;
    const mended = new Set(notes.map(({ path }) => path));
    const left = new Map(data?.left?.map(({ from, astray = [] }) => [from, astray]));
    byHand = byHand.map((move) => {
      const astray = left.get(move.from)?.filter((path) => !mended.has(path)) ?? [];
      return { ...move, astray, seen: change };
    });
  }
  return byHand;
}

/** Returns the moves whose links open another note in some of the notes, with these. */
function astrayIn(moves: Moves, notes: ReadonlySet<VaultPath>): NonNullable<EventData['left']> {
  const left = new Map<VaultPath, { path: VaultPath; from: VaultPath; astray: VaultPath[] }>();
  for (const [note, { to }] of moves.opening ?? [])
    for (const [from, path] of notes.has(note) ? to : []) {
      if (path === null) continue;
      const move = left.get(from) ?? { path, from, astray: [] };
      left.set(from, move);
      move.astray.push(note);
    }
  return [...left.values()];
}

/** Returns true when links to a moved note, or of it, may open no file now. */
function leavesLinks(
  { catalog }: Pick<Brain, 'catalog'>,
  { from, path }: ByHand,
  onCanvases: ReadonlySet<VaultPath>,
): boolean {
  if (onCanvases.has(from)) return true;
  const own = catalog.record(path)?.links ?? [];
  return (
    own.some((link) => opens(link.target, path, catalog, isRelative(link)) === null) ||
    catalog.linking(from, ({ target, relative }, at) => opens(target, at, catalog, relative) === null)
      .length > 0
  );
}

/** Returns the files to which the cards of canvases lead. */
async function cardsOnCanvases(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
): Promise<Map<VaultPath, VaultPath[]>> {
  const cards = new Map<VaultPath, VaultPath[]>();
  for (const path of brain.catalog.canvases()) {
    const text = await readText(brain, path);
    if (text !== null) cards.set(path, await brain.pace.run(() => cardsOf(text)));
  }
  return cards;
}

/** Returns where the note is that was at a path after a change: the moves since then are followed. */
async function placeSince(
  naming: (path: VaultPath) => Promise<PastChange[]>,
  byHand: readonly ByHand[],
  { path, change }: Pick<ByHand, 'path' | 'change'>,
): Promise<VaultPath> {
  let [at, since] = [path, change];
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const hands = byHand
      .filter(({ from }) => from === at)
      .map((move) => ({ to: move.path, change: move.change }));
    const own = (await naming(at)).flatMap((each) =>
      each.notes.flatMap(({ path: to, from }) => (from === at ? [{ to, change: each }] : [])),
    );
    const [next] = [...hands, ...own]
      .filter((move) => comparePlaces(move.change, since) > 0)
      .sort((a, b) => comparePlaces(a.change, b.change));
    if (next === undefined) break;
    [at, since] = [next.to, next.change];
  }
  return at;
}

/** Returns true for a note that is there, and to which links may lead. */
function isLinked({ catalog }: Pick<Brain, 'catalog'>, path: VaultPath): boolean {
  return catalog.record(path) !== undefined && zoneOf(path) !== 'raw' && zoneOf(path) !== 'rejected';
}

const output = z.object({
  relinked: z.array(pathShape).describe('The notes and canvases whose links lead to the moved notes again'),
  warnings: warningsShape,
});

/**
 * Leads links to the present places of notes that were moved by hand, where they open no file since, or another one. Every other byte
 * stays. Only a person or the owner's token does it; `forbidden_scope` for others.
 */
export const mendLinks = operation({
  name: 'mend_links',
  scope: 'review',
  mutates: true,
  whole: true,
  input: z.strictObject({ dry_run: dryRunField }),
  output,
  async run(brain, { dry_run: dryRun }, caller, watch) {
    refuseAgents(caller, 'mends links that a move by hand has left');
    return changeVault(
      brain,
      async (): Promise<Change<z.input<typeof output>>> => {
        const moves = await leftMoves(brain);
        const { steps, left } = await relinkSteps(brain, moves.to, followOf(brain, caller), moves);
        const result = { relinked: steps.map(({ path }) => path), warnings: leftWarnings(brain, left) };
        const done = new Set([...result.relinked, ...left.map(({ path }) => path)]);
        const notes = await followers(brain, moves);
        for (const path of seenOf(
          brain,
          [...notes].filter((each) => !done.has(each)),
        ))
          result.warnings.push(
            `${path} has a link by reference, or one in a block that is not read; change it by hand.`,
          );
        const astray = astrayIn(moves, notes);
        if (dryRun || steps.length === 0) return { plan: null, result };
        return {
          // What is changed meanwhile, and so not mended, is known only later: the notes of the change tell what was.
          plan: { op: MEND, steps, ...(astray.length > 0 && { data: { left: astray } }) },
          result,
          forOwner: true,
          async finish(skipped) {
            brain.checks.moved = null;
            result.relinked = result.relinked.filter((path) => !skipped.includes(path));
            for (const path of skipped)
              result.warnings.push(`${path} changed meanwhile; its links were left as they are.`);
            await refreshMaps(brain, result.relinked, result.warnings);
          },
        };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});
