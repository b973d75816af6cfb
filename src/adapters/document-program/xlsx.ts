import { type Block, linesOf, list, item, paragraph } from './blocks';
import {
  CUT_WARNING,
  heading,
  joinWithin,
  link,
  linkTarget,
  listed,
  literal,
  literalStart,
  MAX_TEXT,
} from './markup';
import { builtInFormat, formattedNumber, plainNumber } from './number-format';
import { drawnParts, pictureWords } from './ooxml-drawing';
import { drawnParagraphs, officeFacts, OfficePackage, withFacts } from './office-package';
import { commentHead, officeTable } from './office-text';
import type { ReadText } from './protocol';
import { childAt, childrenOf, elementsBelow, textIn, type XmlEvent, xmlEvents } from './xml';

/** The parts that are read: no pictures, macros, pivot caches and embedded files. */
const WANTED =
  /^(?:_rels\/|docprops\/core\.xml$|xl\/(?:workbook|sharedstrings|styles)\.xml$|xl\/_rels\/|xl\/(?:worksheets|chartsheets|drawings)\/(?:[^/]+\.xml|_rels\/[^/]+)$|xl\/charts\/[^/]+\.xml$|xl\/(?:threadedcomments|persons)\/|xl\/comments[^/]*\.xml$)/;

/**
 * Converts a workbook to Markdown: a heading for each sheet, tables of what its cells show, links, comments, and the values of charts.
 * Hidden sheets are read as well, and a warning names them. Nothing is calculated: a formula shows the value that was stored with it.
 * @throws BrainError `unsupported_type`, `too_large`
 */
export function readXlsx(bytes: Uint8Array<ArrayBuffer>, name: string): ReadText {
  const file = new OfficePackage(bytes, name, WANTED);
  const main = file.related('', 'officeDocument') || 'xl/workbook.xml';
  const workbook = childAt(file.tree(main), 'workbook');
  const relations = file.relations(main);
  const book: Book = {
    file,
    strings: sharedStrings(file.text(file.related(main, 'sharedStrings'))),
    formats: cellFormats(file, file.related(main, 'styles')),
    is1904: /^(?:1|true)$/.test(childAt(workbook, 'workbookPr')?.attributes.date1904 ?? ''),
    told: { hidden: [], uncalculated: 0, pictures: 0 },
  };
  const sheets = childrenOf(childAt(workbook, 'sheets')).map(({ attributes }) => ({
    name: attributes.name ?? '',
    isHidden: /hidden/i.test(attributes.state ?? ''),
    part: relations.get(attributes['r:id'] ?? '')?.target ?? '',
  }));
  const { text, isCut } = joinWithin(pieces(book, sheets));
  const { hidden, uncalculated, pictures } = book.told;
  return {
    markdown: text,
    ...withFacts(officeFacts(file), name, null),
    warnings: [
      ...(hidden.length > 0 ? [`Hidden sheets were read as well: ${listed(hidden)}`] : []),
      ...(uncalculated > 0
        ? [
            `${uncalculated === 1 ? 'A cell shows its formula' : `${uncalculated} cells show their formulas`}, because no value is stored with it. Open the file in a spreadsheet program, save it, and ingest it again.`,
          ]
        : []),
      ...(pictures > 0
        ? [
            `${pictures === 1 ? 'A picture was' : `${pictures} pictures were`} left out; the kept original has ${pictures === 1 ? 'it' : 'them'}.`,
          ]
        : []),
      ...(isCut ? [CUT_WARNING] : []),
    ],
  };
}

/** What the sheets of a workbook have in common, and what is told of it. */
interface Book {
  readonly file: OfficePackage;
  readonly strings: readonly string[];
  readonly formats: readonly string[];
  readonly is1904: boolean;
  readonly told: { readonly hidden: string[]; uncalculated: number; pictures: number };
}

interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

function* pieces(book: Book, sheets: readonly Sheet[]): Generator<string> {
  for (const sheet of sheets) {
    if (!book.file.has(sheet.part)) continue;
    const blocks = sheetBlocks(book, sheet);
    if (blocks.length === 0) continue;
    if (sheet.isHidden) book.told.hidden.push(sheet.name);
    yield heading(2, sheet.isHidden ? `${sheet.name} (hidden)` : sheet.name);
    for (const line of linesOf(blocks)) yield `${line}\n`;
    yield '\n';
  }
}

/** Returns the texts that cells refer to by their number. The reading aids of Japanese (phonetics) are left out. */
function sharedStrings(text: string): string[] {
  const strings: string[] = [];
  const open: string[] = [];
  let current = '';
  for (const event of xmlEvents(text)) {
    if (event.kind === 'open') {
      open.push(event.name);
      if (event.name === 'si') current = '';
    } else if (event.kind === 'close') {
      if (open.pop() === 'si') strings.push(current);
    } else if (open.at(-1) === 't' && !open.includes('rPh')) current += event.text;
  }
  return strings;
}

/** Returns the number format of each cell format. */
function cellFormats(file: OfficePackage, part: string): string[] {
  const styles = childAt(file.tree(part), 'styleSheet');
  const own = new Map(
    childrenOf(childAt(styles, 'numFmts')).map(({ attributes }) => [
      attributes.numFmtId ?? '',
      attributes.formatCode ?? '',
    ]),
  );
  return childrenOf(childAt(styles, 'cellXfs')).map(({ attributes: { numFmtId = '0' } }) => {
    const format = own.get(numFmtId);
    return format ?? builtInFormat(Number(numFmtId));
  });
}

/** The cells of one row by their columns, from 0. */
type Row = Map<number, string>;

/** What a sheet shows. */
interface SheetFacts {
  readonly rows: Map<number, Row>;
  readonly merges: string[];
  /** The ids of addresses by the references of cells. */
  readonly links: Map<string, string>;
}

function sheetBlocks(book: Book, { part }: Sheet): Block[] {
  const { file } = book;
  const facts = readCells(book, file.text(part));
  merge(facts);
  const relations = file.relations(part);
  const targets = new Map<string, string>();
  for (const [reference, id] of facts.links) {
    const address = relations.get(id);
    const [place, target] = [placeOf(reference), address?.isExternal ? linkTarget(address.target) : null];
    if (place !== null && target !== null) targets.set(`${place.row} ${place.column}`, target);
  }
  const shown = (row: number, column: number, isStart: boolean): string => {
    const value = facts.rows.get(row)?.get(column) ?? '';
    const target = targets.size === 0 || value === '' ? undefined : targets.get(`${row} ${column}`);
    if (target !== undefined) return link(target, value);
    return isStart ? literalStart(oneLine(value)) : literal(value.trim());
  };
  return [...tables(facts.rows, shown), ...commentBlocks(file, part), ...drawingBlocks(book, part)];
}

/** The cells of a sheet that are kept in memory; their text beyond the limit of a document is not. */
const MAX_CELLS = 1_500_000;

/** Reads the cells of a sheet in one go; they may be many. */
function readCells(book: Book, text: string): SheetFacts {
  const facts: SheetFacts = { rows: new Map(), merges: [], links: new Map() };
  let [row, column, size, cells] = [-1, -1, 0, 0];
  let attributes: Readonly<Record<string, string>> = {};
  let [value, formula, hasFormula, field] = ['', '', false, ''];
  const finish = () => {
    if (hasFormula && value === '') book.told.uncalculated += 1;
    const shown =
      hasFormula && value === ''
        ? formula === ''
          ? ''
          : `=${formula}`
        : shownValue(book, attributes, value);
    if (shown.trim() === '' || size > MAX_TEXT || cells > MAX_CELLS) return;
    size += shown.length + 3;
    cells += 1;
    const found = facts.rows.get(row) ?? new Map<number, string>();
    facts.rows.set(row, found);
    found.set(column, shown);
  };
  const begin = (event: Extract<XmlEvent, { kind: 'open' }>) => {
    field = event.name;
    if (field === 'row') [row, column] = [numberOf(event.attributes.r, row + 2) - 1, -1];
    else if (field === 'c') {
      const place = placeOf(event.attributes.r ?? '');
      [attributes, value, formula, hasFormula] = [event.attributes, '', '', false];
      column = place?.column ?? column + 1;
      row = place?.row ?? row;
    } else if (field === 'f') hasFormula = true;
    else if (field === 'mergeCell' && facts.merges.length < MAX_MERGES)
      facts.merges.push(event.attributes.ref ?? '');
    else if (field === 'hyperlink')
      facts.links.set(event.attributes.ref ?? '', event.attributes['r:id'] ?? '');
  };
  const open: string[] = [];
  for (const event of xmlEvents(text)) {
    if (event.kind === 'open') {
      open.push(event.name);
      begin(event);
    } else if (event.kind === 'close') {
      if (open.pop() === 'c') finish();
    } else if (open.at(-1) === 'v' || (open.at(-1) === 't' && open.includes('is') && !open.includes('rPh')))
      value += event.text;
    else if (open.at(-1) === 'f') formula += event.text;
  }
  return facts;
}

function numberOf(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return text === undefined || !Number.isSafeInteger(number) || number < 1 ? otherwise : number;
}

/** Returns what a cell shows. */
function shownValue(
  { strings, formats, is1904 }: Book,
  { t = 'n', s = '0' }: Readonly<Record<string, string>>,
  value: string,
): string {
  if (t === 's') return strings[Number(value)] ?? '';
  if (t === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value;
  if (t === 'd') return value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
  const number = Number(value);
  if (t !== 'n' || value.trim() === '' || Number.isNaN(number)) return value;
  const format = formats[Number(s)];
  return format === undefined ? plainNumber(number) : formattedNumber(number, format, is1904);
}

interface Place {
  /** From 0. */
  readonly row: number;
  readonly column: number;
}

/** Returns the place that a reference such as `B3` names; null for none. */
function placeOf(reference: string): Place | null {
  const [, letters = '', digits = ''] = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::|$)/i.exec(reference) ?? [];
  if (digits === '') return null;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(digits) - 1, column: column - 1 };
}

/** The merged areas of a sheet that are followed, and the cells that they fill. */
const MAX_MERGES = 50_000;
const MAX_FILLED = 200_000;

/**
 * Fills merged cells: each row and each column is read by itself, so the value stands in all of them. In a row that has no other value
 * it stands once, as a title does.
 */
function merge({ rows, merges }: SheetFacts): void {
  let filled = 0;
  for (const reference of merges) {
    const [first, last] = [placeOf(reference), placeOf(reference.slice(reference.indexOf(':') + 1))];
    if (first === null || last === null || !reference.includes(':')) continue;
    const value = rows.get(first.row)?.get(first.column);
    const size = (last.row - first.row + 1) * (last.column - first.column + 1);
    if (value === undefined || size < 1 || filled + size > MAX_FILLED) continue;
    for (let row = first.row; row <= last.row; row += 1) {
      const cells = rows.get(row);
      // A row of nothing else stays blank.
      const others = [...(cells?.keys() ?? [])].some(
        (column) => column < first.column || column > last.column,
      );
      if (cells === undefined || !others) continue;
      for (let column = first.column; column <= last.column; column += 1) cells.set(column, value);
      filled += last.column - first.column + 1;
    }
  }
}

/** The blank cells from which a table is written as a list of its values, when it has one value in so many cells or fewer. */
const MANY_BLANKS = 10_000;
const FEW_VALUES = 50;
/** The tables that stand side by side. */
const MAX_BESIDE = 8;

/** Returns a cell as Markdown; `isStart` where a line begins with it. */
type Shown = (row: number, column: number, isStart: boolean) => string;

/** Converts rows to tables. A blank row ends a table. */
function tables(rows: ReadonlyMap<number, Row>, shown: Shown): Block[] {
  const blocks: Block[] = [];
  const numbers = [...rows.keys()].sort((one, other) => one - other);
  for (const group of runsOf(numbers)) {
    const columns = columnsOf(group, rows);
    const parts = partsOf(columns, group, rows);
    for (const part of parts)
      for (const block of tableBlocks(group, part, rows, shown, parts.length > 1)) blocks.push(block);
  }
  return blocks;
}

/** Parts sorted numbers where one is left out. */
function runsOf(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last.at(-1) === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs;
}

/** Returns the columns with a value in some of the rows. */
function columnsOf(numbers: readonly number[], rows: ReadonlyMap<number, Row>): number[] {
  const used = new Set<number>();
  for (const number of numbers) for (const column of rows.get(number)?.keys() ?? []) used.add(column);
  return [...used].sort((one, other) => one - other);
}

/**
 * Parts columns where a table ends and another one stands beside it: at a blank column, when both have two columns or more and begin
 * in different rows. Blank columns within a table are left out.
 */
function partsOf(
  columns: readonly number[],
  numbers: readonly number[],
  rows: ReadonlyMap<number, Row>,
): number[][] {
  const parts: { columns: number[]; first: number }[] = [];
  const firsts = new Map<number, number>();
  for (const number of numbers)
    for (const column of rows.get(number)?.keys() ?? []) if (!firsts.has(column)) firsts.set(column, number);
  for (const run of runsOf(columns)) {
    const first = run.reduce((least, column) => Math.min(least, firsts.get(column) ?? Infinity), Infinity);
    const last = parts.at(-1);
    if (last === undefined || (last.first !== first && last.columns.length > 1 && run.length > 1))
      parts.push({ columns: run, first });
    else last.columns.push(...run);
  }
  return parts.length > MAX_BESIDE ? [[...columns]] : parts.map((part) => part.columns);
}

/** @param isPart true when the rows have other columns, so that some may be blank in these */
function tableBlocks(
  all: readonly number[],
  columns: readonly number[],
  rows: ReadonlyMap<number, Row>,
  shown: Shown,
  isPart: boolean,
): Block[] {
  const numbers = isPart
    ? all.filter((number) => columns.some((column) => rows.get(number)?.has(column)))
    : all;
  const [first = 0] = columns;
  if (columns.length === 1) return [paragraph(numbers.map((number) => shown(number, first, true)))];
  const size = numbers.length * columns.length;
  const values = numbers.reduce((sum, number) => sum + (rows.get(number)?.size ?? 0), 0);
  if (size > MANY_BLANKS && values * FEW_VALUES < size) {
    const lines = numbers.flatMap((number) =>
      [...(rows.get(number)?.keys() ?? [])].map(
        (column) => `- ${letters(column)}${number + 1}: ${oneLine(shown(number, column, false))}`,
      ),
    );
    return [{ kind: 'list', lines }];
  }
  return officeTable(numbers.map((number) => columns.map((column) => shown(number, column, false))));
}

/** Returns the letters that a spreadsheet names a column by. */
function letters(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the comments of a sheet as a list. Threads of comments are also stored as old ones, whose text says so. */
function commentBlocks(file: OfficePackage, part: string): Block[] {
  const items: string[][] = [];
  const add = (reference: string, author: string, date: string, text: string) => {
    if (text.trim() !== '')
      items.push(
        item('-', [
          paragraph([`${literal(reference)}: ${commentHead(author, date)} ${literal(oneLine(text))}`]),
        ]),
      );
  };
  const threaded = new Set<string>();
  const thread = childAt(file.tree(file.related(part, 'threadedComment')), 'ThreadedComments');
  if (thread !== undefined) {
    const people = new Map(
      file.names
        .filter((name) => name.startsWith('xl/persons/') && name.endsWith('.xml'))
        .flatMap((name) => [...elementsBelow(file.tree(name), 'person')])
        .map(({ attributes: { id = '', displayName = '' } }) => [id, displayName]),
    );
    for (const one of childrenOf(thread, 'threadedComment')) {
      const { ref = '', personId = '', dT = '' } = one.attributes;
      threaded.add(ref);
      add(ref, people.get(personId) ?? '', dT, textIn(childAt(one, 'text')));
    }
  }
  const old = childAt(file.tree(file.related(part, 'comments')), 'comments');
  const authors = childrenOf(childAt(old, 'authors'), 'author').map(textIn);
  for (const one of childrenOf(childAt(old, 'commentList'), 'comment')) {
    const { ref = '', authorId = '' } = one.attributes;
    const text = [...elementsBelow(childAt(one, 'text'), 't', 'rPh')]
      .filter(({ name }) => name === 't')
      .map(textIn)
      .join('');
    const author = authors[Number(authorId)] ?? '';
    // Excel writes the author above the text as well.
    if (!threaded.has(ref))
      add(ref, author, '', text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text);
  }
  return items.length === 0 ? [] : [list(items)];
}

/** Returns the text boxes and charts of a sheet. */
function drawingBlocks({ file, told }: Book, part: string): Block[] {
  const drawing = file.related(part, 'drawing');
  if (drawing === '') return [];
  const tree = file.tree(drawing);
  told.pictures += [...elementsBelow(tree, 'xdr:pic')].length;
  const lines = [...elementsBelow(tree, 'xdr:txBody')].flatMap((box) => [...drawnParagraphs(box)]);
  const words = [...elementsBelow(tree, 'xdr:pic')].map((picture) => {
    const [described] = elementsBelow(picture, 'xdr:cNvPr');
    return pictureWords(described?.attributes.descr);
  });
  return [
    ...[...lines, ...words.filter((text) => text !== '')].map((text) => paragraph([literalStart(text)])),
    ...drawnParts(tree, file, file.relations(drawing)),
  ];
}
