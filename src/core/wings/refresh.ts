import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import { compareText as compare } from '../base/text';
import { entryOf } from '../catalog/wing-shelf';
import type { Brain } from '../operation/context';
import type { MapRuns, WingIndexed } from '../operation/memory';
import { type FileStat, sameStat, type VaultStore } from '../ports/ports';
import { archive } from '../storage/history';
import { type Wing, wingIndexPath, wingOfPath } from '../vocabulary/address';
import { isOwners } from '../vocabulary/ownership';
import type { VaultPath } from '../vocabulary/paths';
import { isEmptyMap, isOurMap, type WingContents, wingIndexText } from './map';

/** The content of a path at some time, with the time and size of the file right before the read. */
interface Seen {
  readonly stat: FileStat | null;
  readonly text: string | null;
}

/**
 * A file that is read early, while the disk writes another. The result counts only when the file is still the same later, so
 * that no edit of a person is missed.
 */
export class ReadAhead {
  #seen: Promise<Seen | null> | null = null;

  constructor(
    private readonly vault: Pick<VaultStore, 'stat' | 'read'>,
    readonly path: VaultPath,
  ) {}

  /** Starts the read. */
  begin(): void {
    // An error of the file shows again in the read that counts.
    this.#seen = this.#look().catch(() => null);
  }

  /** Returns the current text, or null when there is no file; rejects when the read fails. */
  async text(): Promise<string | null> {
    const seen = await this.#seen;
    const stat = await this.vault.stat(this.path);
    return seen !== null && sameStat(seen.stat, stat) ? seen.text : this.vault.read(this.path);
  }

  async #look(): Promise<Seen> {
    const stat = await this.vault.stat(this.path);
    return { stat, text: stat === null ? null : await this.vault.read(this.path) };
  }
}

/** Returns the contents of the map of `wing`, from memory. */
function wingContents(
  brain: Pick<Brain, 'catalog'> & Partial<Pick<Brain, 'maps'>>,
  wing: Wing,
): WingContents {
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
  return { wing, title: brain.maps?.names.get(wing), halls: brain.catalog.hallsOfWing(wing), tunnels };
}

/**
 * Returns the text of a file as a brain sees it: the generated part of a map without notes and wings that are not in its
 * catalog; every other text is unchanged.
 */
export function mapAsSeen(brain: Pick<Brain, 'catalog'>, path: VaultPath, text: string): string {
  const wing = wingOfPath(path);
  if (wing === null || path !== wingIndexPath(wing) || !isOurMap(wing, text)) return text;
  return wingIndexText(text, wingContents(brain, wing)).text;
}

/** The number of maps that are cached as last written, and the length of each in characters. */
const MAX_KEPT = 16;
const MAX_KEPT_LENGTH = 512 * 1024;

function keep(kept: Map<Wing, string>, wing: Wing, text: string): void {
  // The order of the entries is that of the writes.
  kept.delete(wing);
  if (text.length > MAX_KEPT_LENGTH) return;
  kept.set(wing, text);
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
}

/** Returns a reader that reads the map of a wing early; undefined when the map is cached. */
export function prepareMap({ whole }: Pick<Brain, 'whole'>, wing: Wing): ReadAhead | undefined {
  return whole.maps.texts.has(wing) ? undefined : new ReadAhead(whole.vault, wingIndexPath(wing));
}

/** The number of times that a map is made again because a person saved it meanwhile. */
const MAX_REBUILDS = 3;

/**
 * Refreshes the map of a wing as `refreshWingIndex`. Callers that arrive during a refresh, which may lack their changes, share
 * the next one.
 */
function refreshInTurn(brain: MapPorts, wing: Wing, ahead: ReadAhead | undefined): Promise<WingIndexed> {
  const { runs } = brain.maps;
  const begin = (made: Promise<WingIndexed>): Promise<WingIndexed> => {
    const turns: MapRuns = { now: made, next: null };
    runs.set(wing, turns);
    const end = (): void => {
      if (turns.next === null) runs.delete(wing);
    };
    void made.then(end, end);
    return made;
  };
  const turns = runs.get(wing);
  if (turns === undefined) return begin(refreshMap(brain, wing, { ahead }));
  const after = (): Promise<WingIndexed> => begin(refreshMap(brain, wing));
  return (turns.next ??= turns.now.then(after, after));
}

type MapPorts = Pick<Brain, 'catalog' | 'vault' | 'state' | 'log' | 'maps'>;

/** Options of a refresh; `ahead` may have read the map already. */
interface RefreshOptions {
  readonly dryRun?: boolean | undefined;
  readonly ahead?: ReadAhead | undefined;
}

/**
 * Updates the `_index.md` of a wing; writes only when its bytes change, and makes none for a wing without a note. Calls for one
 * wing must not overlap. A map is derived, so its write is durable only when a person has written into it; before lines of a
 * person may be removed, the former map is archived. Warnings are logged as well, because some callers report to nobody.
 * @throws BrainError `busy` when a person keeps saving the map; the map has that person's text then
 */
export function refreshWingIndex(
  { whole }: Pick<Brain, 'whole'>,
  wing: Wing,
  options: RefreshOptions = {},
): Promise<WingIndexed> {
  return refreshMap(whole, wing, options);
}

async function refreshMap(
  brain: MapPorts,
  wing: Wing,
  { dryRun = false, ahead }: RefreshOptions = {},
): Promise<WingIndexed> {
  const path = wingIndexPath(wing);
  const kept = brain.maps.texts;
  const guess = dryRun ? undefined : kept.get(wing);
  const read = async () => (ahead?.path === path ? ahead.text() : brain.vault.read(path));
  let was = guess ?? (await read());
  let isRead = guess === undefined;
  const contents = wingContents(brain, wing);
  const notes = contents.halls.reduce((sum, { count }) => sum + count, 0);
  for (let rebuilds = 0; rebuilds <= MAX_REBUILDS; rebuilds += 1) {
    // Somebody may have deleted the wing a moment ago, which the catalog does not know yet.
    if (was === null && !(await hasFile(brain, wing)))
      return { wing, path, notes, changed: false, warning: null };
    const { text, warning, handWritten, archive: former } = wingIndexText(was, contents);
    const indexed = { wing, path, notes, changed: text !== was, warning };
    if (isRead && (!indexed.changed || dryRun)) return indexed;
    if (indexed.changed) {
      if (was !== null && former !== undefined) await archive(brain.state, former, was);
      if (await brain.vault.putDerived(path, text, { was, durable: handWritten })) {
        if (warning !== null) brain.log.warn('wing_index.warning', { wing, message: warning });
        brain.catalog.addPath(path);
        keep(kept, wing, text);
        brain.maps.names.delete(wing);
        return indexed;
      }
    }
    kept.delete(wing);
    was = await brain.vault.read(path);
    isRead = true;
  }
  throw new BrainError('busy', `${path} is being changed by someone else. Try again in a few seconds.`, {
    path,
    retry_after: 2,
  });
}

/** Returns true when a note of the wing exists on the disk. */
async function hasFile({ catalog, vault }: MapPorts, wing: Wing): Promise<boolean> {
  for (const { path } of catalog.notesOfWing(wing)) if ((await vault.stat(path)) !== null) return true;
  return false;
}

/**
 * Refreshes the maps of the wings that a change touched, as part of that change, and those left over from earlier changes. The
 * change is durable already, so a failure is a warning; the next change or start makes the map again. Where several servers share
 * the vault, the one with the duty makes the maps a little later, but for that of a new wing whose written name only this one has.
 */
export async function refreshWings(
  { whole: brain }: Pick<Brain, 'whole'>,
  wings: Iterable<Wing | null>,
  warnings: string[],
  ahead?: ReadAhead,
): Promise<void> {
  const { late, names } = brain.maps;
  const isAfter = brain.servers.maps === 'after';
  const touched = new Set([...wings].filter((wing) => !isAfter || (wing !== null && names.has(wing))));
  for (const wing of new Set([...touched, ...late])) {
    if (wing === null) continue;
    try {
      const { warning } = await refreshInTurn(brain, wing, ahead);
      late.delete(wing);
      if (warning !== null && touched.has(wing)) warnings.push(warning);
    } catch (error) {
      const isBusy = error instanceof BrainError && error.code === 'busy';
      if (isBusy) late.add(wing);
      else late.delete(wing);
      brain.log.error('wing_index.refresh', { wing, message: String(error) });
      if (!touched.has(wing)) continue;
      warnings.push(
        isBusy
          ? `The index of ${wing} is being edited by someone else and was left as it is; the note itself is written. The next write brings it up to date.`
          : `The index of ${wing} could not be refreshed; the note itself is written. Rebuild it with "index".`,
      );
    }
  }
}

/** Returns true for a wing of the owner alone: it has no note of the service, and its `_index.md` is the owner's own text. */
export async function isOwnersWing(
  { whole: { catalog, vault } }: Pick<Brain, 'whole'>,
  wing: Wing,
): Promise<boolean> {
  if (catalog.notesOfWing(wing).some((note) => !isOwners(note))) return false;
  const text = await vault.read(wingIndexPath(wing));
  return text !== null && !isEmptyMap(text) && !isOurMap(wing, text);
}

type MapKeeper = Pick<Brain, 'catalog' | 'vault' | 'log' | 'writer' | 'pace' | 'whole'>;

/** A map that is not whole. */
export interface LateMap {
  readonly wing: Wing;
  /** The hash of what stands there; null when nothing does, or it could not be read. */
  readonly found: string | null;
  /** True when it cannot be read until its owner mends it: nobody knows whether it is the service's at all. */
  readonly isUnreadable: boolean;
}

/**
 * Refreshes the generated maps: those with markers, and those of wings with a note that the service wrote or promoted, which
 * should have one. A map that cannot be read or written is logged, left as it is, and returned; the others continue. With
 * `dryRun` all are left as they are, and those that are not whole are returned.
 */
export async function refreshOwnWings(
  brain: MapKeeper,
  wings: Iterable<Wing> = [...brain.catalog.wings(), ...brain.catalog.wings('emptied')],
  { dryRun = false }: Pick<RefreshOptions, 'dryRun'> = {},
): Promise<LateMap[]> {
  const late: LateMap[] = [];
  for (const wing of wings) {
    if (brain.pace.isStopped) break;
    let current: string | null | undefined;
    const addLate = (isUnreadable = false): void => {
      late.push({ wing, found: typeof current === 'string' ? sha256(current) : null, isUnreadable });
    };
    try {
      current = await brain.vault.read(wingIndexPath(wing));
      const notes = brain.catalog.notesOfWing(wing);
      const ours =
        current === null || isEmptyMap(current)
          ? notes.some((note) => !isOwners(note) || note.frontmatter.promoted_at !== undefined)
          : isOurMap(wing, current);
      if (!ours) continue;
      // The lines of a large wing are made in advance, in slices.
      for (const note of notes) await brain.pace.run(() => entryOf(note));
      const refresh = () => refreshWingIndex(brain, wing, { dryRun });
      const { changed } = await (dryRun ? refresh() : brain.writer.run(refresh));
      if (dryRun && changed) addLate();
    } catch (error) {
      // Closing the vault ends the work, and the next start looks at the maps again.
      if (brain.pace.isStopped) break;
      brain.log.warn('wing_index.refresh', { wing, message: String(error) });
      addLate(current === undefined && !(error instanceof BrainError && error.code === 'busy'));
    }
  }
  return late;
}

/**
 * Looks at generated maps, by default at all, and makes those that are behind, where this server may: of several that share a vault
 * one has that duty, and the others see when it has done it. Returns the maps that are not whole yet.
 */
export async function makeMapsWhole(
  brain: MapKeeper & Pick<Brain, 'servers'>,
  wings?: Iterable<Wing>,
): Promise<LateMap[]> {
  const late = await refreshOwnWings(brain, wings, { dryRun: true });
  const readable = late.filter(({ isUnreadable }) => !isUnreadable).map(({ wing }) => wing);
  if (readable.length === 0 || !(await brain.servers.duty('maps'))) return late;
  return [...late.filter(({ isUnreadable }) => isUnreadable), ...(await refreshOwnWings(brain, readable))];
}
