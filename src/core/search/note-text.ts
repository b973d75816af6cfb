import { sentenceEnds } from '../base/text';
import { readText } from '../notes/targets';
import type { Brain } from '../operation/context';
import { parseNote } from '../frontmatter/parse';
import { withoutEscapes } from '../gate/escapes';
import { type Sha, sha256Steps } from '../base/hash';
import { type Range, UNITS_PER_STEP } from '../markdown/spans';
import { inSlices, sortSteps, type Steps } from '../base/steps';
import { type Markdown, markdownSteps } from '../markdown/parse';
import { unseenSteps } from '../markdown/facts';
import type { VaultPath } from '../vocabulary/paths';

/** The part of a body that is read, in UTF-16 units. Written notes are never longer. */
const MAX_BODY = 1 << 20;
/** The longest piece in UTF-16 units: a paragraph, or a part of a long one. Passages consist of pieces. */
const MAX_PIECE = 600;
/** The cost of one range, however short, in units of text that is read. */
const UNITS_FOR_ONE = 64;

/** A note as evidence: its body as agents read it, and the pieces that a reader sees. */
export interface NoteText {
  readonly body: string;
  /** Without the title heading, when there are other pieces. */
  readonly pieces: readonly Range[];
  readonly heading: Range | null;
  /** Multi-line fences and math, inside which a piece may begin or end. */
  readonly blocks: readonly Range[];
  /** Tables, with their heads. */
  readonly tables: readonly Range[];
}

/** Reads a note from the vault; null when it is gone or is no text. */
export async function readNoteText(
  brain: Pick<Brain, 'vault' | 'pace'>,
  path: VaultPath,
): Promise<(NoteText & { readonly contentHash: Sha }) | null> {
  const text = await readText(brain, path);
  if (text === null) return null;
  const note = await inSlices(noteTextSteps(path, text, MAX_BODY), brain.pace);
  return { ...note, contentHash: await inSlices(sha256Steps(text), brain.pace) };
}

/** Does the same with the first `reach` UTF-16 units of the body, and without the hash. */
export async function readBeginning(
  brain: Pick<Brain, 'vault' | 'pace'>,
  path: VaultPath,
  reach: number,
): Promise<NoteText | null> {
  const text = await readText(brain, path);
  return text === null ? null : inSlices(noteTextSteps(path, text, reach), brain.pace);
}

function* noteTextSteps(path: VaultPath, text: string, reach: number): Steps<NoteText> {
  const note = parseNote(text);
  const body = withoutEscapes({ path, ...note }, note.body.slice(0, reach));
  yield;
  const markdown = yield* markdownSteps(body);
  const blocks = blocksOf(markdown);
  const tables = markdown.sections
    .filter(({ kind }) => kind === 'overlay')
    .map(({ from, to }) => ({ from, to }));
  yield;
  const shown = withoutTitle(body, yield* piecesOf(markdown));
  return { body, ...shown, blocks, tables };
}

/** Separates the title heading, which repeats the title. */
function withoutTitle(body: string, pieces: readonly Range[]): Pick<NoteText, 'pieces' | 'heading'> {
  const [first, ...rest] = pieces;
  const isTitle = first !== undefined && /^#[ \t][^\n]*$/.test(body.slice(first.from, first.to));
  return isTitle && rest.length > 0 ? { pieces: rest, heading: first } : { pieces, heading: null };
}

function blocksOf({ body, sections, quiet }: Markdown): Range[] {
  const fences = sections.filter(({ kind }) => kind === 'fence').map(({ from, to }) => ({ from, to }));
  return fences.concat(quiet.filter(({ from }) => body.startsWith('$$', from)));
}

/**
 * Returns the paragraphs of a body in order, long ones split. Comments, styles and scripts are left out: a reader does not see
 * them, so they are no evidence, and instructions to a model hide there. Works in short steps.
 */
export function* pieceSteps(body: string): Steps<Range[]> {
  return yield* piecesOf(yield* markdownSteps(body));
}

function* piecesOf(markdown: Markdown): Steps<Range[]> {
  const { body } = markdown;
  const pieces: Range[] = [];
  const meter = new StepMeter();
  for (const { from, to } of yield* visibleSteps(markdown)) {
    for (const paragraph of paragraphsIn(body, from, to)) {
      for (const part of partsOf(body, paragraph)) {
        pieces.push(part);
        if (meter.isDue(part.to - part.from)) yield;
      }
      if (meter.isDue(0)) yield;
    }
  }
  return pieces;
}

/** Measures the work of a step. */
class StepMeter {
  #units = 0;

  /** Adds work of this many units; returns true when the step is long enough. */
  isDue(units: number): boolean {
    this.#units += units + UNITS_FOR_ONE;
    if (this.#units < UNITS_PER_STEP) return false;
    this.#units = 0;
    return true;
  }
}

function* visibleSteps(markdown: Markdown): Steps<Range[]> {
  const { body } = markdown;
  const meter = new StepMeter();
  const hidden = yield* sortSteps(yield* unseenSteps(markdown), (a, b) => a.from - b.from);
  const visible: Range[] = [];
  let from = 0;
  for (const range of hidden) {
    if (range.from > from) visible.push({ from, to: range.from });
    from = Math.max(from, range.to);
    if (meter.isDue(0)) yield;
  }
  visible.push({ from, to: body.length });
  return visible;
}

/** Yields the parts between blank lines. */
function* paragraphsIn(body: string, start: number, end: number): Iterable<Range> {
  let from = start;
  for (const { 0: gap, index } of body.slice(start, end).matchAll(/\n(?:[ \t]*\r?\n)+/g)) {
    yield { from, to: start + index };
    from = start + index + gap.length;
  }
  yield { from, to: end };
}

/** Yields a trimmed paragraph, split at ends of lines, of sentences, or between words. */
function* partsOf(body: string, { from: start, to: end }: Range): Iterable<Range> {
  const text = body.slice(start, end);
  const to = start + text.trimEnd().length;
  let from = end - text.trimStart().length;
  while (to - from > MAX_PIECE) {
    const cut = from + cutIn(body.slice(from, from + MAX_PIECE));
    yield { from, to: cut };
    from = cut;
    while (from < to && /\s/.test(body[from] ?? '')) from += 1;
  }
  if (to > from) yield { from, to };
}

/** Returns where to split a long text: after the last line, sentence or word that ends in its second half. */
function cutIn(text: string): number {
  const half = text.length / 2;
  const after = (sign: RegExp) => Array.from(text.matchAll(sign), ({ index }) => index + 1);
  for (const ends of [after(/\n/g), sentenceEnds(text), after(/\s/g)]) {
    const last = ends.at(-1) ?? 0;
    if (last > half) return last;
  }
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? text.length - 1 : text.length;
}
