import { compareText as compare } from '../rules/text';

/** A line with what it is sorted by: `key`, then `path`, which no other line has. */
export interface SortedLine {
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
