import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { type Hall, HALLS, HALL_TITLES } from '../rules/hall';
import { addressOf, wingIndexPath, wingOfPath, type Wing } from '../rules/address';
import { fold, linkPath, type VaultPath } from '../rules/paths';
import { compareText as compare, firstPoints } from '../rules/text';

const START = '<!-- brain:index:start -->';
const END = '<!-- brain:index:end -->';
/** A line of the index shows this much of a note, in code points. */
const LINE_EXCERPT = 120;

/** What the map of one wing is made from. */
export interface WingContents {
  readonly wing: Wing;
  readonly notes: readonly NoteRecord[];
  /** Other wings that a tunnel joins to this one, and how many tunnels do. */
  readonly tunnels: ReadonlyMap<Wing, number>;
}

/** The lines between the markers. The same contents always give the same bytes: no times, total orders. */
export function wingRegion({ notes, tunnels }: WingContents): string {
  const halls = new Map<Hall, Entry[]>();
  for (const entry of notes.map(entryOf)) {
    if (entry.hall === null) continue;
    const others = halls.get(entry.hall);
    if (others === undefined) halls.set(entry.hall, [entry]);
    else others.push(entry);
  }
  const lines: string[] = [];
  for (const hall of HALLS) {
    const inHall = halls.get(hall);
    if (inHall === undefined) continue;
    inHall.sort((a, b) => compare(a.key, b.key) || compare(a.path, b.path));
    lines.push(`## ${HALL_TITLES[hall]} (${inHall.length})`);
    for (const { line } of inHall) lines.push(line);
  }
  if (lines.length === 0) lines.push('_No notes yet._');
  const joined = [...tunnels].sort(([a], [b]) => compare(a, b));
  if (joined.length > 0) lines.push('## Tunnels');
  for (const [wing, count] of joined) lines.push(`- [[${linkPath(wingIndexPath(wing))}|${wing}]] (${count})`);
  return [START, ...lines, END].join('\n');
}

interface Entry {
  /** Null for a note that lies in the wing's folder but not at an address; the map leaves it out. */
  readonly hall: Hall | null;
  readonly key: string;
  readonly path: VaultPath;
  readonly line: string;
}

/** A record never changes, so its line is made once however often the wing is indexed. */
const entries = new WeakMap<NoteRecord, Entry>();

function entryOf(note: NoteRecord): Entry {
  const known = entries.get(note);
  if (known !== undefined) return known;
  const excerpt = inertText(firstPoints(note.excerpt, LINE_EXCERPT));
  const line = `- [[${linkPath(note.path)}|${inertLabel(note.title)}]]${excerpt === '' ? '' : ` — ${excerpt}`}`;
  const hall = addressOf(note.path)?.hall ?? null;
  const entry = { hall, key: fold(note.title), path: note.path, line };
  entries.set(note, entry);
  return entry;
}

/**
 * Plain text for a line of Markdown: what a note shows as text must not become a tag, a link, an image, code or a marker of
 * ours when it is shown again here.
 */
function inertText(text: string): string {
  return text
    .replace(/[\\`[\]]/g, '\\$&')
    .replace(/</g, '&lt;')
    .replace(/%%/g, '%\\%');
}

/** The same for the words of a link, where nothing can be escaped. */
function inertLabel(text: string): string {
  return text
    .replace(/[[\]|`<\\]|%%/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
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
  if (current === null) {
    return { text: `${skeletonHead(contents.wing)}${region}\n`, warning: null, handWritten: false };
  }
  const first = current.indexOf(START);
  const end = first < 0 ? -1 : current.indexOf(END, first);
  // Of several starts the last one opens the region: what stands after one that never ended is a person's.
  const start = end < 0 ? first : current.lastIndexOf(START, end);
  if (end >= 0) {
    const [before, after] = [current.slice(0, start), current.slice(end + END.length)];
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

function skeletonHead(wing: Wing): string {
  return `---\ntype: index\nwing: ${/^[\p{L}][\p{L}\p{M}\p{N}-]*$/u.test(wing) && !YAML_WORD.test(wing) ? wing : JSON.stringify(wing)}\n---\n# ${wing}\n\n`;
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
  const notes = brain.catalog.notesOfWing(wing).filter((note) => entryOf(note).hall !== null);
  return { wing, notes, tunnels };
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
  dryRun = false,
): Promise<WingIndexed> {
  const path = wingIndexPath(wing);
  const current = await brain.vault.read(path);
  const contents = wingContents(brain, wing);
  const { text, warning, handWritten } = wingIndexText(current, contents);
  const changed = text !== current;
  if (changed && !dryRun) {
    await brain.vault.putDerived(path, text, handWritten);
    brain.catalog.known(path);
  }
  return { wing, path, notes: contents.notes.length, changed, warning };
}

/**
 * Brings the maps of the wings that a change touched up to date, with the writer held. The change stands already, so what
 * goes wrong here is a warning; the next change or start makes the map anew.
 */
export async function refreshWings(
  brain: Pick<Brain, 'catalog' | 'vault' | 'log'>,
  wings: Iterable<Wing | null>,
  warnings: string[],
): Promise<void> {
  for (const wing of new Set(wings)) {
    if (wing === null) continue;
    try {
      const { warning } = await refreshWingIndex(brain, wing);
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
 * Brings the maps up to date that are ours: those that have our markers, and of wings that hold a note of ours and so ought to
 * have one. A map that cannot be read or written is logged and left for a person; the others go on.
 */
export async function refreshOwnWings(
  brain: Pick<Brain, 'catalog' | 'vault' | 'log' | 'writer'>,
): Promise<void> {
  for (const wing of brain.catalog.wings()) {
    try {
      const current = await brain.vault.read(wingIndexPath(wing));
      const hasOwnNote = () => brain.catalog.notesOfWing(wing).some((note) => note.written_by !== undefined);
      const ours = current === null ? hasOwnNote() : current.includes(START);
      if (ours) await brain.writer.run(() => refreshWingIndex(brain, wing));
    } catch (error) {
      brain.log.warn('wing_index.start', { wing, message: String(error) });
    }
  }
}
