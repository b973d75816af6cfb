import { sectionSteps } from '../rules/markdown-blocks';
import type { Steps } from '../steps';
import { cutBetween } from './chunk-text';

/** The beginning of a Markdown text, at most `max` UTF-16 units, cut where a block, a sentence or a word ends. */
export function firstBlocks(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, cutBetween(text, 0, max)).trimEnd();
}

/** The text with the end of a code block that it leaves open, so that what is put after it stays text. */
export function* closedFence(text: string): Steps<string> {
  const { sections } = yield* sectionSteps(text);
  const last = sections.at(-1);
  if (last?.kind !== 'fence') return text;
  const mark = /^(?:`{3,}|~{3,})/.exec(last.text)?.[0];
  const before = text.slice(text.lastIndexOf('\n', last.from - 1) + 1, last.from);
  // One in a list or a quote ends with it.
  if (mark === undefined || before.trim() !== '' || last.inList) return text;
  const isClosed = new RegExp(`\\n[ \\t>]*${mark}[${mark[0]}]*[ \\t]*$`).test(last.text);
  return isClosed ? text : `${text}\n${mark}`;
}

/** The blocks of a text that blank lines part, each trimmed at its end; code stays in one block. */
export function* blocksOf(text: string): Steps<string[]> {
  const { sections } = yield* sectionSteps(text);
  const code = sections.filter(({ kind }) => kind === 'fence' || kind === 'indented' || kind === 'html');
  const blocks: string[] = [];
  let from = 0;
  for (const { 0: gap, index } of text.matchAll(/\n(?:[ \t]*\r?\n)+/g)) {
    if (code.some((range) => range.from < index + gap.length && index < range.to)) continue;
    blocks.push(text.slice(from, index));
    from = index + gap.length;
  }
  blocks.push(text.slice(from));
  return blocks.map((block) => block.trimEnd()).filter((block) => block.trim() !== '');
}
