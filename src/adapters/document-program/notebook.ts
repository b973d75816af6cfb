import { isRecord, parsedJson } from '../../core/base/json';
import { closed, OwnLabels } from './closed';
import { readHtml } from './html';
import { jsonBlock, readJson } from './json';
import { CUT_WARNING, fenced, joinWithin, withoutTerminalCodes } from './markup';
import type { ReadText } from './protocol';

/** The text that is taken from one output of a cell (UTF-16 units). */
const MAX_OUTPUT = 20_000;

/**
 * Converts a Jupyter notebook (nbformat 3 and 4) to Markdown: its Markdown as it is, code and outputs in blocks of code, tables of
 * outputs as tables. Pictures are left out, with a warning. A file that is no notebook is read as JSON.
 */
export function readNotebook(text: string): ReadText {
  const notebook = parsedJson(text);
  const cells = cellsOf(notebook);
  if (!isRecord(notebook) || cells === null) {
    const read = readJson(text);
    const why = 'The file is no notebook, as it has no cells; its text was taken as JSON.';
    return notebook === undefined ? read : { ...read, warnings: [why, ...read.warnings] };
  }
  const reader = new CellReader(languageOf(notebook));
  const { text: markdown, isCut } = joinWithin(reader.pieces(cells));
  const title = titleOf(notebook) || reader.title;
  const author = authorsOf(notebook);
  return {
    markdown,
    ...(title !== '' && { title }),
    ...(author !== '' && { properties: { author } }),
    warnings: isCut ? [...reader.warnings, CUT_WARNING] : reader.warnings,
  };
}

function cellsOf(notebook: unknown): readonly unknown[] | null {
  if (!isRecord(notebook)) return null;
  if (Array.isArray(notebook.cells)) return notebook.cells as unknown[];
  if (!Array.isArray(notebook.worksheets)) return null;
  return notebook.worksheets.flatMap((sheet: unknown) =>
    isRecord(sheet) && Array.isArray(sheet.cells) ? (sheet.cells as unknown[]) : [],
  );
}

/** Returns a text that a notebook holds as one string or as a list of lines. */
function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join('') : '';
}

function languageOf({ metadata }: Record<string, unknown>): string {
  if (!isRecord(metadata)) return '';
  const { kernelspec, language_info: info } = metadata;
  const names = [isRecord(kernelspec) && kernelspec.language, isRecord(info) && info.name];
  return names.map(languageName).find((name) => name !== '') ?? '';
}

/** Returns the name of a language for a block of code; empty for what is none. */
function languageName(name: unknown): string {
  return typeof name === 'string' && /^[\w+#.-]{1,40}$/.test(name) ? name.toLowerCase() : '';
}

function titleOf({ metadata }: Record<string, unknown>): string {
  return isRecord(metadata) && typeof metadata.title === 'string' ? oneLine(metadata.title) : '';
}

function authorsOf({ metadata }: Record<string, unknown>): string {
  const authors: readonly unknown[] =
    isRecord(metadata) && Array.isArray(metadata.authors) ? metadata.authors : [];
  return authors
    .flatMap((one) => (isRecord(one) && typeof one.name === 'string' ? [oneLine(one.name)] : []))
    .filter((name) => name !== '')
    .join(', ');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A picture in Markdown whose data is in the notebook. */
const PICTURE = /!\[([^\][]{0,1000})\]\((?:attachment|data):([^()\s]*)(?:\s+"[^"]{0,1000}")?\)/gi;
const HTML_PICTURE = /<img\s[^<>]*>/gi;
/** The source of a picture in HTML whose data is in the notebook. */
const OWN_SOURCE = /\ssrc=["']?(?:attachment|data):/i;
/** The definition of a picture whose data is in the notebook, and a picture by a definition. */
const DEFINITION = /^ {0,3}\[([^\][]{1,1000})\]:[ \t]*<?(?:attachment|data):.*$/gim;
const REFERENCE = /!\[([^\][]{0,1000})\]\[([^\][]{0,1000})\]/g;
/** The languages of raw cells. */
const RAW = new Map([
  ['text/markdown', 'markdown'],
  ['text/html', 'html'],
  ['text/latex', 'latex'],
  ['text/restructuredtext', 'rst'],
  ['text/x-rst', 'rst'],
  ['text/yaml', 'yaml'],
]);

/** Converts cells one after another, and counts what is left out. */
class CellReader {
  /** The first heading. */
  title = '';
  #pictures = 0;
  #cut = 0;
  readonly #labels = new OwnLabels();

  constructor(private readonly language: string) {}

  get warnings(): string[] {
    const all: string[] = [];
    if (this.#pictures > 0)
      all.push(
        this.#pictures === 1
          ? 'A picture or other output is no text and was left out; the kept original has it.'
          : `${this.#pictures} pictures and other outputs are no text and were left out; the kept original has them.`,
      );
    if (this.#cut > 0)
      all.push(
        `${this.#cut === 1 ? 'One output has' : `${this.#cut} outputs have`} more than ${MAX_OUTPUT.toLocaleString('en')} characters and ${this.#cut === 1 ? 'was' : 'were'} cut; the kept original has all of it.`,
      );
    return all;
  }

  *pieces(cells: readonly unknown[]): Generator<string> {
    for (const cell of cells) {
      if (!isRecord(cell)) continue;
      for (const piece of this.#cell(cell)) if (piece.trim() !== '') yield `${piece.replace(/\n+$/, '')}\n\n`;
    }
  }

  *#cell(cell: Record<string, unknown>): Generator<string> {
    const source = joined(cell.source ?? cell.input);
    switch (cell.cell_type) {
      case 'code':
        yield fencedOrNone(source, languageName(cell.language) || this.language);
        for (const output of Array.isArray(cell.outputs) ? (cell.outputs as unknown[]) : [])
          if (isRecord(output)) yield* this.#output(output);
        return;
      case 'markdown':
        yield this.#markdown(source);
        return;
      case 'heading':
        yield this.#markdown(
          `${'#'.repeat(Math.min(6, Math.max(1, Number(cell.level) || 1)))} ${oneLine(source)}`,
        );
        return;
      case 'html':
        yield readHtml(source).markdown;
        return;
      default:
        yield fencedOrNone(source, rawLanguage(cell.metadata));
    }
  }

  #markdown(source: string): string {
    const labels = new Set(Array.from(source.matchAll(DEFINITION), ([, label = '']) => label.toLowerCase()));
    const text = closed(source, (line) =>
      line
        .replace(DEFINITION, '')
        .replace(PICTURE, (_, words: string, name: string) => this.#leaveOut(words, name))
        .replace(HTML_PICTURE, (tag) =>
          OWN_SOURCE.test(tag) ? this.#leaveOut(/\balt=["']([^"']*)/i.exec(tag)?.[1] ?? '', '') : tag,
        )
        .replace(REFERENCE, (whole, words: string, label: string) =>
          labels.has((label || words).toLowerCase()) ? this.#leaveOut(words, label) : whole,
        ),
    );
    if (this.title === '') this.title = headingOf(text);
    return this.#labels.in(text);
  }

  /** Counts a picture, and returns its description, or the name of its file. */
  #leaveOut(words: string, name: string): string {
    this.#pictures += 1;
    return words.trim() || (/^[\w.-]{1,100}$/.test(name) ? `*${name}*` : '');
  }

  *#output(output: Record<string, unknown>): Generator<string> {
    switch (output.output_type) {
      case 'stream':
        yield this.#printed(joined(output.text));
        return;
      case 'error':
      case 'pyerr': {
        const trace = Array.isArray(output.traceback)
          ? output.traceback.filter((one) => typeof one === 'string').join('\n')
          : joined(output.traceback);
        yield this.#printed(trace || `${joined(output.ename)}: ${joined(output.evalue)}`);
        return;
      }
      default:
        yield this.#shown(bundleOf(output));
    }
  }

  /** Converts the richest text of an output that has several forms. */
  #shown(forms: ReadonlyMap<string, unknown>): string {
    const of = (type: string) => joined(forms.get(type));
    const [html, plainText] = [of('text/html'), of('text/plain')];
    const markdown = of('text/markdown');
    if (markdown.trim() !== '') return this.#within(markdown, (text) => this.#markdown(text));
    if (/<table[\s>]/i.test(html)) return readHtml(html).markdown;
    const isName = /^\s*<[^<>]*>\s*$/.test(plainText);
    if (plainText.trim() !== '' && !(isName && html.trim() !== '')) {
      if (isName && [...forms.keys()].some((type) => /^(?:image|audio|video)\//.test(type)))
        this.#pictures += 1;
      return this.#printed(plainText);
    }
    const shown = html.trim() === '' ? '' : readHtml(html).markdown;
    if (shown.trim() !== '') return shown;
    if (plainText.trim() !== '') return this.#printed(plainText);
    if (of('text/latex').trim() !== '') return this.#printed(of('text/latex'));
    const json = forms.get('application/json');
    if (json !== undefined) return this.#within(JSON.stringify(json), (text) => jsonBlock(text).markdown);
    if (forms.size > 0) this.#pictures += 1;
    return '';
  }

  #printed(text: string): string {
    return this.#within(overwritten(withoutTerminalCodes(text)), (part) => fencedOrNone(part, 'text'));
  }

  /** Converts a text up to the limit of an output. */
  #within(text: string, convert: (text: string) => string): string {
    if (text.length <= MAX_OUTPUT) return convert(text);
    this.#cut += 1;
    const part = text.slice(0, MAX_OUTPUT).replace(/[\ud800-\udbff]$/, '');
    return convert(part);
  }
}

function fencedOrNone(text: string, language: string): string {
  return text.trim() === '' ? '' : fenced(text, language).markdown;
}

function rawLanguage(metadata: unknown): string {
  const type = isRecord(metadata) ? (metadata.raw_mimetype ?? metadata.format) : undefined;
  return RAW.get(String(type)) ?? 'text';
}

/** Returns the forms of an output by their media types; those of nbformat 3 have short names. */
function bundleOf(output: Record<string, unknown>): ReadonlyMap<string, unknown> {
  if (isRecord(output.data)) return new Map(Object.entries(output.data));
  return new Map(
    Object.entries(output).flatMap(([key, value]) => {
      const type = SHORT_NAMES.get(key);
      return type === undefined ? [] : [[type, value] as const];
    }),
  );
}

const SHORT_NAMES = new Map([
  ['text', 'text/plain'],
  ['html', 'text/html'],
  ['latex', 'text/latex'],
  ['markdown', 'text/markdown'],
  ['json', 'application/json'],
  ['javascript', 'application/javascript'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
]);

/** Returns the text that a terminal shows: a carriage return begins its line anew, as bars of progress do. */
function overwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .split(/\r?\n/)
    .map(
      (line) =>
        line
          .split('\r')
          .filter((part) => part.trim() !== '')
          .at(-1) ?? '',
    )
    .join('\n');
}

/** Returns the words of the first heading in Markdown; empty without one. */
function headingOf(markdown: string): string {
  let [found, before] = ['', ''];
  closed(markdown, (line) => {
    const [, text = ''] = /^ {0,3}#{1,6}\s+(.*)$/.exec(line) ?? [];
    const isUnderline = /^ {0,3}=+\s*$/.test(line) && /^ {0,3}[\p{L}\p{N}]/u.test(before);
    if (found === '') found = plain(isUnderline ? before : text);
    before = line;
    return line;
  });
  return found;
}

/** The part of a heading that is read as a title (UTF-16 units). */
const MAX_HEADING = 500;

/** Returns the words of a line of Markdown. */
function plain(heading: string): string {
  return oneLine(
    heading
      .slice(0, MAX_HEADING)
      .replace(/!?\[([^\]]*)\]\([^()]*\)/g, '$1')
      .replace(/<[^<>]*>|[*`\\]/g, '')
      .replace(/\s#+\s*$/, ''),
  );
}
