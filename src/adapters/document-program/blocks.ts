import { fenced, inlineCode, literalStart, literal, markdownTables, oneCell } from './markup';

/** A part of a document as lines of Markdown, without blank lines around it. */
export interface Block {
  readonly kind: 'paragraph' | 'list' | 'code' | 'other';
  readonly lines: readonly string[];
}

/** Stands in a text for a piece of Markdown while the text around it is escaped. No source may contain it. */
const PIECE = '\0';
const PIECES = new RegExp(PIECE, 'g');

/** Builds Markdown of text, which is escaped, and of pieces that are Markdown already. */
export class Inline {
  #text = '';
  readonly #pieces: { readonly markdown: string; readonly shown: string }[] = [];
  readonly #hasMath: boolean;

  /** @param source the whole source of the paragraph */
  constructor(source: string) {
    this.#hasMath = source.indexOf('$') !== source.lastIndexOf('$');
  }

  text(text: string): void {
    this.#text += text;
  }

  /** @param shown the words of the piece, for titles */
  piece(markdown: string, shown: string): void {
    this.#text += PIECE;
    this.#pieces.push({ markdown: onOneLine(markdown), shown });
  }

  /** The lines of a paragraph, each escaped also at its beginning. */
  lines(): string[] {
    const lines = this.#text.split('\n').map((line) => line.trim());
    const filled = this.#filled(
      lines
        .filter((line) => line !== '')
        .map((line) => literalStart(line, { hasMath: this.#hasMath }))
        .join('\n'),
    );
    // A reference to a footnote before a colon would begin the footnote.
    return filled.split('\n').map((line) => line.replace(/^(\[\^[^\]]+\])(?=:)/, '$1\\'));
  }

  /** The text on one line that does not begin with it, such as a title or a cell. */
  line(): string {
    return this.#filled(literal(onOneLine(this.#text), { hasMath: this.#hasMath }));
  }

  /** The words alone, on one line. */
  shown(): string {
    let next = 0;
    const words = this.#text.replace(PIECES, () => this.#pieces[next++]?.shown ?? '');
    return words.replace(/\s+/g, ' ').trim();
  }

  #filled(escaped: string): string {
    let next = 0;
    return escaped.replace(PIECES, () => this.#pieces[next++]?.markdown ?? '');
  }
}

/** Converts text with inline markup from its beginning to its end. A kind of markup says what begins it and how it is converted. */
export abstract class InlineScanner {
  /** The offset behind what is converted. */
  protected done = 0;

  /**
   * @param special matches a character that may begin markup; with the flag `g`
   * @param out gets what is converted
   */
  constructor(
    private readonly special: RegExp,
    protected readonly source: string,
    protected readonly out: Inline,
  ) {}

  /** Converts what begins at an offset, and returns the offset behind it or behind a mark that is text. */
  protected abstract markup(here: number): number;

  scan(): void {
    let at = 0;
    for (;;) {
      this.special.lastIndex = at;
      const here = this.special.exec(this.source)?.index;
      if (here === undefined) break;
      at = this.markup(here);
    }
    this.takeUpTo(this.source.length, this.source.length);
  }

  /** Takes the text before an offset as it is, and returns the offset behind the markup that begins there. */
  protected takeUpTo(here: number, end: number): number {
    this.out.text(this.source.slice(this.done, here));
    this.done = end;
    return end;
  }
}

/** Joins lines by a blank, and leaves the blanks inside of them. */
function onOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

/** Returns emphasised text between marks of Markdown; text of blanks alone stays as it is. */
export function emphasised(mark: string, text: string): string {
  const inner = literal(text.replace(/\s+/g, ' ').trim(), { hasMath: true });
  return inner === '' ? '' : mark + inner + mark;
}

/** Returns a formula in a line, or code when it contains what would end it. */
export function formula(tex: string): string {
  const inner = withoutTags(tex).replace(/\s+/g, ' ').trim();
  return inner === '' || /[$`%]|\\$/.test(inner) ? inlineCode(inner) : `$${inner}$`;
}

/** Parts what would be a tag in Markdown; TeX takes no notice of the blank. */
function withoutTags(tex: string): string {
  return tex.replace(/<(?=[A-Za-z/!?%])/g, '< ');
}

/** Returns a formula of its own, or code when it contains what would end it. */
export function formulaBlock(tex: readonly string[]): Block {
  const inner = tex.filter((line) => line.trim() !== '').map(withoutTags);
  return inner.some((line) => /[$]|%%|^\s*(?:[`~]{3}|>)/.test(line))
    ? code(inner, 'latex')
    : { kind: 'code', lines: ['$$', ...inner.map((line) => line.trim()), '$$'] };
}

/** Returns a block of code without the indentation that its lines have in common. */
export function code(lines: readonly string[], language: string): Block {
  // The fence is longer than any in the text; the last line end belongs to no line.
  return {
    kind: 'code',
    lines: fenced(dedented(lines).join('\n'), language).markdown.trimEnd().split('\n'),
  };
}

export function paragraph(lines: readonly string[]): Block {
  return { kind: 'paragraph', lines };
}

/** Returns the blocks as lines, with a blank line between two of them. */
export function linesOf(blocks: Iterable<Block>): string[] {
  const lines: string[] = [];
  for (const block of blocks) {
    if (lines.length > 0) lines.push('');
    for (const line of block.lines) lines.push(line);
  }
  return lines;
}

export function quotation(blocks: Iterable<Block>): Block {
  return { kind: 'other', lines: linesOf(blocks).map((line) => (line === '' ? '>' : `> ${line}`)) };
}

/** Returns an item of a list. Its first block begins behind the mark, and bulleted lists follow a paragraph at once. */
export function item(mark: string, blocks: readonly Block[]): string[] {
  const lines: string[] = [];
  for (const [at, block] of blocks.entries()) {
    const isTight =
      block.kind === 'list' && blocks[at - 1]?.kind === 'paragraph' && /^- /.test(block.lines[0] ?? '');
    if (at > 0 && !isTight) lines.push('');
    for (const line of block.lines) lines.push(line);
  }
  const indent = ' '.repeat(mark.length + 1);
  const [first = '', ...rest] = lines;
  return [`${mark} ${first}`.trimEnd(), ...rest.map((line) => (line === '' ? '' : indent + line))];
}

/** Puts a label before the first paragraph, or before all blocks. */
export function led(label: string, blocks: readonly Block[]): Block[] {
  const [first, ...rest] = blocks;
  return first?.kind === 'paragraph'
    ? [paragraph([`${label} ${first.lines[0] ?? ''}`, ...first.lines.slice(1)]), ...rest]
    : [paragraph([label]), ...blocks];
}

/** Returns a list of items; a blank line follows an item that has one inside. */
export function list(items: readonly (readonly string[])[]): Block {
  const lines: string[] = [];
  for (const [at, one] of items.entries()) {
    if (at > 0 && (items[at - 1]?.includes('') ?? false)) lines.push('');
    for (const line of one) lines.push(line);
  }
  return { kind: 'list', lines };
}

/** Returns a table of rows of cells; each cell is Markdown on one line. */
export function tableOf(rows: readonly (readonly string[])[]): Block[] {
  if (rows.every((row) => row.length === 0)) return [];
  return [{ kind: 'other', lines: [...markdownTables(rows, oneCell)].join('').trimEnd().split('\n') }];
}

/** Returns the blocks on one line, for the cell of a table. */
export function cellOf(blocks: Iterable<Block>): string {
  return [...blocks]
    .map(({ kind, lines }) => {
      if (kind === 'paragraph') return lines.join(' ');
      if (kind === 'code')
        return lines
          .slice(1, -1)
          .map((line) => inlineCode(line))
          .join('<br>');
      return lines.filter((line) => line !== '').join('<br>');
    })
    .join('<br>');
}

/** Returns lines without the indentation that they have in common. Their tabs must be expanded. */
export function dedented(lines: readonly string[]): string[] {
  let indent = Infinity;
  // Not `Math.min(...)`: there may be hundreds of thousands of lines.
  for (const line of lines) if (line.trim() !== '') indent = Math.min(indent, leading(line));
  return lines.map((line) => line.slice(Math.min(indent, leading(line))));
}

/** Returns the number of spaces at the beginning of a line. */
export function leading(line: string): number {
  return line.length - line.replace(/^ +/, '').length;
}
