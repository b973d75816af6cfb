import { partitionPoint } from '../base/steps';
import { compareText as compare, firstPoints } from '../base/text';
import { linkWords } from '../markdown/link-words';
import { addressOf, type Hall, HALLS } from '../vocabulary/address';
import { fold, linkPath } from '../vocabulary/paths';
import type { NoteRecord } from './record';

/** A line with its sort key: `key`, then `path`, which is unique. */
interface SortedLine {
  readonly key: string;
  readonly path: string;
  readonly line: string;
}

/** The most lines of a block. A larger one is split: a block must be fast to join, and a large map must have few of them. */
const MAX_BLOCK = 32;

/** Adjacent lines. `text` is their concatenation; null when it is out of date. */
interface Block {
  readonly lines: SortedLine[];
  text: string | null;
}

/**
 * Sorted lines that are read as one text after each change. The text is cached in blocks, and a change invalidates one of them,
 * because joining thousands of lines takes longer than writing them.
 */
export class SortedLines {
  readonly #blocks: Block[] = [{ lines: [], text: null }];
  #count = 0;

  /** The number of lines. */
  get count(): number {
    return this.#count;
  }

  /** All lines in order, separated by line feeds. */
  get text(): string {
    const blocks = this.#blocks.filter(({ lines }) => lines.length > 0);
    return blocks.map((block) => (block.text ??= block.lines.map(({ line }) => line).join('\n'))).join('\n');
  }

  /** Adds a new line. */
  add(line: SortedLine): void {
    const index = this.#blockOf(line);
    const block = this.#blocks[index];
    if (block === undefined) return;
    block.lines.splice(
      partitionPoint(block.lines, (other) => inOrder(other, line) < 0),
      0,
      line,
    );
    block.text = null;
    this.#count += 1;
    if (block.lines.length > MAX_BLOCK) {
      this.#blocks.splice(index + 1, 0, { lines: block.lines.splice(MAX_BLOCK / 2), text: null });
    }
  }

  /** Removes the line with this key and path, if there is one. */
  remove(line: SortedLine): void {
    const index = this.#blockOf(line);
    const block = this.#blocks[index];
    const at = block === undefined ? 0 : partitionPoint(block.lines, (other) => inOrder(other, line) < 0);
    if (block?.lines[at]?.path !== line.path) return;
    block.lines.splice(at, 1);
    block.text = null;
    this.#count -= 1;
    if (block.lines.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** Returns the index of the last block that begins at or before the line, otherwise 0. */
  #blockOf(line: SortedLine): number {
    const begun = partitionPoint(
      this.#blocks,
      ({ lines: [first] }) => first !== undefined && inOrder(first, line) <= 0,
    );
    return Math.max(0, begun - 1);
  }
}

function inOrder(a: SortedLine, b: SortedLine): number {
  return compare(a.key, b.key) || compare(a.path, b.path);
}

/** The length of a note's excerpt in a map, in code points. */
const LINE_EXCERPT = 120;

/** The line of a note in the map of its wing. */
interface MapEntry extends SortedLine {
  /** Null for a note in the wing's folder without an address; the map omits it. */
  readonly hall: Hall | null;
}

/** Lines by record: a record never changes, so its line is made once. */
const entries = new WeakMap<NoteRecord, MapEntry>();

/** Returns the line of a note, cached; it may be made in advance. */
export function entryOf(note: NoteRecord): MapEntry {
  const known = entries.get(note);
  if (known !== undefined) return known;
  const excerpt = inertText(firstPoints(note.excerpt, LINE_EXCERPT));
  const parts = ['- [[', linkPath(note.path), '|', linkWords(note.title), ']]'];
  if (excerpt !== '') parts.push(' — ', excerpt);
  // The joined line is one flat string; a concatenation would be flattened again each time the map is made.
  const line = parts.join('');
  const hall = addressOf(note.path)?.hall ?? null;
  const entry = { hall, key: fold(note.title), path: note.path, line };
  entries.set(note, entry);
  return entry;
}

/** Escapes plain text for a line of Markdown: it must not become a tag, a link, an image, code or a marker of the map. */
function inertText(text: string): string {
  return text
    .replace(/[\\`[\]]/g, '\\$&')
    .replace(/</g, '&lt;')
    .replace(/%%/g, '%\\%');
}

/** The lines of one hall with at least one note, by folded title and then by path. */
export interface HallSection {
  readonly hall: Hall;
  readonly count: number;
  readonly text: string;
}

/**
 * The sorted lines of one wing's map. `update` gets all notes of the wing and handles only those that changed, so a write does
 * not sort the wing again.
 */
export class WingShelf {
  #notes: readonly NoteRecord[] = [];
  readonly #halls = new Map<Hall, SortedLines>();

  /** The halls that have a note, in order. */
  get halls(): HallSection[] {
    return HALLS.flatMap((hall) => {
      const lines = this.#halls.get(hall);
      return lines !== undefined && lines.count > 0 ? [{ hall, count: lines.count, text: lines.text }] : [];
    });
  }

  /** Updates the lines from the notes of the wing, which are sorted by path. */
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
