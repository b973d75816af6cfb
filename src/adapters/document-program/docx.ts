import {
  type Block,
  cellOf,
  code,
  formula,
  formulaBlock,
  linesOf,
  led,
  paragraph,
  quotation,
} from './blocks';
import { DocxNumbers, type NumberPlace } from './docx-numbers';
import { CUT_WARNING, joinWithin, listed, literal } from './markup';
import { drawnParts, pictureWords } from './ooxml-drawing';
import { officeFacts, OfficePackage, withFacts } from './office-package';
import {
  type Cell,
  commentHead,
  filled,
  inlineOf,
  innerTable,
  listOf,
  type ListItem,
  Notes,
  officeTable,
  type Piece,
  type Run,
} from './office-text';
import { texOf } from './omml';
import type { ReadText } from './protocol';
import { childAt, childrenOf, elementsBelow, textIn, type XmlElement } from './xml';

/** The parts that are read: no pictures, fonts, macros and embedded files. */
const WANTED =
  /^(?:_rels\/|docprops\/core\.xml$|word\/(?:[^/]+\.xml|_rels\/[^/]+|charts\/[^/]+\.xml|diagrams\/data[^/]*\.xml)$)/;

/**
 * Converts a Word document to Markdown: headings, lists as they count, tables, links, footnotes, comments, text boxes, formulas, charts.
 * Deleted and hidden text, headers and footers, the table of contents and pictures are left out, with a warning.
 * @throws BrainError `unsupported_type`, `too_large`
 */
export function readDocx(bytes: Uint8Array<ArrayBuffer>, name: string): ReadText {
  const file = new OfficePackage(bytes, name, WANTED);
  const main = file.related('', 'officeDocument') || 'word/document.xml';
  return new DocxReader(file, main).read(name);
}

/** What a style says, those that it is based on included. */
interface Style {
  readonly name: string;
  /** From 0; null for no heading. */
  readonly outline: number | null;
  readonly numbers: NumberPlace | null;
  readonly look: Look;
}

interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly hidden?: boolean;
  readonly raised?: 'sup' | 'sub';
}

/** A field in work, such as a link or a table of contents: what it is, and whether its result has begun. */
interface Field {
  instruction: string;
  isResult: boolean;
}

const MONOSPACED =
  /^(?:courier|consolas|menlo|monaco|lucida console|andale mono|source code|fira (?:code|mono)|dejavu sans mono|liberation mono|cascadia|jetbrains mono|ubuntu mono)/i;
const CODE_STYLE =
  /^(?:source ?code|code(?: ?block)?|code snippet|html preformatted|preformatted(?: text)?|plain ?text|verbatim)$/i;
/** Signs that code has and prose in the letters of a typewriter has not. */
const CODE_SIGNS = /[{};=<>]|\w\(|^\s{2,}\S/m;
/** Signs of fonts whose letters are pictures, by their codes. */
const SYMBOLS: ReadonlyMap<number, string> = new Map([
  [0xfc, '✓'],
  [0xfb, '✗'],
  [0xa8, '☐'],
  [0xfe, '☑'],
  [0xfd, '☒'],
  [0xe0, '→'],
  [0xdf, '←'],
  [0xb7, '•'],
]);

/** The longest heading (UTF-16 units): a longer one is a paragraph whose style is misused. */
const MAX_HEADING = 500;
const CONTENTS_STYLE = /^(?:toc|table of figures|index) ?\d*$/i;

type Part = Run | (Piece & { readonly tex?: string });

/** Where the parts of a paragraph go: what is in its lines, what stands beside it, and formulas that stand alone. */
interface Into {
  readonly parts: Part[];
  readonly after: Block[];
  readonly formulas: string[];
}

class DocxReader {
  readonly #styles = new Map<string, Style>();
  readonly #sources = new Map<string, XmlElement>();
  readonly #numbers: DocxNumbers;
  readonly #notes = new Notes();
  readonly #fields: Field[] = [];
  #part: string;
  #shift = 0;
  #title: string | null = null;
  #pictures = 0;
  #deleted = 0;
  #hidden = 0;
  #contents = 0;
  #embedded = 0;
  /** The tables around the present place. */
  #depth = 0;

  constructor(
    private readonly file: OfficePackage,
    private readonly main: string,
  ) {
    this.#part = main;
    const styles = childAt(file.tree(file.related(main, 'styles')), 'w:styles');
    for (const style of childrenOf(styles, 'w:style'))
      this.#sources.set(style.attributes['w:styleId'] ?? '', style);
    this.#numbers = new DocxNumbers(childAt(file.tree(file.related(main, 'numbering')), 'w:numbering'));
  }

  read(name: string): ReadText {
    const body = childAt(this.file.tree(this.main), 'w:document', 'w:body');
    const hasTitle = [...elementsBelow(body, 'w:p')].some(
      (one) => this.#styleOf(one).name.toLowerCase() === 'title',
    );
    this.#shift = hasTitle ? 1 : 0;
    const blocks = this.#blocksOf(body);
    const { text, isCut } = joinWithin(
      (function* (notes: Notes) {
        for (const line of linesOf(blocks)) yield `${line}\n`;
        for (const note of notes.blocks()) yield `\n${note.lines.join('\n')}\n`;
      })(this.#notes),
    );
    const facts = officeFacts(this.file);
    return {
      markdown: text,
      ...withFacts(facts, name, this.#title),
      warnings: [...this.#warnings(), ...(isCut ? [CUT_WARNING] : [])],
    };
  }

  #warnings(): string[] {
    const count = (number: number, one: string, many: string) => (number === 1 ? one : `${number} ${many}`);
    const edges = this.#headersAndFooters();
    return [
      ...(this.#pictures > 0
        ? [
            `${count(this.#pictures, 'A picture was', 'pictures were')} left out; the kept original has ${this.#pictures === 1 ? 'it' : 'them'}.`,
          ]
        : []),
      ...(this.#deleted > 0
        ? [`Text that is marked as deleted was left out (${this.#deleted} of its pieces).`]
        : []),
      ...(this.#hidden > 0 ? [`Hidden text was left out (${this.#hidden} of its pieces).`] : []),
      ...(this.#contents > 0 ? ['The table of contents was left out: it repeats the headings.'] : []),
      ...(this.#embedded > 0
        ? [
            `${count(this.#embedded, 'An embedded file was', 'embedded files were')} not read. Save what matters and ingest it by itself.`,
          ]
        : []),
      ...(edges.length > 0 ? [`Headers and footers were left out: ${listed(edges)}`] : []),
    ];
  }

  /** Returns the texts of headers and footers, each once; page numbers alone are none. */
  #headersAndFooters(): string[] {
    const texts = [...this.file.relations(this.main).values()]
      .filter(({ type }) => type === 'header' || type === 'footer')
      .flatMap(({ target }) => [...elementsBelow(this.file.tree(target), 'w:p')])
      .map((one) => [...elementsBelow(one, 'w:t')].map(textIn).join('').replace(/\s+/g, ' ').trim());
    return [...new Set(texts.filter((text) => /\p{L}{2}/u.test(text)))].map(
      (text) => `"${text.slice(0, 100)}"`,
    );
  }

  #styleOf(element: XmlElement): Style {
    const properties = childAt(element, 'w:pPr') ?? childAt(element, 'w:rPr');
    const id =
      (childAt(properties, 'w:pStyle') ?? childAt(properties, 'w:rStyle'))?.attributes['w:val'] ?? '';
    return this.#style(id, 0);
  }

  #style(id: string, depth: number): Style {
    const known = this.#styles.get(id);
    const source = this.#sources.get(id);
    if (known !== undefined) return known;
    if (source === undefined || depth > 20) return { name: '', outline: null, numbers: null, look: {} };
    const parent = this.#style(childAt(source, 'w:basedOn')?.attributes['w:val'] ?? '', depth + 1);
    const name = childAt(source, 'w:name')?.attributes['w:val'] ?? '';
    const properties = childAt(source, 'w:pPr');
    const own = /^heading ([1-9])$/i.exec(name)?.[1];
    const style: Style = {
      name,
      outline: own === undefined ? (outlineOf(properties) ?? parent.outline) : Number(own) - 1,
      numbers: numbersOf(properties, parent.numbers),
      look: { ...parent.look, ...lookOf(childAt(source, 'w:rPr')) },
    };
    this.#styles.set(id, style);
    return style;
  }

  /** Converts what stands one below the other: paragraphs, tables, and what holds them. */
  #blocksOf(element: XmlElement | undefined): Block[] {
    const blocks: Block[] = [];
    let items: ListItem[] = [];
    let lines: string[] = [];
    const close = () => {
      if (items.length > 0) blocks.push(...listOf(items));
      if (lines.length > 0) blocks.push(code(lines, ''));
      [items, lines] = [[], []];
    };
    for (const child of this.#bodyOf(element)) {
      if (child.name === 'w:tbl') {
        close();
        blocks.push(...this.#table(child));
        continue;
      }
      const { made, isCode, item, after } = this.#paragraph(child);
      if (item !== null && lines.length === 0) items.push(item);
      else if (isCode && items.length === 0) lines.push(...made.flatMap((block) => block.lines));
      else if (item !== null || isCode) {
        close();
        if (item !== null) items.push(item);
        else lines.push(...made.flatMap((block) => block.lines));
      } else if (made.length > 0) {
        close();
        blocks.push(...made);
      }
      if (after.length > 0) {
        close();
        blocks.push(...after);
      }
    }
    close();
    return blocks;
  }

  /** Yields the paragraphs and tables of an element, those in content controls and insertions included. */
  *#bodyOf(element: XmlElement | undefined): Generator<XmlElement> {
    for (const child of childrenOf(element)) {
      if (child.name === 'w:p' || child.name === 'w:tbl') yield child;
      else if (child.name === 'w:altChunk') this.#embedded += 1;
      else if (child.name === 'mc:AlternateContent') yield* this.#bodyOf(alternativeOf(child));
      else if (child.name === 'w:del' || child.name === 'w:moveFrom') this.#deleted += 1;
      else if (!child.name.endsWith('Pr')) yield* this.#bodyOf(child);
    }
  }

  /** Converts a paragraph; `after` has what stands beside it, such as text boxes. */
  #paragraph(element: XmlElement): { made: Block[]; isCode: boolean; item: ListItem | null; after: Block[] } {
    // The instruction of a field that never began to show is text that nobody sees; what follows it is none.
    this.#fields.splice(0, this.#fields.length, ...this.#fields.filter(({ isResult }) => isResult));
    const style = this.#styleOf(element);
    const properties = childAt(element, 'w:pPr');
    const numbers = numbersOf(properties, style.numbers);
    const label = numbers === null ? null : this.#numbers.next(numbers);
    const [after, parts, formulas]: [Block[], Part[], string[]] = [[], [], []];
    this.#inlines(element, {}, { parts, after, formulas });
    const none = { made: [], isCode: false, item: null, after };
    const shown = parts.filter((part) => 'markdown' in part || part.text.trim() !== '');
    const text = parts.map(wordsOf).join('');
    if (shown.length > 0 && CONTENTS_STYLE.test(style.name)) {
      this.#contents += 1;
      return none;
    }
    const alone = shown.flatMap((part) => ('tex' in part ? (part.tex ?? []) : []));
    const isFormula = alone.length === shown.length;
    const blocksBelow = [...(isFormula ? alone : []), ...formulas].map((tex) => formulaBlock([tex]));
    if (isFormula) return { ...none, made: blocksBelow };
    const level = text.length > MAX_HEADING ? null : this.#headingLevel(style, properties);
    if (level !== null) return { ...none, made: [this.#heading(level, label ?? '', parts), ...blocksBelow] };
    const isTyped = isInLettersOfCode(shown);
    if (label === null && (CODE_STYLE.test(style.name) || (isTyped && CODE_SIGNS.test(text))))
      return { ...none, made: [paragraph(text.split('\n'))], isCode: true };
    const prose = isTyped
      ? parts.map((part) => ('markdown' in part ? part : { ...part, code: false }))
      : parts;
    const blocks = [...paragraphOf(prose), ...blocksBelow];
    if (label !== null) return { ...none, item: { level: numbers?.level ?? 0, label, blocks } };
    return { ...none, made: /\bquote\b/i.test(style.name) ? [quotation(blocks)] : blocks };
  }

  /** Returns the level of a heading; null for other text and within tables. */
  #headingLevel({ name, outline }: Style, properties: XmlElement | undefined): number | null {
    const own = outlineOf(properties) ?? outline;
    if (this.#depth > 0) return null;
    if (/^title$/i.test(name)) return 1;
    if (own === null && !/^subtitle$/i.test(name)) return null;
    return Math.min(6, (own ?? 0) + 1 + this.#shift);
  }

  /** Returns a heading with its number. The first large one is the title of a document that names none. */
  #heading(level: number, label: string, parts: readonly Part[]): Block {
    const inline = inlineOf(parts, true);
    if (level <= 2) this.#title ??= [label, inline.shown()].filter((text) => text !== '').join(' ');
    const prefix = label === '' ? '' : `${literal(label)} `;
    // Marks at the end of a heading would be hidden.
    const line = `${'#'.repeat(level)} ${prefix}${inline.line().replace(/(^|\s)(#+)$/, '$1\\$2')}`;
    return { kind: 'other', lines: [line] };
  }

  /** Converts what is within a line: runs, links, fields, formulas. */
  #inlines(element: XmlElement, look: Look & { readonly link?: string }, into: Into): void {
    for (const child of childrenOf(element)) {
      switch (child.name) {
        case 'w:r':
          this.#run(child, look, into);
          break;
        case 'w:hyperlink': {
          const address = this.file.relations(this.#part).get(child.attributes['r:id'] ?? '');
          this.#inlines(child, address?.isExternal ? { ...look, link: address.target } : look, into);
          break;
        }
        case 'w:fldSimple': {
          const target = linkOfField(child.attributes['w:instr'] ?? '');
          this.#inlines(child, target === null ? look : { ...look, link: target }, into);
          break;
        }
        case 'w:del':
        case 'w:moveFrom':
          this.#deleted += 1;
          break;
        case 'm:oMath': {
          const tex = texOf(child);
          if (tex !== '') into.parts.push({ markdown: formula(tex), shown: tex, tex });
          break;
        }
        case 'm:oMathPara':
          for (const one of childrenOf(child, 'm:oMath')) {
            const tex = texOf(one);
            if (tex !== '') into.formulas.push(tex);
          }
          break;
        case 'mc:AlternateContent':
          this.#inlines(alternativeOf(child) ?? child, look, into);
          break;
        default:
          // Properties hold no text. Insertions, content controls and the like hold runs.
          if (!child.name.endsWith('Pr')) this.#inlines(child, look, into);
      }
    }
  }

  #run(run: XmlElement, outer: Look & { readonly link?: string }, into: Into): void {
    const own: Look = { ...this.#styleOf(run).look, ...lookOf(childAt(run, 'w:rPr')) };
    const link = outer.link ?? this.#fieldLink();
    const { hidden, ...look } = { ...outer, ...own };
    const add = (text: string) => {
      if (this.#fields.some(({ isResult }) => !isResult)) return;
      if (hidden) this.#hidden += 1;
      else into.parts.push({ ...look, text, ...(link !== undefined && { link }) });
    };
    for (const child of childrenOf(run)) {
      const text = textOfPart(child);
      if (text !== null) {
        add(text);
        continue;
      }
      switch (child.name) {
        case 'w:delText':
          this.#deleted += 1;
          break;
        case 'w:fldChar':
          this.#fieldMark(child.attributes['w:fldCharType'] ?? '');
          break;
        case 'w:instrText':
          this.#fieldText(textIn(child));
          break;
        case 'w:footnoteReference':
        case 'w:endnoteReference':
        case 'w:commentReference':
          into.parts.push(
            this.#note(child.name.slice(2, -'Reference'.length), child.attributes['w:id'] ?? ''),
          );
          break;
        case 'mc:AlternateContent':
          this.#run({ ...(alternativeOf(child) ?? child), name: 'w:r' }, outer, into);
          break;
        case 'w:drawing':
        case 'w:pict':
        case 'w:object':
          this.#drawing(child, into);
          break;
        default:
      }
    }
  }

  #fieldMark(type: string): void {
    const field = this.#fields.at(-1);
    if (type === 'begin') this.#fields.push({ instruction: '', isResult: false });
    else if (type === 'separate' && field !== undefined) field.isResult = true;
    else if (type === 'end') this.#fields.pop();
  }

  #fieldText(text: string): void {
    const field = this.#fields.at(-1);
    if (field !== undefined && field.instruction.length < 10_000) field.instruction += text;
  }

  #fieldLink(): string | undefined {
    for (const { instruction, isResult } of this.#fields) {
      const target = isResult ? linkOfField(instruction) : null;
      if (target !== null) return target;
    }
    return undefined;
  }

  /** Returns the mark of a note. @param type `footnote`, `endnote` or `comment` */
  #note(type: string, id: string): Piece {
    const part = this.file.related(this.main, `${type}s`);
    return this.#notes.mark(`${type} ${id}`, type === 'comment', () => {
      const note = this.#notesOf(part, type).get(id);
      const [outer, fields] = [this.#part, this.#fields.splice(0)];
      this.#part = part;
      const blocks = this.#blocksOf(note);
      this.#part = outer;
      this.#fields.push(...fields);
      if (type !== 'comment') return blocks;
      const { 'w:author': author = '', 'w:date': date = '' } = note?.attributes ?? {};
      return led(commentHead(author, date), blocks);
    });
  }

  readonly #noteParts = new Map<string, ReadonlyMap<string, XmlElement>>();

  #notesOf(part: string, type: string): ReadonlyMap<string, XmlElement> {
    const known = this.#noteParts.get(part);
    if (known !== undefined) return known;
    const root = part === '' ? undefined : childrenOf(this.file.tree(part))[0];
    const notes = new Map(childrenOf(root, `w:${type}`).map((note) => [note.attributes['w:id'] ?? '', note]));
    this.#noteParts.set(part, notes);
    return notes;
  }

  /** Converts a drawing: the text of its boxes, charts and diagrams; a picture is left out but for its description. */
  #drawing(drawing: XmlElement, into: Into): void {
    let isText = false;
    for (const box of elementsBelow(drawing, 'w:txbxContent')) {
      isText = true;
      into.after.push(...this.#blocksOf(box));
    }
    const parts = drawnParts(drawing, this.file, this.file.relations(this.#part));
    into.after.push(...parts);
    if (isText || parts.length > 0) return;
    const isFile = [...elementsBelow(drawing, 'o:OLEObject')].length > 0;
    if (isFile) this.#embedded += 1;
    else if ([...elementsBelow(drawing, 'a:blip', 'v:imagedata')].length > 0) this.#pictures += 1;
    const [described] = elementsBelow(drawing, 'wp:docPr');
    const words = pictureWords(described?.attributes.descr);
    if (words !== '') into.parts.push({ text: ` ${words}` });
  }

  #table(table: XmlElement): Block[] {
    const rows: Cell[][] = [];
    /** The row and the place in it of the cell that each column belongs to, for cells that go on below. */
    const open = new Map<number, [row: number, at: number]>();
    const single: Block[][] = [];
    for (const row of this.#rowsOf(table, 'w:tr')) {
      const cells: Cell[] = [];
      let column = Number(childAt(row, 'w:trPr', 'w:gridBefore')?.attributes['w:val'] ?? 0) || 0;
      if (column > 0) cells.push({ text: '', across: column, down: 1 });
      for (const element of this.#rowsOf(row, 'w:tc')) {
        const properties = childAt(element, 'w:tcPr');
        const across = Math.max(1, Number(childAt(properties, 'w:gridSpan')?.attributes['w:val'] ?? 1) || 1);
        const merge = childAt(properties, 'w:vMerge');
        const [above, at] = (merge !== undefined &&
          merge.attributes['w:val'] !== 'restart' &&
          open.get(column)) || [-1, -1];
        const first = rows[above]?.[at];
        if (first !== undefined) (rows[above] ?? [])[at] = { ...first, down: rows.length - above + 1 };
        else {
          this.#depth += 1;
          const blocks = this.#blocksOf(element);
          this.#depth -= 1;
          single.push(blocks);
          cells.push({ text: cellOf(blocks), across, down: 1 });
          if (merge === undefined) open.delete(column);
          else open.set(column, [rows.length, cells.length - 1]);
        }
        column += across;
      }
      rows.push(cells);
    }
    // A table of one cell is a box around text.
    if (single.length === 1) return single[0] ?? [];
    return this.#depth > 0 ? innerTable(filled(rows)) : officeTable(filled(rows));
  }

  /** Yields the rows of a table, or the cells of a row, those in content controls and insertions included. */
  *#rowsOf(element: XmlElement, name: 'w:tr' | 'w:tc'): Generator<XmlElement> {
    for (const child of childrenOf(element))
      if (child.name === name) yield child;
      else if (/^w:(?:sdt|sdtContent|ins|customXml)$/.test(child.name)) yield* this.#rowsOf(child, name);
  }
}

function wordsOf(part: Part): string {
  return 'markdown' in part ? part.shown : part.text;
}

function isInLettersOfCode(parts: readonly Part[]): boolean {
  return parts.every((part) => !('markdown' in part) && part.code === true);
}

/** Returns runs as a paragraph. */
function paragraphOf(parts: readonly Part[]): Block[] {
  const lines = inlineOf(parts).lines();
  return lines.length === 0 ? [] : [paragraph(lines)];
}

/** Returns the text of a part of a run; null for a part that is no text. */
function textOfPart(part: XmlElement): string | null {
  switch (part.name) {
    case 'w:t':
      return textIn(part).replace(/\n/g, ' ');
    case 'w:tab':
      return ' ';
    case 'w:br':
    case 'w:cr':
      return /^(?:page|column)$/.test(part.attributes['w:type'] ?? '') ? ' ' : '\n';
    case 'w:noBreakHyphen':
      return '-';
    case 'w:sym':
      return symbolOf(part.attributes['w:char'] ?? '');
    default:
      return null;
  }
}

/** Returns one of several forms of the same: the first that this program can read. */
function alternativeOf(element: XmlElement): XmlElement | undefined {
  const forms = childrenOf(element);
  return (
    forms.find((form) => form.name === 'mc:Choice' && form.children.length > 0) ??
    childAt(element, 'mc:Fallback')
  );
}

function outlineOf(properties: XmlElement | undefined): number | null {
  const level = childAt(properties, 'w:outlineLvl')?.attributes['w:val'];
  // 9 is text.
  return level === undefined || !/^[0-8]$/.test(level) ? null : Number(level);
}

function numbersOf(properties: XmlElement | undefined, inherited: NumberPlace | null): NumberPlace | null {
  const numbers = childAt(properties, 'w:numPr');
  if (numbers === undefined) return inherited;
  const id = childAt(numbers, 'w:numId')?.attributes['w:val'] ?? inherited?.id ?? '0';
  const level = Number(childAt(numbers, 'w:ilvl')?.attributes['w:val'] ?? inherited?.level ?? 0);
  return id === '0' ? null : { id, level: Number.isSafeInteger(level) ? Math.min(Math.max(0, level), 8) : 0 };
}

function lookOf(properties: XmlElement | undefined): Look {
  if (properties === undefined) return {};
  const flag = (...names: readonly string[]) => {
    const found = childrenOf(properties).find(({ name }) => names.includes(name));
    return found === undefined ? undefined : !/^(?:0|false|off|none)$/.test(found.attributes['w:val'] ?? '');
  };
  const [bold, italic, strike, hidden] = [
    flag('w:b'),
    flag('w:i'),
    flag('w:strike', 'w:dstrike'),
    flag('w:vanish'),
  ];
  const font = childAt(properties, 'w:rFonts')?.attributes['w:ascii'];
  const raised = childAt(properties, 'w:vertAlign')?.attributes['w:val'];
  return {
    ...(bold !== undefined && { bold }),
    ...(italic !== undefined && { italic }),
    ...(strike !== undefined && { strike }),
    ...(hidden !== undefined && { hidden }),
    ...(font !== undefined && { code: MONOSPACED.test(font) }),
    ...(raised === 'superscript' && { raised: 'sup' as const }),
    ...(raised === 'subscript' && { raised: 'sub' as const }),
  };
}

function linkOfField(instruction: string): string | null {
  // A field with `\l` leads to a place in the document.
  return /^\s*HYPERLINK\s+"([^"]*)"/i.exec(instruction)?.[1] ?? null;
}

function symbolOf(hex: string): string {
  const point = Number.parseInt(hex, 16);
  // Fonts of pictures have their signs from U+F000 on.
  return Number.isNaN(point)
    ? ''
    : (SYMBOLS.get(point & 0xff) ??
        (point >= 0xe000 && point <= 0xf8ff ? '' : String.fromCodePoint(point & 0xffff)));
}
