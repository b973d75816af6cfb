import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import { factSteps } from '../rules/markdown';
import type { VaultPath } from '../rules/paths';
import { titleOf } from '../rules/title';
import type { Steps } from '../steps';
import { chunksOf } from './chunks';

/** A piece of a text as it is embedded: what stands above every piece, and the piece itself. */
export interface Piece {
  /** Title, tags and summary of the note; empty for a query. */
  readonly head: string;
  readonly body: string;
}

/** So much of a body is read: markup may take as much again as the words of all pieces. In UTF-16 units. */
const MAX_BODY = 200_000;
/** Longest head in UTF-16 units: it is repeated above every piece. */
const MAX_HEAD = 500;
/** So much of one value of the front matter is read for it: links may be much longer than their words. */
const MAX_VALUE = 10_000;
/** Links, comments and HTML have one of these. Any other value is taken as it stands, which is all but a few. */
const MARKUP = /[[<%]/;

/**
 * What is embedded of a note: its words as a reader sees them, without front matter, comments and link syntax, in pieces
 * that each carry title, tags and summary, also without those. A note without words is its title. In steps of a few
 * milliseconds.
 */
export function* pieceSteps(path: VaultPath, text: string): Steps<Piece[]> {
  const { frontmatter, body } = parseNote(text);
  const facts = yield* factSteps(body.slice(0, MAX_BODY));
  const own = frontmatter.title;
  const title = titleOf({ title: typeof own === 'string' ? yield* wordsOf(own) : null }, facts, path);
  const tags = yield* wordsIn(frontmatter.tags ?? frontmatter.tag);
  const about = [
    [...new Set([...tags, ...facts.tags])].join(', '),
    ...(yield* wordsIn(frontmatter.summary ?? frontmatter.description)),
  ].filter((part) => part !== '');
  const head = [title, about.join('. ')]
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MAX_HEAD);
  yield;
  const chunks = chunksOf(facts.blocks);
  yield;
  return (chunks.length === 0 ? [''] : chunks).map((chunk) => ({ head, body: chunk }));
}

/** The text of a piece, to be sent. */
export function textOf({ head, body }: Piece): string {
  return [head, body].filter((part) => part !== '').join('\n');
}

/** Tells whether a note would be embedded from the same text by the same maker as before. 32 hex digits. */
export function piecesHash(pieces: readonly Piece[], maker: string): string {
  return sha256(JSON.stringify([maker, pieces.map(textOf)])).slice(0, 32);
}

/** The words of a value of the front matter as a reader sees them in a body. */
function* wordsOf(text: string): Steps<string> {
  return MARKUP.test(text) ? (yield* factSteps(text.slice(0, MAX_VALUE))).searchText : text.trim();
}

/** The same of one value, or of several; none for what has no words. */
function* wordsIn(value: unknown): Steps<string[]> {
  const found: string[] = [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    const words = typeof item === 'string' ? yield* wordsOf(item) : '';
    if (words !== '') found.push(words);
  }
  return found;
}
