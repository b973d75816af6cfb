import { diffWordsWithSpace } from 'diff';

/** A part of a line, and whether the other version has something else there. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** Lines longer than this are marked whole: their words would take too long. */
const MAX_LINE = 2_000;
/** Lines that need more edits than this have too little in common to be read word by word. */
const MAX_EDITS = 120;
/** Below this share of common characters the marks would only be noise. */
const LEAST_COMMON = 0.2;

/** The words of a line in two versions. Without marks when the lines have little in common. */
export function diffWords(was: string, is: string): [was: Piece[], is: Piece[]] {
  const unmarked: [Piece[], Piece[]] = [[{ text: was, changed: false }], [{ text: is, changed: false }]];
  if (was.length > MAX_LINE || is.length > MAX_LINE) return unmarked;
  const changes = diffWordsWithSpace(was, is, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return unmarked;
  const left: Piece[] = [];
  const right: Piece[] = [];
  let common = 0;
  for (const { value, added, removed } of changes) {
    if (!added) left.push({ text: value, changed: removed });
    if (!removed) right.push({ text: value, changed: added });
    if (!added && !removed) common += value.trim().length;
  }
  if (common < LEAST_COMMON * Math.max(was.trim().length, is.trim().length)) return unmarked;
  return [joined(left), joined(right)];
}

/** What stands between two changed words and says nothing by itself: space, brackets, commas. */
const BETWEEN = /^[^\p{L}\p{N}]{0,3}$/u;

/** Changed words with next to nothing between them read as one mark, and a mark ends with its last word. */
function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  const add = (text: string, changed: boolean): void => {
    const last = found.at(-1);
    if (text === '') return;
    if (last?.changed === changed) found[found.length - 1] = { text: last.text + text, changed };
    else found.push({ text, changed });
  };
  for (const [index, piece] of pieces.entries()) {
    const between = pieces[index - 1]?.changed === true && pieces[index + 1]?.changed === true;
    add(piece.text, piece.changed || (between && BETWEEN.test(piece.text)));
  }
  return found.flatMap((piece) => (piece.changed ? withoutEnd(piece) : [piece]));
}

function withoutEnd({ text }: Piece): Piece[] {
  const words = text.trimEnd();
  if (words === '' || words === text) return [{ text, changed: true }];
  return [
    { text: words, changed: true },
    { text: text.slice(words.length), changed: false },
  ];
}
