import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { parseNote } from '../rules/frontmatter/parse-note';
import { type Sha, sha256 } from '../rules/hash';
import type { Range } from '../rules/markdown-blocks';
import { type Markdown, markdownSteps } from '../rules/markdown-parse';
import type { VaultPath } from '../rules/paths';
import { inSlices, type Steps } from '../steps';

/** Of a longer body only the beginning is looked at, in UTF-16 units: no note that came in by a door is longer. */
const MAX_BODY = 1 << 20;
/** A passage is put together of pieces of at most this length: a paragraph, or a part of a long one. */
const MAX_PIECE = 600;

/** So many pieces are found in one step. */
const PIECES_PER_STEP = 64;

/** A note as evidence: its body as it stands in the file, and the pieces of it that a reader sees. */
export interface NoteText {
  readonly body: string;
  readonly pieces: readonly Range[];
  /** Of the very file that the body was read from. */
  readonly contentHash: Sha;
}

/** Reads a note from the vault; null when it is gone or is no text any more. */
export async function readNoteText(
  { vault, pace }: Pick<Brain, 'vault' | 'pace'>,
  path: VaultPath,
): Promise<NoteText | null> {
  const text = await readStanding(vault, path);
  if (text === null) return null;
  const body = parseNote(text).body.slice(0, MAX_BODY);
  const pieces = await inSlices(pieceSteps(body), pace);
  return { body, pieces: withoutTitle(body, pieces), contentHash: sha256(text) };
}

/** The title is known apart from the text; a heading of its own says nothing more. */
function withoutTitle(body: string, pieces: readonly Range[]): readonly Range[] {
  const [first, ...rest] = pieces;
  const isTitle = first !== undefined && /^#[ \t][^\n]*$/.test(body.slice(first.from, first.to));
  return isTitle && rest.length > 0 ? rest : pieces;
}

async function readStanding(vault: Brain['vault'], path: VaultPath): Promise<string | null> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}

/**
 * The paragraphs of a body in order, long ones in parts. Comments are left out: nobody who reads the note sees them, so they
 * are no evidence, and they are where instructions to a model hide. Looks at a little of the body in each step.
 */
export function* pieceSteps(body: string): Steps<Range[]> {
  const markdown = yield* markdownSteps(body);
  const pieces: Range[] = [];
  for (const visible of visibleRanges(markdown)) {
    let from = visible.from;
    const text = body.slice(visible.from, visible.to);
    for (const { 0: gap, index } of text.matchAll(/\n(?:[ \t]*\r?\n)+/g)) {
      addParts(pieces, body, from, visible.from + index);
      from = visible.from + index + gap.length;
      if (pieces.length % PIECES_PER_STEP === 0) yield;
    }
    addParts(pieces, body, from, visible.to);
  }
  return pieces;
}

function visibleRanges({ body, quiet, sections }: Markdown): Range[] {
  const hidden = [
    // What is quiet is a comment or math, and math is read.
    ...quiet.filter(({ from }) => body[from] !== '$'),
    ...sections.filter(({ kind, text }) => kind === 'html' && text.trimStart().startsWith('<!--')),
  ].sort((a, b) => a.from - b.from);
  const visible: Range[] = [];
  let from = 0;
  for (const range of hidden) {
    if (range.from > from) visible.push({ from, to: range.from });
    from = Math.max(from, range.to);
  }
  return [...visible, { from, to: body.length }];
}

/** Adds a paragraph without the white space around it, cut into parts at ends of lines, of sentences, or between words. */
function addParts(pieces: Range[], body: string, start: number, end: number): void {
  let from = start;
  while (from < end && /\s/.test(body[from] ?? '')) from += 1;
  let to = end;
  while (to > from && /\s/.test(body[to - 1] ?? '')) to -= 1;
  while (to - from > MAX_PIECE) {
    const cut = from + cutIn(body.slice(from, from + MAX_PIECE));
    pieces.push({ from, to: cut });
    from = cut;
    while (from < to && /\s/.test(body[from] ?? '')) from += 1;
  }
  if (to > from) pieces.push({ from, to });
}

/** Where to cut a text that is too long: behind the last line, sentence or word that is not in its first half. */
function cutIn(text: string): number {
  const half = text.length / 2;
  for (const end of [/\n/g, /[.!?。！？](?=\s)|[。！？]/g, /\s/g]) {
    const last = Array.from(text.matchAll(end)).at(-1);
    if (last !== undefined && last.index + last[0].length > half) return last.index + last[0].length;
  }
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? text.length - 1 : text.length;
}
