/** The fence that begins a block of code: three or more marks of one kind, and no backtick behind backticks. */
const FENCE = /^(`{3,})[^`]*$|^(~{3,})/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s+|$)/;
/** The beginnings of HTML blocks that continue over empty lines, and their ends. */
const HTML: readonly (readonly [begin: RegExp, end: string])[] = [
  [/^ {0,3}<!--/, '-->'],
  [/^ {0,3}<\?/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, ']]>'],
  [/^ {0,3}<(?:script|style|pre|textarea)(?![\w-])/i, ''],
];
const HTML_END = /<\/(?:script|style|pre|textarea)>/i;
/**
 * Returns Markdown that is a part of a page, such as a message or a cell: what it leaves open (a block of code, HTML, a formula)
 * ends with it, so that the next part stays apart. The marks of comments, which Obsidian alone knows, are escaped. All else
 * stays as it is.
 * @param change changes a line that is in no block of code or HTML
 */
export function closed(markdown: string, change: (line: string) => string = (line) => line): string {
  const lines = markdown.replace(/\r\n?/g, '\n').trimEnd().split('\n');
  const ends = new Ends();
  let odd: { line: number; at: number } | null = null;
  for (const [index, line] of lines.entries()) {
    const isOpen = ends.isOpen;
    const changed = isOpen ? line : change(line);
    if (ends.take(changed)) continue;
    const text = inProse(isOpen ? change(line) : changed, /(?<!\\)%%+/g, (marks) =>
      marks.replace(/%/g, '\\%'),
    );
    lines[index] = text;
    if (!text.includes('$$')) continue;
    for (const { index: at } of withoutCode(text).matchAll(/(?<!\\)\$\$/g))
      odd = odd === null ? { line: index, at } : null;
  }
  if (odd !== null) {
    const text = lines[odd.line] ?? '';
    lines[odd.line] = `${text.slice(0, odd.at)}\\$\\$${text.slice(odd.at + 2)}`;
  }
  const end = ends.missing;
  return end === '' ? lines.join('\n') : `${lines.join('\n')}\n${end}`;
}

/**
 * Replaces what a pattern finds in a line of Markdown, except in the code within it.
 * @param change gets what is found, and the characters before and behind it
 */
export function inProse(
  line: string,
  pattern: RegExp,
  change: (found: string, before: string, behind: string) => string,
): string {
  let [result, done] = ['', 0];
  for (const { 0: found, index } of withoutCode(line).matchAll(pattern)) {
    const end = index + found.length;
    result += line.slice(done, index) + change(found, line.charAt(index - 1), line.charAt(end));
    done = end;
  }
  return result + line.slice(done);
}

const DEFINITION = /^ {0,3}\[(\^?[^\][]{1,100})\]:(.*)$/;
const LABEL = /(?<!\\)\[\^?[^\][]{1,100}\](?:\[\])?/g;

/** Keeps the labels of links and footnotes in the parts of a page apart: one that an earlier part defines otherwise is renamed. */
export class OwnLabels {
  readonly #defined = new Map<string, string>();
  #count = 0;

  /** Returns a part that `closed` has returned with labels that no earlier part has. */
  in(markdown: string): string {
    if (!markdown.includes(']:')) return markdown;
    const renamed = new Map<string, string>();
    closed(markdown, (line) => {
      const [, label = '', target = ''] = DEFINITION.exec(line) ?? [];
      const key = label.toLowerCase();
      const before = this.#defined.get(key);
      if (label === '' || renamed.has(key)) return line;
      if (before === undefined) this.#defined.set(key, target.trim());
      else if (before !== target.trim()) renamed.set(key, `${label}-${(this.#count += 1)}`);
      return line;
    });
    if (renamed.size === 0) return markdown;
    return closed(markdown, (line) => {
      const [, label = '', target = ''] = DEFINITION.exec(line) ?? [];
      const own = renamed.get(label.toLowerCase());
      if (own !== undefined) return `[${own}]:${target}`;
      return inProse(line, LABEL, (found, before, behind) => {
        const text = found.slice(1, found.indexOf(']'));
        const name = renamed.get(text.toLowerCase());
        if (name === undefined || behind === '(' || behind === '[') return found;
        return before === ']' || name.startsWith('^') ? `[${name}]` : `[${text}][${name}]`;
      });
    });
  }
}

/** Follows which block of code or HTML is open behind each line. */
class Ends {
  #fence = '';
  #html = '';
  /** The column of the text of the open item; 0 outside of lists. */
  #item = 0;
  #isInItem = false;

  /** The end of what is open outside of lists and quotations, which end by themselves; empty when nothing is. */
  get missing(): string {
    return this.#isInItem ? '' : this.#fence || this.#html;
  }

  get isOpen(): boolean {
    return this.#fence !== '' || this.#html !== '';
  }

  /** Takes the next line, and returns true when it belongs to a block of code or HTML. */
  take(line: string): boolean {
    const text = line.trimStart();
    const indent = line.length - text.length;
    if (this.#html !== '') {
      if (this.#endsHtml(line)) this.#html = '';
      return true;
    }
    if (this.#isInItem && text !== '' && indent < this.#item) this.#leaveItem();
    if (this.#fence !== '') {
      if (text.startsWith(this.#fence) && text.trimEnd().replace(/^[`~]+/, '') === '') this.#fence = '';
      if (this.#fence === '') this.#isInItem = false;
      return true;
    }
    return this.#begins(line, text, indent);
  }

  /** Takes a line outside of blocks, and returns true when it begins one that the next line belongs to. */
  #begins(line: string, text: string, indent: number): boolean {
    const [marker = ''] = ITEM.exec(line) ?? [];
    if (marker !== '') this.#item = this.#item > 0 && indent >= this.#item ? this.#item : marker.length;
    else if (text !== '' && indent < this.#item) this.#item = 0;
    const fence = FENCE.exec(line.slice(marker.length).trimStart());
    if (fence !== null && (indent < 4 || this.#item > 0)) {
      this.#fence = fence[1] ?? fence[2] ?? '';
      this.#isInItem = this.#item > 0;
      return true;
    }
    const html = this.#item > 0 ? undefined : HTML.find(([begin]) => begin.test(line));
    if (html === undefined) return false;
    this.#html = html[1] || `</${/<(\w+)/.exec(line)?.[1] ?? 'pre'}>`;
    if (this.#endsHtml(line)) this.#html = '';
    return this.#html !== '';
  }

  #endsHtml(line: string): boolean {
    return this.#html.startsWith('</') ? HTML_END.test(line) : line.includes(this.#html);
  }

  #leaveItem(): void {
    [this.#fence, this.#item, this.#isInItem] = ['', 0, false];
  }
}

/** Returns a line with blanks in place of the code in it. */
function withoutCode(line: string): string {
  if (!line.includes('`')) return line;
  const runs = [...line.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  // For each run the next one of its length.
  const next = new Map<number, number>();
  const ends = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length } = runs[at] ?? { length: 0 };
    ends[at] = next.get(length) ?? -1;
    next.set(length, at);
  }
  let [text, done] = ['', 0];
  for (let at = 0; at < runs.length; at += 1) {
    const [run, end] = [runs[at], runs[ends[at] ?? -1]];
    if (run === undefined || end === undefined) continue;
    const to = end.index + end.length;
    text += line.slice(done, run.index) + ' '.repeat(to - run.index);
    [done, at] = [to, ends[at] ?? at];
  }
  return text + line.slice(done);
}
