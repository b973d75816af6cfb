import { type Sha, sha256Steps } from '../rules/hash';
import type { LinkUse } from '../rules/links-address';
import { finish, type Steps, Tally } from '../steps';

/**
 * A run of accents takes quadratic time to normalise, so text is normalised in pieces of so many code points.
 */
const PIECE = /\S{1,200}/gu;
/** A heading of the first level that opens the body: the pipeline puts one there when there is none. */
const TITLE = /^\s*#[ \t][^\n]*/;
/** So much of a text is taken apart in one step, in UTF-16 units, and so many links or pieces. */
const UNITS_PER_STEP = 1 << 15;
const ITEMS_PER_STEP = 2048;
/** Behind one of these a text may be cut: no letter is lower case or not for what stands on the other side. */
const CUT = /[\s()[\]{}|<>=#!*/\\",;@?&%$0-9]/g;

/**
 * What two notes share when they say the same, whatever their front matter, opening title, punctuation,
 * letter case, white space and link syntax: SHA-256 of what is left of the body. A body that is only a title
 * is told by the title.
 * @param links the body's own links, in order
 */
export function contentKey(body: string, links: readonly LinkUse[]): Sha {
  return finish(contentKeySteps(body, links));
}

/** What `contentKey` answers, a part of the body a step. */
export function* contentKeySteps(body: string, links: readonly LinkUse[]): Steps<Sha> {
  const text = yield* withoutLinkSyntax(body, links);
  const words = yield* wordsOf(text.replace(TITLE, ''));
  return yield* sha256Steps(words === '' ? yield* wordsOf(text) : words);
}

function* withoutLinkSyntax(body: string, links: readonly LinkUse[]): Steps<string> {
  // Parts are joined as they come: to join all of a long text at its end would take as long as all of them.
  const joined: string[] = [];
  let parts: string[] = [];
  let end = 0;
  const tally = new Tally(ITEMS_PER_STEP);
  for (const link of links) {
    if (tally.isFull()) {
      joined.push(parts.join(''));
      parts = [];
      yield;
    }
    if (link.from < end) continue; // An image inside a link went with it.
    parts.push(body.slice(end, link.from), link.text ?? link.target);
    end = link.to;
  }
  const text = joined.join('') + parts.join('') + body.slice(end);
  // Links to the outside: their words stay, their address goes. None holds a bracket but at its beginning.
  return (yield* partByPart(
    text,
    (from) => text.indexOf(']', from),
    (part) => part.replace(/\]\([^()[\]\n]*\)/g, ']'),
  )).join('');
}

/** The parts of a text, each changed; `cut` says where the next one may begin from an offset on, or answers -1. */
function* partByPart(
  text: string,
  cut: (from: number) => number,
  change: (part: string) => string,
): Steps<string[]> {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.length - from <= UNITS_PER_STEP ? -1 : cut(from + UNITS_PER_STEP);
    const to = end < 0 ? text.length : end;
    parts.push(change(from === 0 && to === text.length ? text : text.slice(from, to)));
    from = to;
    if (from < text.length) yield;
  }
  return parts;
}

function* wordsOf(text: string): Steps<string> {
  const composed = /[^ -~\s]/.test(text) ? yield* composedOf(text) : text;
  const behindCut = (from: number): number => {
    CUT.lastIndex = from;
    return CUT.test(composed) ? CUT.lastIndex : -1;
  };
  let endsOpen = false;
  // A single space, which is most of them, is right as it is. Each part is looked at right away: what `replace` gives back is put
  // together only then, and of a whole text that takes long.
  const plain = (part: string): string => {
    const spaced = part.toLowerCase().replace(/[\p{P}\s]{2,}|[^\S ]|\p{P}/gu, ' ');
    const added = endsOpen && spaced.startsWith(' ') ? spaced.slice(1) : spaced;
    if (added !== '') endsOpen = added.endsWith(' ');
    return added;
  };
  return (yield* partByPart(composed, behindCut, plain)).join('').trim();
}

/** The text with its pieces composed, some of them a step. */
function* composedOf(text: string): Steps<string> {
  if (text.length <= UNITS_PER_STEP) return text.replace(PIECE, (piece) => piece.normalize('NFKC'));
  const joined: string[] = [];
  let parts: string[] = [];
  let end = 0;
  const tally = new Tally(ITEMS_PER_STEP);
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    parts.push(text.slice(end, index), piece.normalize('NFKC'));
    end = index + piece.length;
    // What holds many accents takes as long as hundreds of plain letters.
    if (!tally.isFull(1 + (piece.length >> 4))) continue;
    joined.push(parts.join(''));
    parts = [];
    yield;
  }
  return joined.join('') + parts.join('') + text.slice(end);
}
