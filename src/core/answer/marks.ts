import { applyEdits, type Edit, remove } from '../rules/gate-finding';
import { merged, parseMarkdown, within } from '../rules/markdown-parse';

/** `[1]`, `[1, 2]`, `[[1]]`, `【1†source】`, with the addresses behind it that a model may have given it. */
const MARK =
  /(?:\[\[(\d{1,4})\]\]|\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]|【(\d{1,4})[^】\n]{0,40}】)(?:\([^)]*\))*/g;

/**
 * The answer of a model with its marks brought into form: every `[n]` is one that `renumber` knows, with the number it
 * gives, and leads nowhere but to its citation; the others are gone.
 */
export function cleanMarks(answer: string, renumber: (n: number) => number | null): string {
  // `[1]: address` would make a link of every `[1]`.
  const { definitions } = parseMarkdown(answer);
  const sorted = merged([...definitions].sort((a, b) => a.from - b.from));
  const text = applyEdits(
    answer,
    sorted.map(({ from, to }) => remove(from, to)),
  );
  const isCode = within(codeRanges(text));
  const edits: Edit[] = [];
  for (const { 0: all, 1: wiki, 2: plain, 3: wide, index } of text.matchAll(MARK)) {
    // What looks like a mark in code may be an index.
    if (isCode(index)) continue;
    const numbers = (wiki ?? plain ?? wide ?? '').split(/[,;]/).map(Number);
    const kept = [...new Set(numbers.flatMap((n) => renumber(n) ?? []))];
    const to = index + all.length;
    if (kept.length > 0) edits.push({ from: index, to, text: kept.map((n) => `[${n}]`).join('') });
    else edits.push(remove(index - spacesBefore(text, index), to));
  }
  return applyEdits(text, edits).trim();
}

function codeRanges(text: string): { from: number; to: number }[] {
  const { spans, sections } = parseMarkdown(text);
  const ranges = [
    ...spans.filter(({ kind }) => kind === 'code'),
    ...sections.filter(({ kind }) => kind === 'fence'),
  ].map(({ from, to }) => ({ from, to }));
  return merged(ranges.sort((a, b) => a.from - b.from));
}

function spacesBefore(text: string, at: number): number {
  let count = 0;
  while (text[at - count - 1] === ' ') count += 1;
  return count;
}
