import { type Sha, sha256 } from '../base/hash';
import { compareText as compare, firstPoints } from '../base/text';
import type { NoteRecord } from '../catalog/record';
import { linkWords } from '../markdown/link-words';
import { historyPath } from '../storage/history';
import { addressOf, type Hall, HALL_TITLES, HALLS, type Wing, wingIndexPath } from '../vocabulary/address';
import { fold, linkPath } from '../vocabulary/paths';

/** A line with what it is sorted by: `key`, then `path`, which no other line has. */
interface SortedLine {
  readonly key: string;
  readonly path: string;
  readonly line: string;
}

/** A block with more lines than this becomes two: few enough to join anew, enough that a large map has few blocks. */
const MAX_BLOCK = 32;

/** Neighbouring lines; `text` is all of them, null when it has to be put together again. */
interface Block {
  readonly lines: SortedLine[];
  text: string | null;
}

/**
 * Sorted lines that are asked for as one text after each change: the text is kept in blocks, of which a change spoils one,
 * because to put thousands of lines together takes longer than to write them.
 */
export class SortedLines {
  readonly #blocks: Block[] = [{ lines: [], text: null }];
  #count = 0;

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  /** All lines in order, with line feeds between them. */
  get text(): string {
    const blocks = this.#blocks.filter(({ lines }) => lines.length > 0);
    return blocks.map((block) => (block.text ??= block.lines.map(({ line }) => line).join('\n'))).join('\n');
  }

  /** Adds a line that is not there. */
  add(line: SortedLine): void {
    const index = this.#blockOf(line);
    const block = this.#blocks[index];
    if (block === undefined) return;
    block.lines.splice(positionOf(line, block.lines), 0, line);
    block.text = null;
    this.#count += 1;
    if (block.lines.length > MAX_BLOCK) {
      this.#blocks.splice(index + 1, 0, { lines: block.lines.splice(MAX_BLOCK / 2), text: null });
    }
  }

  /** Removes the line with this key and path; nothing when there is none. */
  remove(line: SortedLine): void {
    const index = this.#blockOf(line);
    const block = this.#blocks[index];
    const at = block === undefined ? 0 : positionOf(line, block.lines);
    if (block?.lines[at]?.path !== line.path) return;
    block.lines.splice(at, 1);
    block.text = null;
    this.#count -= 1;
    if (block.lines.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** The last block that begins at or before the line, else the first. */
  #blockOf(line: SortedLine): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = this.#blocks[middle]?.lines[0];
      if (first !== undefined && inOrder(first, line) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

function inOrder(a: SortedLine, b: SortedLine): number {
  return compare(a.key, b.key) || compare(a.path, b.path);
}

/** How many of the sorted lines come before `line`. */
function positionOf(line: SortedLine, sorted: readonly SortedLine[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && inOrder(other, line) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A line of the map shows this much of a note, in code points. */
const LINE_EXCERPT = 120;

/** What the map of a wing shows of a note. */
interface MapEntry extends SortedLine {
  /** Null for a note that lies in the wing's folder but not at an address; the map leaves it out. */
  readonly hall: Hall | null;
}

/** A record never changes, so its line is made once however often the wing is indexed. */
const entries = new WeakMap<NoteRecord, MapEntry>();

/** What the map shows of a note. Made when it is asked for the first time, which may be done ahead. */
export function entryOf(note: NoteRecord): MapEntry {
  const known = entries.get(note);
  if (known !== undefined) return known;
  const excerpt = inertText(firstPoints(note.excerpt, LINE_EXCERPT));
  const parts = ['- [[', linkPath(note.path), '|', linkWords(note.title), ']]'];
  if (excerpt !== '') parts.push(' — ', excerpt);
  // Joined, the line is one piece of memory; a sum of texts would be put together anew each time the map is made.
  const line = parts.join('');
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

/** The lines of the notes of one hall, at least one, by folded title and then by path. */
export interface HallSection {
  readonly hall: Hall;
  readonly count: number;
  readonly text: string;
}

/**
 * The lines of one wing's map, in order. It is told all notes of the wing each time and looks only at those that are others
 * than before, so a write costs no new sorting of the wing.
 */
export class WingShelf {
  #notes: readonly NoteRecord[] = [];
  readonly #halls = new Map<Hall, SortedLines>();

  /** The halls that hold a note, in their order. */
  get halls(): HallSection[] {
    return HALLS.flatMap((hall) => {
      const lines = this.#halls.get(hall);
      return lines !== undefined && lines.count > 0 ? [{ hall, count: lines.count, text: lines.text }] : [];
    });
  }

  /** Brings the lines up to date with the notes of the wing, which are sorted by path. */
  update(notes: readonly NoteRecord[]): void {
    const before = this.#notes;
    this.#notes = notes;
    let at = 0;
    const added: MapEntry[] = [];
    for (const note of notes) {
      let old = before[at];
      while (old !== undefined && old !== note && old.path <= note.path) {
        this.#remove(entryOf(old));
        old = before[(at += 1)];
      }
      if (old === note) at += 1;
      else added.push(entryOf(note));
    }
    for (const old of before.slice(at)) this.#remove(entryOf(old));
    for (const entry of added) this.#add(entry);
  }

  #add(entry: MapEntry): void {
    if (entry.hall === null) return;
    const lines = this.#halls.get(entry.hall) ?? new SortedLines();
    this.#halls.set(entry.hall, lines);
    lines.add(entry);
  }

  #remove(entry: MapEntry): void {
    if (entry.hall !== null) this.#halls.get(entry.hall)?.remove(entry);
  }
}

const START = '<!-- brain:index:start -->';
const END = '<!-- brain:index:end -->';
const NO_NOTES = '_No notes yet._';
const TUNNELS = '## Tunnels';

/** What the map of one wing is made from. */
export interface WingContents {
  readonly wing: Wing;
  readonly halls: readonly HallSection[];
  /** Other wings that a tunnel joins to this one, and how many tunnels do. */
  readonly tunnels: ReadonlyMap<Wing, number>;
}

/** The lines between the markers. The same contents always give the same bytes: no times, total orders. */
function wingRegion({ halls, tunnels }: WingContents): string {
  const parts = [START];
  for (const { hall, count, text } of halls) parts.push(`## ${HALL_TITLES[hall]} (${count})`, text);
  if (halls.length === 0) parts.push(NO_NOTES);
  const joined = [...tunnels].sort(([a], [b]) => compare(a, b));
  if (joined.length > 0) parts.push(TUNNELS);
  for (const [wing, count] of joined) parts.push(`- [[${linkPath(wingIndexPath(wing))}|${wing}]] (${count})`);
  parts.push(END);
  return parts.join('\n');
}

/** The text of a map, and what its writer has to know. */
interface WingMap {
  readonly text: string;
  readonly warning: string | null;
  /** True when a person has written into it. */
  readonly handWritten: boolean;
  /** The hash of the former text, which has to be in the history before it is replaced: some of it may be a person's. */
  readonly archive?: Sha;
}

/**
 * The whole `_index.md`: a new one, or `current` with its managed region replaced and every byte outside it kept.
 * What a cut left of a map is made whole; where it holds a row that is not made again, which may be an old one of ours or a
 * person's, with a warning and the wish to archive it. A file without markers gets the region appended; so does one in which
 * a person's words follow a region that never ends, with a warning.
 */
export function wingIndexText(current: string | null, contents: WingContents): WingMap {
  const { wing } = contents;
  const region = wingRegion(contents);
  const head = skeletonHead(wing);
  if (current === null || isEmptyMap(current) || isCutHead(wing, current)) {
    return { text: `${head}${region}\n`, warning: null, handWritten: false };
  }
  const first = current.indexOf(START);
  const end = first < 0 ? -1 : current.indexOf(END, first);
  // Of several starts the last one opens the region: what stands after one that never ended is a person's. Looked for
  // forwards, which takes a tenth of the time.
  let start = first;
  for (let next = first; next >= 0 && next < end; next = current.indexOf(START, next + 1)) start = next;
  const cut = end < 0 ? cutRegionAt(current) : -1;
  if (end >= 0 || cut >= 0) {
    const before = headOf(wing, current.slice(0, end < 0 ? cut : start));
    const rest = end < 0 ? '' : current.slice(end + END.length);
    // Our own map ends with a line feed, which a cut may have taken as well.
    const after = rest === '' && (cut >= 0 || before === head) ? '\n' : rest;
    const map = { text: before + region + after, handWritten: before !== head || after !== '\n' };
    if (cut < 0 || isMadeAgain(current.slice(cut), region)) return { ...map, warning: null };
    const hash = sha256(current);
    return { ...map, warning: replacedWarning(hash), archive: hash };
  }
  const warning =
    start < 0
      ? null
      : 'The index region had a start but no end; a new one was appended and nothing was deleted.';
  const gap = current.endsWith('\n\n') ? '' : current.endsWith('\n') ? '\n' : '\n\n';
  return { text: `${current}${gap}${region}\n`, warning, handWritten: true };
}

/** True for a map that holds nothing: a cut that came before the first byte, or a disk that had only noted its length. */
export function isEmptyMap(map: string): boolean {
  return /^[\s\0]*$/.test(map);
}

/** True for a map that the service keeps: one with our markers, or the beginning of one. */
export function isOurMap(wing: Wing, map: string): boolean {
  return map.includes(START) || isCutHead(wing, map);
}

/** True for what is left of a map of ours that was cut when it was written: it holds nothing that cannot be made again. */
export function isCutMap(wing: Wing, map: string): boolean {
  return isCutHead(wing, map) || cutRegionAt(map) >= 0;
}

function isCutHead(wing: Wing, map: string): boolean {
  return `${skeletonHead(wing)}${START}`.startsWith(map);
}

/** Where a region begins that never ends and in which nobody but us has written; -1 when there is none. */
function cutRegionAt(map: string): number {
  const start = map.lastIndexOf(START);
  if (start < 0) return -1;
  const [beside = '', ...lines] = map.slice(start + START.length).split('\n');
  const last = lines.pop() ?? '';
  return beside === '' && lines.every(isOurLine) && beginsOurLine(last) ? start : -1;
}

/** True when all that a cut region holds is in the new one, but for old numbers of notes. */
function isMadeAgain(cut: string, region: string): boolean {
  const made = region.split('\n');
  const whole = new Set(made);
  const lines = cut.split('\n');
  const last = lines.pop() ?? '';
  return (
    lines.every((line) => whole.has(line) || isOurFrame(line)) &&
    (beginsOurFrame(last) || made.some((line) => line.startsWith(last)))
  );
}

function replacedWarning(former: Sha): string {
  return `The index region had a start but no end and was made anew. Some of its lines may have been written by hand; the former index is kept as .brain/${historyPath(former)}.`;
}

const TITLES = HALLS.map((hall) => `## ${HALL_TITLES[hall]} (`);
const ROW = '- [[wiki/';
/** A note with or without an excerpt, or a wing with the number of tunnels to it. */
const WHOLE_ROW = /^- \[\[wiki\/[^[\]|]+\|[^[\]|]*\]\](?: — .*| \(\d+\))?$/;

function isOurLine(line: string): boolean {
  return isOurFrame(line) || WHOLE_ROW.test(line);
}

/** True for a line of a region that is no row. */
function isOurFrame(line: string): boolean {
  const isTitle = TITLES.some((title) => line.startsWith(title) && /^\d+\)$/.test(line.slice(title.length)));
  return isTitle || line === NO_NOTES || line === TUNNELS;
}

function beginsOurLine(text: string): boolean {
  return text.startsWith(ROW) || beginsOurFrame(text);
}

/** True for what is left of a line that is no row, or of a row of which nothing is left that a note gave. */
function beginsOurFrame(text: string): boolean {
  const isTitle = TITLES.some((title) => text.startsWith(title) && /^\d*\)?$/.test(text.slice(title.length)));
  return isTitle || [...TITLES, NO_NOTES, TUNNELS, ROW, END].some((line) => line.startsWith(text));
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
