import { applyEdits, type Edit, remove } from '../gate/finding';
import { mergeRanges, parseMarkdown, within } from '../markdown/parse';

/** A number, or two with a dash between. */
const ITEM = /\d{1,4}(?:\s*[-–]\s*\d{1,4})?/.source;
const LIST = `${ITEM}(?:\\s*[,;]\\s*${ITEM})*`;

/** Matches `[1]`, `[1, 2]`, `[1-3]`, `[[1]]`, `【1†source】`. */
const MARK = new RegExp(`\\[\\[(${LIST})\\]\\]|\\[(${LIST})\\]|【(\\d{1,4})[^】[\\]\\n]{0,40}】`, 'g');

/** Matches what a reader takes for a mark. */
const SHOWN_MARK = new RegExp(`\\[${LIST}\\]`, 'g');

/** The longest range of citations. A longer one is a number range of the text. */
const MAX_RANGE = 50;

/** The number of passes. Removing a mark may create another one, as in `[[9]1]`; deeper nesting is hostile. */
const MAX_ROUNDS = 8;

/**
 * Normalises the marks of a model's answer: every `[n]` outside code is supported and links to its citation only; other marks
 * are removed or escaped.
 */
export function cleanMarks(answer: string, isBorneOut: (n: number) => boolean): string {
  // A checked mark contains a sign until the end, so that later passes skip it.
  const sign = unusedUnit(answer);
  let text = clean(answer, isBorneOut, sign);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = clean(text, isBorneOut, sign);
    if (next === text) return text.replaceAll(sign, '').trim();
    text = next;
  }
  return escapeMarks(text.replaceAll(sign, '')).trim();
}

/**
 * Removes the numbers of unsupported marks from an answer. Brackets of the sender may have another meaning: code, indexes,
 * links and labels are unchanged, and so is every other character.
 */
export function keepTrueMarks(answer: string, isBorneOut: (n: number) => boolean): string {
  const isCode = within(codeRanges(answer));
  const edits: Edit[] = [];
  for (const { 0: mark, index } of answer.matchAll(SHOWN_MARK)) {
    const to = index + mark.length;
    if (
      isCode(index) ||
      /[\p{L}\p{N}[\]\\]/u.test(answer[index - 1] ?? '') ||
      /[[\](:]/.test(answer[to] ?? '')
    )
      continue;
    const inside = mark.slice(1, -1);
    const numbers = numbersIn(inside) ?? [];
    const kept = numbers.filter(isBorneOut);
    if (kept.length === numbers.length || isFigure(inside, kept)) continue;
    if (kept.length > 0) edits.push({ from: index, to, text: kept.map((n) => `[${n}]`).join('') });
    else edits.push(remove(index - spacesBefore(answer, index), to));
  }
  return applyEdits(answer, edits);
}

/**
 * Escapes everything that looks like a mark: `[2]` becomes `\[2\]`. Code is unchanged, and so is a mark at a position for which
 * `isOwn` returns true.
 */
export function escapeMarks(text: string, isOwn: (at: number) => boolean = () => false): string {
  const isCode = within(codeRanges(text));
  const edits: Edit[] = [];
  for (const { 0: all, index } of text.matchAll(SHOWN_MARK)) {
    if (isCode(index) || isOwn(index)) continue;
    const isEscaped = backslashesBefore(text, index) % 2 === 1;
    edits.push({
      from: index,
      to: index + all.length,
      text: `${isEscaped ? '' : '\\'}${all.slice(0, -1)}\\]`,
    });
  }
  return applyEdits(text, edits);
}

/** Returns the marks of a text in order, without those in code. */
export function marksIn(text: string): string[] {
  const isCode = within(codeRanges(text));
  return Array.from(text.matchAll(SHOWN_MARK)).flatMap(({ 0: mark, index }) => (isCode(index) ? [] : [mark]));
}

/** Escapes every bracket except those of marks. Code is unchanged. */
export function escapeBrackets(text: string): string {
  const isCode = within(codeRanges(text));
  const marks = Array.from(text.matchAll(SHOWN_MARK), ({ 0: all, index }) => ({
    from: index,
    to: index + all.length,
  }));
  const isMark = within(marks);
  const edits: Edit[] = [];
  for (const { index } of text.matchAll(/[[\]]/g)) {
    const isEscaped = backslashesBefore(text, index) % 2 === 1;
    if (!isEscaped && !isCode(index) && !isMark(index)) edits.push({ from: index, to: index, text: '\\' });
  }
  return applyEdits(text, edits);
}

/** One pass: signs or removes each mark that is not signed yet. */
function clean(answer: string, isBorneOut: (n: number) => boolean, sign: string): string {
  // `[1]: address` would turn every `[1]` into a link.
  const { definitions } = parseMarkdown(answer);
  const sorted = mergeRanges([...definitions].sort((a, b) => a.from - b.from));
  const text = applyEdits(
    answer,
    sorted.map(({ from, to }) => remove(from, to)),
  );
  const isCode = within(codeRanges(text));
  const endOfAddress = addressesIn(text);
  const edits: Edit[] = [];
  // The removed text may have separated a mark from an address.
  for (const { 0: mark, index } of text.matchAll(new RegExp(`\\[${sign}\\d+\\]`, 'g'))) {
    const from = index + mark.length;
    if (!isCode(index) && endOfAddress(from) > from) edits.push(remove(from, endOfAddress(from)));
  }
  if (edits.length > 0) return applyEdits(text, edits);
  let done = 0;
  for (const { 0: all, 1: wiki, 2: plain, 3: wide, index } of text.matchAll(MARK)) {
    // What looks like a mark in code may be an index.
    if (index < done || isCode(index)) continue;
    const numbers = numbersIn(wiki ?? plain ?? wide ?? '');
    if (numbers === null) continue;
    const kept = [...new Set(numbers.filter(isBorneOut))];
    if (isFigure(wiki ?? plain ?? '', kept)) continue;
    done = endOfAddress(index + all.length);
    if (kept.length > 0)
      edits.push({ from: index, to: done, text: kept.map((n) => `[${sign}${n}]`).join('') });
    else edits.push(remove(index - spacesBefore(text, index), done));
  }
  return applyEdits(text, edits);
}

/** Returns the numbers of a mark; null for a single range that cannot be citations, as `[0-9]`. */
function numbersIn(mark: string): number[] | null {
  const items = mark.split(/[,;]/).map((item) => item.split(/[-–]/).map(Number));
  const numbers = items.flatMap(([from = 0, to = from]) => {
    if (to === from) return [from];
    const count = to - from + 1;
    return from < 1 || count < 1 || count > MAX_RANGE
      ? []
      : Array.from({ length: count }, (_, at) => from + at);
  });
  return numbers.length === 0 && items.length === 1 ? null : numbers;
}

/** Returns true for a range without a cited number: it may be years or a scale, which the text needs. */
function isFigure(mark: string, kept: readonly number[]): boolean {
  return kept.length === 0 && /[-–]/.test(mark);
}

/**
 * Returns a function that gives the end of the addresses after a mark, as in `[1](a)(b)`; its argument is the end of the mark.
 */
function addressesIn(text: string): (at: number) => number {
  const last = text.lastIndexOf(')');
  return (at) => {
    let end = at;
    while (text[end] === '(' && end < last) end = text.indexOf(')', end) + 1;
    return end;
  };
}

/** Returns the first private-use code unit that the text lacks. */
function unusedUnit(text: string): string {
  const used = new Set(text.split(''));
  let code = 0xe000;
  while (used.has(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}

function codeRanges(text: string): { from: number; to: number }[] {
  const { spans, sections } = parseMarkdown(text);
  const ranges = [
    ...spans.filter(({ kind }) => kind === 'code'),
    ...sections.filter(({ kind }) => kind === 'fence'),
  ].map(({ from, to }) => ({ from, to }));
  return mergeRanges(ranges.sort((a, b) => a.from - b.from));
}

function spacesBefore(text: string, at: number): number {
  return unitsBefore(text, at, ' ');
}

function backslashesBefore(text: string, at: number): number {
  return unitsBefore(text, at, '\\');
}

function unitsBefore(text: string, at: number, unit: string): number {
  let count = 0;
  while (text[at - count - 1] === unit) count += 1;
  return count;
}
