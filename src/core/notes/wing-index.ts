import type { Brain } from '../brain';
import type { Catalog } from '../catalog/catalog';
import { HALL_TITLES } from '../rules/hall';
import { wingIndexPath, wingOfPath, type Wing } from '../rules/address';
import { linkPath, type VaultPath } from '../rules/paths';
import { compareText as compare } from '../rules/text';
import type { ReadAhead } from './read-ahead';
import { entryOf, type HallLines, WingShelf } from './wing-shelf';

const START = '<!-- brain:index:start -->';
const END = '<!-- brain:index:end -->';

/** What the map of one wing is made from. */
export interface WingContents {
  readonly wing: Wing;
  readonly halls: readonly HallLines[];
  /** Other wings that a tunnel joins to this one, and how many tunnels do. */
  readonly tunnels: ReadonlyMap<Wing, number>;
}

/** The lines between the markers. The same contents always give the same bytes: no times, total orders. */
export function wingRegion({ halls, tunnels }: WingContents): string {
  const parts = [START];
  for (const { hall, count, text } of halls) parts.push(`## ${HALL_TITLES[hall]} (${count})`, text);
  if (halls.length === 0) parts.push('_No notes yet._');
  const joined = [...tunnels].sort(([a], [b]) => compare(a, b));
  if (joined.length > 0) parts.push('## Tunnels');
  for (const [wing, count] of joined) parts.push(`- [[${linkPath(wingIndexPath(wing))}|${wing}]] (${count})`);
  parts.push(END);
  return parts.join('\n');
}

/** A map that holds nothing was cut off when it was written, and is made anew like one that is missing. */
function isEmpty(map: string): boolean {
  return map.trim() === '';
}

/**
 * The whole `_index.md`: a new one, or `current` with its managed region replaced and every byte outside it kept.
 * A file without markers gets the region appended; so does one whose region never ends, with a warning.
 */
export function wingIndexText(
  current: string | null,
  contents: WingContents,
): { text: string; warning: string | null; handWritten: boolean } {
  const region = wingRegion(contents);
  if (current === null || isEmpty(current)) {
    return { text: `${skeletonHead(contents.wing)}${region}\n`, warning: null, handWritten: false };
  }
  const first = current.indexOf(START);
  const end = first < 0 ? -1 : current.indexOf(END, first);
  // Of several starts the last one opens the region: what stands after one that never ended is a person's. Looked for
  // forwards, which takes a tenth of the time.
  let start = first;
  for (let next = first; next >= 0 && next < end; next = current.indexOf(START, next + 1)) start = next;
  if (end >= 0) {
    const [written, after] = [current.slice(0, start), current.slice(end + END.length)];
    const before = headOf(contents.wing, written);
    const handWritten = before !== skeletonHead(contents.wing) || after !== '\n';
    return { text: before + region + after, warning: null, handWritten };
  }
  const warning =
    start < 0
      ? null
      : 'The index region had a start but no end; a new one was appended and nothing was deleted.';
  const gap = current === '' || current.endsWith('\n\n') ? '' : current.endsWith('\n') ? '\n' : '\n\n';
  return { text: `${current}${gap}${region}\n`, warning, handWritten: true };
}

function skeletonHead(wing: string): string {
  return `---\ntype: index\nwing: ${/^[\p{L}][\p{L}\p{M}\p{N}-]*$/u.test(wing) && !YAML_WORD.test(wing) ? wing : JSON.stringify(wing)}\n---\n# ${wing}\n\n`;
}

/** The head of a map that was moved with its folder says the new name, unless a person has written into it. */
function headOf(wing: Wing, written: string): string {
  const name = /\n# ([^\n]+)\n\n$/.exec(written)?.[1];
  return name !== undefined && written === skeletonHead(name) ? skeletonHead(wing) : written;
}

/** Words that YAML reads as something other than text. */
const YAML_WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Everything the map of `wing` shows, from memory. */
export function wingContents(brain: Pick<Brain, 'catalog'>, wing: Wing): WingContents {
  const tunnels = new Map<Wing, number>();
  const joined = new Set<string>();
  const join = (from: VaultPath, to: VaultPath) => {
    const [a, b] = [wingOfPath(from), wingOfPath(to)];
    if (a === null || b === null || a === b || (a !== wing && b !== wing)) return;
    const pair = compare(from, to) < 0 ? `${from}\n${to}` : `${to}\n${from}`;
    if (joined.has(pair)) return;
    joined.add(pair);
    const other = a === wing ? b : a;
    tunnels.set(other, (tunnels.get(other) ?? 0) + 1);
  };
  for (const [from, targets] of brain.catalog.tunnels()) for (const to of targets) join(from, to);
  return { wing, halls: hallsOf(brain.catalog, wing), tunnels };
}

/** The lines of each wing, kept from one write to the next. */
const shelves = new WeakMap<Catalog, Map<Wing, WingShelf>>();

function hallsOf(catalog: Catalog, wing: Wing): HallLines[] {
  const ofCatalog = shelves.get(catalog) ?? new Map<Wing, WingShelf>();
  shelves.set(catalog, ofCatalog);
  const notes = catalog.notesOfWing(wing);
  const shelf = ofCatalog.get(wing) ?? new WingShelf();
  if (notes.length === 0) ofCatalog.delete(wing);
  else ofCatalog.set(wing, shelf);
  shelf.update(notes);
  return shelf.halls;
}

export interface WingIndexed {
  readonly wing: Wing;
  readonly path: VaultPath;
  readonly notes: number;
  readonly changed: boolean;
  readonly warning: string | null;
}

/**
 * Brings the `_index.md` of a wing up to date; writes only when its bytes change. Call it with the writer held.
 * An index is derived, so its write is made durable only when a person has written into it.
 */
export async function refreshWingIndex(
  brain: Pick<Brain, 'catalog' | 'vault'>,
  wing: Wing,
  { dryRun = false, ahead }: { dryRun?: boolean | undefined; ahead?: ReadAhead | undefined } = {},
): Promise<WingIndexed> {
  const path = wingIndexPath(wing);
  const current = await (ahead?.path === path ? ahead.text() : brain.vault.read(path));
  const contents = wingContents(brain, wing);
  const { text, warning, handWritten } = wingIndexText(current, contents);
  const changed = text !== current;
  if (changed && !dryRun) {
    await brain.vault.putDerived(path, text, handWritten);
    brain.catalog.known(path);
  }
  const notes = contents.halls.reduce((sum, { count }) => sum + count, 0);
  return { wing, path, notes, changed, warning };
}

/**
 * Brings the maps of the wings that a change touched up to date, with the writer held. The change stands already, so what
 * goes wrong here is a warning; the next change or start makes the map anew.
 */
export async function refreshWings(
  brain: Pick<Brain, 'catalog' | 'vault' | 'log'>,
  wings: Iterable<Wing | null>,
  warnings: string[],
  ahead?: ReadAhead,
): Promise<void> {
  for (const wing of new Set(wings)) {
    if (wing === null) continue;
    try {
      const { warning } = await refreshWingIndex(brain, wing, { ahead });
      if (warning !== null) warnings.push(warning);
    } catch (error) {
      brain.log.error('wing_index.refresh', { wing, message: String(error) });
      warnings.push(
        `The index of ${wing} could not be refreshed; the note itself is written. Rebuild it with "index".`,
      );
    }
  }
}

/**
 * Brings those of the maps up to date that are ours: those that have our markers, and of wings that hold a note of ours and
 * so ought to have one. A map that cannot be read or written is logged and left for a person; the others go on.
 */
export async function refreshOwnWings(
  brain: Pick<Brain, 'catalog' | 'vault' | 'log' | 'writer' | 'pace'>,
  wings: Iterable<Wing> = brain.catalog.wings(),
): Promise<void> {
  for (const wing of wings) {
    try {
      const current = await brain.vault.read(wingIndexPath(wing));
      const notes = brain.catalog.notesOfWing(wing);
      const ours =
        current === null || isEmpty(current)
          ? notes.some((note) => note.written_by !== undefined)
          : current.includes(START);
      if (!ours) continue;
      // The lines of a large wing are made ahead, a few at a time.
      for (const note of notes) await brain.pace.run(() => entryOf(note));
      await brain.writer.run(() => refreshWingIndex(brain, wing));
    } catch (error) {
      brain.log.warn('wing_index.refresh', { wing, message: String(error) });
    }
  }
}
