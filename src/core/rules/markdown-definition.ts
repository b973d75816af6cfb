import type { BlockContext, LeafBlock, LeafBlockParser, Line } from '@lezer/markdown';

/** Longest label, as CommonMark has it. */
const MAX_LABEL = 999;
const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' };

/**
 * Tells where a link definition ends, because what follows begins a new block. Does what the parser's own one does, but
 * reads every line once; that one reads the whole paragraph again at each line.
 */
export class DefinitionParser implements LeafBlockParser {
  /** What is expected next; `ended` after a title, `titled` where a title may still come, `none` when it is no definition. */
  #stage: 'label' | 'address' | 'titled' | 'title' | 'ended' | 'none' = 'label';
  #label = '';
  #close = '';

  constructor(firstLine: string) {
    // The line begins with the bracket that opens the label.
    this.#read(firstLine.slice(1));
  }

  nextLine(context: BlockContext, line: Line, leaf: LeafBlock): boolean {
    const text = line.text.slice(line.pos);
    if (this.#stage === 'ended' || (this.#stage === 'titled' && !/^["'(]/.test(text)))
      return this.finish(context, leaf);
    if (this.#stage !== 'none') this.#read(text);
    return false;
  }

  finish(context: BlockContext, leaf: LeafBlock): boolean {
    if (this.#stage !== 'ended' && this.#stage !== 'titled') return false;
    context.addLeafElement(leaf, context.elt('LinkReference', leaf.start, leaf.start + leaf.content.length));
    return true;
  }

  #read(line: string): void {
    let rest: string | null = line;
    if (this.#stage === 'label') rest = this.#readLabel(rest);
    if (rest !== null && this.#stage === 'address') rest = this.#readAddress(rest);
    if (rest !== null && this.#stage === 'titled') rest = this.#openTitle(rest);
    if (rest !== null && this.#stage === 'title') this.#closeTitle(rest);
  }

  /** Each step answers what is left of the line for the next one, or null when the line ends with it. */
  #readLabel(line: string): string | null {
    const part = /^(?:[^[\]\\]|\\[^]?)*/.exec(line.slice(0, MAX_LABEL + 2))?.[0] ?? '';
    this.#label += `${part} `;
    const rest = line.slice(part.length);
    if (rest === '' && this.#label.length <= MAX_LABEL) return null;
    const closed = rest.startsWith(']:') && this.#label.length <= MAX_LABEL + 1 && this.#label.trim() !== '';
    this.#stage = closed ? 'address' : 'none';
    return rest.slice(2);
  }

  #readAddress(line: string): string | null {
    const text = line.trimStart();
    if (text === '') return null;
    const found = /^<[^<>\\]*(?:\\[^][^<>\\]*)*>|^[^\s<]\S*/.exec(text)?.[0];
    this.#stage = found === undefined || !isBalanced(found) ? 'none' : 'titled';
    return text.slice(found?.length);
  }

  #openTitle(line: string): string | null {
    const text = line.trimStart();
    if (text.trim() === '') return null;
    this.#close = CLOSING[text.charAt(0)] ?? '';
    this.#stage = this.#close === '' ? 'none' : 'title';
    return text.slice(1);
  }

  #closeTitle(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      if (line[at] === '\\') at += 1;
      else if (line[at] === this.#close) {
        this.#stage = line.slice(at + 1).trim() === '' ? 'ended' : 'none';
        return;
      }
    }
  }
}

/** True for an address in pointed brackets, and for one whose parentheses come in pairs, as CommonMark wants them. */
function isBalanced(address: string): boolean {
  if (address.startsWith('<')) return true;
  let depth = 0;
  for (const [sign] of address.matchAll(/\\[^]|[()]/g)) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
