import { normalise } from './normalise';
import type { TextRun } from './open-pdf';

/** One line of a page. Lengths are in points, from the lower left corner. */
export interface PageLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly size: number;
  /** Where its text goes on after a gap as wide as a letter: the columns of a table. */
  readonly stops: readonly number[];
}

/** The runs of a page as lines, in the order of the file, which is the one in which programs write text. */
export function linesOf(runs: readonly TextRun[]): PageLine[] {
  const lines: PageLine[] = [];
  let open: TextRun[] = [];
  const close = () => {
    const line = lineOf(open);
    if (line !== null) lines.push(line);
    open = [];
  };
  for (const run of runs) {
    const before = open.at(-1);
    if (before !== undefined && run.text.trim() !== '' && !isSameLine(before, run)) close();
    if (run.text !== '') open.push(run);
    if (run.endsLine) close();
  }
  close();
  return lines;
}

/** A note set high or low is part of its line; what stands further off, or back to the left, is another. */
function isSameLine(before: TextRun, run: TextRun): boolean {
  const size = Math.max(before.size, run.size);
  return Math.abs(run.y - before.y) < 0.6 * size || before.text.trim() === '';
}

function lineOf(runs: readonly TextRun[]): PageLine | null {
  let text = '';
  let end = 0;
  for (const [at, run] of runs.entries()) {
    // A gap as wide as a table's column, without a space in the file.
    const gap = run.x - end;
    if (at > 0 && gap > run.size && !/\s$/.test(text) && !/^\s/.test(run.text)) text += ' ';
    text += run.text;
    end = run.x + run.width;
  }
  const plain = normalise(text).replace(/ +/g, ' ').trim();
  const filled = runs.filter((run) => run.text.trim() !== '');
  const [first] = filled;
  if (plain === '' || first === undefined) return null;
  const widest = filled.reduce((most, run) => (run.text.length > most.text.length ? run : most), first);
  const stops = filled.flatMap((run, at) => {
    const before = filled[at - 1];
    return before !== undefined && run.x - before.x - before.width > run.size ? [run.x] : [];
  });
  return { text: plain, x: first.x, y: first.y, right: end, size: widest.size, stops };
}
