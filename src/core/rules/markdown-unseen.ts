import { ITEMS_PER_STEP } from './markdown-order';
import type { Markdown } from './markdown-parse';
import type { Range } from './markdown-section';
import type { TagSpan } from './markdown-spans';
import type { Steps } from '../steps';

/** Elements of which nothing is shown. */
const UNSEEN: ReadonlySet<string> = new Set(['style', 'script', 'template']);

/**
 * What stands in a text and nobody sees who reads it: comments, closed or not, and in blocks of HTML styles, scripts and
 * templates. Not in order; ranges may overlap.
 */
export function* unseenSteps({ body, quiet, sections, spans }: Markdown): Steps<Range[]> {
  const unseen: Range[] = [];
  let looked = 0;
  // What is quiet is a comment or math, and math is read.
  for (const range of quiet) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (body[range.from] !== '$') unseen.push(range);
  }
  for (const { kind, from, to, text } of sections) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (kind !== 'html') continue;
    const comment = text.indexOf('<!--', text.lastIndexOf('-->') + 1);
    if (comment >= 0) unseen.push({ from: from + comment, to });
  }
  let open: TagSpan | null = null;
  for (const span of spans) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (span.kind !== 'tag' || span.section.kind !== 'html' || span.tag === null) continue;
    if (open !== null && open.section !== span.section) {
      unseen.push({ from: open.from, to: open.section.to });
      open = null;
    }
    const { name, closing } = span.tag;
    if (open === null) open = UNSEEN.has(name) && !closing ? span : null;
    else if (closing && name === open.tag?.name) {
      unseen.push({ from: open.from, to: span.to });
      open = null;
    }
  }
  if (open !== null) unseen.push({ from: open.from, to: open.section.to });
  return unseen;
}
