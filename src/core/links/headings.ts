import { foldLink, type HeadingPlace } from './resolve';

/** The longest part of a heading that is compared (UTF-16 units); no real heading is longer. */
const MAX_HEADING = 1000;
/** The longest path of headings: there are six levels. */
const MAX_STEPS = 6;
/** The largest outline that is searched. In a note with more headings every fragment counts as found. */
const MAX_HEADINGS = 5000;

/** Characters that are ignored in a heading. Arrows, emoji and other symbols count as words. */
const PUNCTUATION = /[\p{P}$+<=>^`|~]+/gu;
const UNSEEN = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * Returns the key under which links and headings are compared: without case, marks and punctuation, with single spaces. A text
 * of nothing else is its own key, behind `=`.
 */
export function headingKey(heading: string): string {
  const seen = heading.slice(0, MAX_HEADING).normalize('NFKC').replace(UNSEEN, '');
  return foldLink(seen.replace(PUNCTUATION, ' ')) || `=${seen.replace(/\s+/g, ' ').trim()}`;
}

/** Returns the anchor that sites such as GitHub give a heading, without the number of a repeated one. */
function anchorOf(heading: string): string {
  return heading
    .slice(0, MAX_HEADING)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replace(/ /g, '-');
}

/** The look-ups over the headings of a note, built once for each list. */
interface Outline {
  readonly keys: ReadonlyMap<string, readonly number[]>;
  readonly anchors: ReadonlyMap<string, number>;
  /** For each heading, the index of the first later one that is not below it. */
  readonly ends: readonly number[];
}

const outlines = new WeakMap<readonly HeadingPlace[], Outline>();

/**
 * Returns the index of the heading that a fragment names; -1 when there is none. A fragment is the heading's text or source,
 * `A#B` for a heading B below a heading A, or the anchor that GitHub gives the heading (`what-is-x`, `what-is-x-1` for the second
 * one).
 * @param headings must not change after the first call
 * @param fragment decoded, without the first `#`
 */
export function findHeading(headings: readonly HeadingPlace[], fragment: string): number {
  if (headings.length === 0) return -1;
  if (headings.length > MAX_HEADINGS) return 0;
  const { keys, anchors, ends } = outlineOf(headings);
  const steps = fragment.split('#').flatMap((step) => step.trim() || []);
  const [first, ...below] = steps;
  if (first === undefined) return -1;
  if (below.length === 0) return keys.get(headingKey(first))?.[0] ?? anchors.get(anchorOf(first)) ?? -1;
  // A `#` may be a part of the heading.
  const whole = keys.get(headingKey(fragment)) ?? [];
  const signed = whole.find((at) => (headings[at]?.source ?? headings[at]?.text)?.includes('#'));
  if (signed !== undefined) return signed;
  if (steps.length > MAX_STEPS) return -1;
  let reached = keys.get(headingKey(first)) ?? [];
  for (const step of below) reached = within(reached, keys.get(headingKey(step)) ?? [], ends);
  return reached[0] ?? -1;
}

const foldedBlocks = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns true when a note has the block, in any case. */
function hasBlock(blocks: readonly string[], id: string): boolean {
  let folded = foldedBlocks.get(blocks);
  if (folded === undefined) {
    folded = new Set(blocks.map((block) => block.toLowerCase()));
    foldedBlocks.set(blocks, folded);
  }
  return folded.has(id.toLowerCase());
}

/**
 * Returns true when a note has the heading or block that a fragment without its `#` names.
 * @param blocks the block ids of the note, which must not change after the first call
 */
export function hasFragment(
  headings: readonly HeadingPlace[],
  blocks: readonly string[],
  fragment: string,
): boolean {
  return fragment.startsWith('^')
    ? hasBlock(blocks, fragment.slice(1))
    : findHeading(headings, fragment) >= 0;
}

/** Returns the headings of `places` that are below a heading of `above`; both are sorted. */
function within(above: readonly number[], places: readonly number[], ends: readonly number[]): number[] {
  let next = 0;
  let end = 0;
  return places.filter((place) => {
    for (let at = above[next]; at !== undefined && at < place; at = above[(next += 1)])
      end = Math.max(end, ends[at] ?? 0);
    return place < end;
  });
}

function outlineOf(headings: readonly HeadingPlace[]): Outline {
  const known = outlines.get(headings);
  if (known !== undefined) return known;
  const keys = new Map<string, number[]>();
  const anchors = new Map<string, number>();
  const numbers = new Map<string, number>();
  const ends = headings.map(() => headings.length);
  const open: number[] = [];
  for (const [at, { level, text, source }] of headings.entries()) {
    while (open.length > 0 && (headings[open.at(-1) ?? 0]?.level ?? 0) >= level) ends[open.pop() ?? 0] = at;
    open.push(at);
    for (const key of new Set([headingKey(text), headingKey(source ?? text)])) {
      const places = keys.get(key);
      if (places === undefined) keys.set(key, [at]);
      else places.push(at);
    }
    const anchor = anchorOf(text);
    if (anchor === '') continue;
    let number = numbers.get(anchor) ?? 0;
    let free = number === 0 ? anchor : `${anchor}-${number}`;
    while (anchors.has(free)) free = `${anchor}-${(number += 1)}`;
    numbers.set(anchor, number + 1);
    anchors.set(free, at);
  }
  const outline = { keys, anchors, ends };
  outlines.set(headings, outline);
  return outline;
}
