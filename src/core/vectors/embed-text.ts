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

/**
 * What is embedded of a note: its words as a reader sees them, without front matter, comments and link syntax, in pieces
 * that each carry title, tags and summary. A note without words is its title. In steps of a few milliseconds.
 */
export function* pieceSteps(path: VaultPath, text: string): Steps<Piece[]> {
  const { frontmatter, body } = parseNote(text);
  const facts = yield* factSteps(body.slice(0, MAX_BODY));
  const title = titleOf(frontmatter, facts, path);
  const about = [
    [...new Set([...listOf(frontmatter.tags ?? frontmatter.tag), ...facts.tags])].join(', '),
    ...listOf(frontmatter.summary ?? frontmatter.description),
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

function listOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) =>
    typeof item === 'string' && item.trim() !== '' ? [item.trim()] : [],
  );
}
