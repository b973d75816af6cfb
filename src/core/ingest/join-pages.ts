import { dashed } from '../rules/slug';
import { oneLine } from '../rules/frontmatter/scalars';
import { fold } from '../rules/paths';
import { blocksOf, closedFence } from './blocks';
import type { DraftPage } from './draft-page';
import { PAGE_LIMITS } from './extract-prompt';
import type { Steps } from '../steps';

/**
 * Longest body that pages are joined to, in UTF-16 units: two whole ones. What goes beyond it begins another page, because
 * nobody finds one thing in a note of everything, and nothing is cut off.
 */
const MAX_JOINED = 2 * PAGE_LIMITS.body;

/**
 * The pages with those joined that would have the same name: parts of a long document tell of the same thing more than once.
 * In the order in which the names come up first; where values differ, the first one given counts.
 */
export function* joinPages(drafts: readonly DraftPage[]): Steps<DraftPage[]> {
  const byName = new Map<string, DraftPage[]>();
  for (const draft of drafts) {
    // Where no name can be made of a title, it is a name by itself.
    const name = dashed(draft.title) || draft.title;
    const same = byName.get(name) ?? [];
    byName.set(name, same);
    const open = same.at(-1);
    const joined = open === undefined ? null : yield* join(open, draft);
    if (joined === null) same.push(draft);
    else same[same.length - 1] = joined;
  }
  return [...byName.values()].flatMap((same) =>
    same.map((page, index) => (index === 0 ? page : { ...page, title: `${page.title} (${index + 1})` })),
  );
}

/** Both pages as one, or null when that would be too long. */
function* join(first: DraftPage, second: DraftPage): Steps<DraftPage | null> {
  const body = yield* joinBodies(first.body, second.body);
  if (body.length > MAX_JOINED) return null;
  const places = [first.at, second.at].filter((at) => at !== null);
  return {
    title: first.title,
    wing: first.wing ?? second.wing,
    hall: first.hall,
    summary: first.summary || second.summary,
    body,
    tags: united(first.tags, second.tags).slice(0, PAGE_LIMITS.tags),
    links: united(first.links, second.links).slice(0, PAGE_LIMITS.links),
    halfLife: first.halfLife || second.halfLife,
    applies: first.applies || second.applies,
    at: places.length === 0 ? null : Math.min(...places),
  };
}

/** The second body after the first, without the paragraphs that stand in the first, and headings that nothing is left of. */
export function* joinBodies(first: string, second: string): Steps<string> {
  const known = new Set((yield* blocksOf(first)).map(sameWords));
  const added: string[] = [];
  let heading: string | null = null;
  for (const block of yield* blocksOf(second)) {
    if (HEADING.test(block)) {
      if (heading !== null && !known.has(sameWords(heading))) added.push(heading);
      heading = block;
    } else if (!known.has(sameWords(block))) {
      if (heading !== null) added.push(heading);
      heading = null;
      added.push(block);
    }
  }
  if (heading !== null && !known.has(sameWords(heading))) added.push(heading);
  return [yield* closedFence(first), ...added].join('\n\n');
}

/** A heading alone. */
const HEADING = /^ {0,3}#{1,6}(?:[ \t][^\n]*)?$/;

function sameWords(block: string): string {
  return oneLine(block).replace(/\s+/g, ' ');
}

function united(first: readonly string[], second: readonly string[]): string[] {
  const known = new Set(first.map(fold));
  return [...first, ...second.filter((text) => !known.has(fold(text)))];
}
