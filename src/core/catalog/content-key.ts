import { sha256, type Sha } from '../rules/hash';
import type { LinkUse } from '../rules/links';

/**
 * A run of accents takes quadratic time to normalise, so text is normalised in pieces of so many code points.
 */
const PIECE = /\S{1,200}/gu;
/** A heading of the first level that opens the body: the pipeline puts one there when there is none. */
const TITLE = /^\s*#[ \t][^\n]*/;

/**
 * What two notes share when they say the same, whatever their front matter, opening title, punctuation,
 * letter case, white space and link syntax: SHA-256 of what is left of the body. A body that is only a title
 * is told by the title.
 * @param links the body's own links, in order
 */
export function contentKey(body: string, links: readonly LinkUse[]): Sha {
  const text = withoutLinkSyntax(body, links);
  const words = wordsOf(text.replace(TITLE, ''));
  return sha256(words === '' ? wordsOf(text) : words);
}

function withoutLinkSyntax(body: string, links: readonly LinkUse[]): string {
  let text = '';
  let end = 0;
  for (const link of links) {
    if (link.from < end) continue; // An image inside a link went with it.
    text += body.slice(end, link.from) + (link.text ?? link.target);
    end = link.to;
  }
  // Links to the outside: their words stay, their address goes.
  return (text + body.slice(end)).replace(/\]\([^()[\]\n]*\)/g, ']');
}

function wordsOf(text: string): string {
  const composed = /[^ -~\s]/.test(text) ? text.replace(PIECE, (piece) => piece.normalize('NFKC')) : text;
  return (
    composed
      .toLowerCase()
      // A single space, which is most of them, is right as it is.
      .replace(/[\p{P}\s]{2,}|[^\S ]|\p{P}/gu, ' ')
      .trim()
  );
}
