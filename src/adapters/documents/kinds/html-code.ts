import { attribute } from './html-node';

/** Code of a page, as it is taken out of it. */
export interface PageCode {
  readonly text: string;
  readonly language: string;
}

/** Tells which code stood in a block of it. */
const PLACE = 'data-code';
/** So much of the white space around code stays, for whoever asks whether there is some. */
const MAX_EDGE = 32;

/**
 * Takes the code out of the blocks of code below an element, in place, and leaves a word in each: what is shown letter by
 * letter need not go through the conversion, which is slow with much white space. Tells the code of a block, or of a copy of
 * it. A blank block stays as it is.
 */
export function takeCode(root: Element): (block: Element) => PageCode | undefined {
  const taken = new Map<string, PageCode>();
  for (const block of Array.from(root.querySelectorAll('pre'))) {
    const text = block.textContent ?? '';
    const language = languageOf(block);
    const place = String(taken.size);
    taken.set(place, { text, language });
    block.setAttribute(PLACE, place);
    if (text.trim() === '') continue;
    const [before, after] = [text.length - text.trimStart().length, text.trimEnd().length];
    block.textContent = `${text.slice(0, Math.min(before, MAX_EDGE))}code${text.slice(after).slice(-MAX_EDGE)}`;
  }
  return (block) => taken.get(block.getAttribute(PLACE) ?? '');
}

function languageOf(block: Element): string {
  const code = block.firstChild;
  const names = `${attribute(block, 'class')} ${code === null ? '' : attribute(code, 'class')}`;
  return /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(names)?.[1] ?? '';
}
