import {
  type Block,
  cellOf,
  code,
  dedented,
  formulaBlock,
  leading,
  list,
  paragraph,
  quotation,
  tableOf,
} from './blocks';
import type { Inline } from './blocks';
import { inlineCode, literalStart, link, linkTarget, literal } from './markup';
import { separated } from './separated';

/** A directive as it is written, without its common indentation. */
export interface Directive {
  /** As it is written. */
  readonly name: string;
  /** The text behind the name, with the lines that continue it before the options. */
  readonly argument: readonly string[];
  readonly options: readonly (readonly [name: string, value: string])[];
  readonly content: readonly string[];
  /** All of its lines. */
  readonly source: readonly string[];
}

/** Converts what stands inside a directive. */
export interface RstParts {
  blocks(lines: readonly string[]): Block[];
  inline(text: string): Inline;
}

const OPTION = /^:(?![: ])((?:[^:\\]|\\.|:(?![ `]|$))+):(?: +|$)/;

/** Reads a directive. `lines` are those below its first line, which may be blank. */
export function directiveOf(
  name: string,
  rest: string,
  lines: readonly string[],
  source: readonly string[],
): Directive {
  const body = dedented(lines);
  let at = 0;
  while (at < body.length && (body[at] ?? '') !== '' && !OPTION.test(body[at] ?? '')) at += 1;
  const hasOptions = OPTION.test(body[at] ?? '');
  // Without options the lines below belong to the content.
  const argument = [rest, ...(hasOptions ? body.slice(0, at) : [])]
    .map((line) => line.trim())
    .filter(Boolean);
  if (!hasOptions) at = 0;
  const options: [string, string][] = [];
  for (; hasOptions && at < body.length && (body[at] ?? '') !== ''; at += 1) {
    const line = body[at] ?? '';
    const [mark, option] = OPTION.exec(line) ?? [];
    const last = options.at(-1);
    if (mark !== undefined && option !== undefined) options.push([option, line.slice(mark.length)]);
    else if (last !== undefined && leading(line) > 0) last[1] += ` ${line.trim()}`;
    else break;
  }
  return { name, argument, options, content: dedented(body.slice(at)), source };
}

const CODE =
  /^(?:code|code-block|sourcecode|code-cell|parsed-literal|prompt|ipython|graphviz|digraph|graph|mermaid|uml|plantuml|productionlist|doctest|testcode|testsetup|testcleanup|testoutput|raw)$/;
/** Directives that only the program that builds from the file can follow: they stay as they are written. */
const AS_WRITTEN =
  /^(?:contents|sectnum|section-numbering|include|literalinclude|role|default-role|highlight|index|target-notes|title|date|replace|unicode|currentmodule|class|tabularcolumns|auto\w+)$/;
/** Directives whose argument describes an object of a program. */
const SIGNATURE =
  /^(?:function|class|method|attribute|data|exception|module|option|envvar|describe|object|confval|program|cmdoption)$|:/;

/** Directives whose names are words of the document. */
const ADMONITION = /^(?:attention|caution|danger|error|hint|important|note|tip|warning)$/i;

/** Converts a directive. Everything that it says stays: what Markdown cannot express, as a block of code or as text. */
export function directiveBlocks(directive: Directive, parts: RstParts): Block[] {
  const { argument, options, content, source } = directive;
  const name = directive.name.toLowerCase();
  if (AS_WRITTEN.test(name)) return [code(source, 'rst')];
  if (CODE.test(name)) return codeBlocks(directive, parts);
  switch (name) {
    case 'math':
      return [...optionLine(options, []), ...formulas([...argument, '', ...content])];
    case 'meta':
      return [
        list(
          options.map(([one, value]) => [
            `- ${literal(one, { hasMath: true })}: ${literal(value, { hasMath: true })}`,
          ]),
        ),
        ...parts.blocks([...argument, '', ...content]),
      ];
    case 'image':
    case 'figure':
      return picture(directive, parts);
    case 'csv-table':
      return csvTable(directive, parts);
    case 'list-table':
      return listTable(directive, parts);
    case 'table':
      return [...titleOf(directive, parts), ...optionLine(options, []), ...parts.blocks(content)];
    case 'toctree':
      return [...optionLine(options, []), ...entries([...argument, ...content])];
    case 'rubric':
      return [...titleOf(directive, parts), ...optionLine(options, []), ...parts.blocks(content)];
    default:
      return [quotation(SIGNATURE.test(name) ? objectBlocks(directive, parts) : notice(directive, parts))];
  }
}

/** Returns the options as a line of code, without some that are shown in another way. */
function optionLine(options: Directive['options'], without: readonly string[]): Block[] {
  const shown = options.filter(([name]) => !without.includes(name));
  if (shown.length === 0) return [];
  return [paragraph([shown.map(([name, value]) => inlineCode(`:${name}: ${value}`.trim())).join(' ')])];
}

function text(source: string, parts: RstParts): Block[] {
  return source.trim() === '' ? [] : [paragraph(parts.inline(source).lines())];
}

function titleOf({ argument }: Directive, parts: RstParts): Block[] {
  const title = parts.inline(argument.join(' ')).shown();
  return title === '' ? [] : [paragraph([`**${literal(title, { hasMath: true })}**`])];
}

function option({ options }: Directive, name: string): string {
  return options.find(([one]) => one === name)?.[1] ?? '';
}

function codeBlocks(directive: Directive, parts: RstParts): Block[] {
  const { argument, options, content } = directive;
  const name = directive.name.toLowerCase();
  const language = argument.join(' ');
  const isLanguage = /^[\w+#.-]*$/.test(language);
  // Without content everything would vanish but the language.
  if (content.every((line) => line === '') && (options.length > 0 || argument.length > 0))
    return [code(directive.source, 'rst')];
  const own = /^(?:code|code-block|sourcecode|code-cell|raw)$/.test(name) ? '' : name;
  return [
    ...text(option(directive, 'caption'), parts),
    ...(isLanguage ? [] : [paragraph([literalStart(language)])]),
    ...optionLine(options, ['caption']),
    ...(content.some((line) => line !== '')
      ? [code(content, isLanguage && language !== '' ? language : own)]
      : []),
  ];
}

/** Returns a formula for each group of lines. */
function formulas(lines: readonly string[]): Block[] {
  const groups: string[][] = [[]];
  for (const line of lines)
    if (line.trim() === '') groups.push([]);
    else groups.at(-1)?.push(line);
  return groups.filter((group) => group.length > 0).map(formulaBlock);
}

function picture(directive: Directive, parts: RstParts): Block[] {
  const address = directive.argument.join('').trim();
  const alt = option(directive, 'alt').trim();
  const target = linkTarget(address);
  const shown = [alt, ...(target === null && address !== '' ? [`<${address}>`] : [])].join(' ').trim();
  const image = target === null ? literalStart(shown) : link(target, alt === '' ? address : alt);
  const to = linkTarget(option(directive, 'target'));
  const leads = to === null ? '' : ` (${link(to, to)})`;
  const known = ['alt', ...(to === null ? [] : ['target'])];
  return [
    ...(shown === '' && target === null ? [] : [paragraph([image + leads])]),
    ...optionLine(directive.options, known),
    ...parts.blocks(directive.content),
  ];
}

const DELIMITERS: Readonly<Record<string, string>> = { tab: '\t', space: ' ' };

function csvTable(directive: Directive, parts: RstParts): Block[] {
  const { options, content } = directive;
  const delim = option(directive, 'delim').trim();
  const quote = option(directive, 'quote').trim();
  const settings: CsvSettings = {
    delimiter: DELIMITERS[delim] ?? (delim === '' ? ',' : delim),
    quoteChar: quote === '' ? '"' : quote,
  };
  const head = option(directive, 'header');
  const source = head === '' ? content : [head, ...content];
  const values = trimmedValues(source, settings).join('\n');
  const { rows, broken } = separated(values, settings.delimiter, settings.quoteChar);
  const data = rows.filter((row) => row.some((value) => value.trim() !== ''));
  const title = titleOf(directive, parts);
  const rest = optionLine(options, ['header']);
  if (broken > 0 || data.length === 0)
    return data.length === 0 && options.length === 0 && title.length === 0
      ? [code(directive.source, 'rst')]
      : [...title, ...rest, ...(data.length === 0 ? [] : [code(source, 'csv')])];
  return [
    ...title,
    ...rest,
    ...tableOf(
      data.map((row) =>
        row.map((value) => cellOf(parts.blocks(value.split('\n').map((line) => line.trim())))),
      ),
    ),
  ];
}

/** Removes blanks between a delimiter and a quotation mark, as the directive does. */
function trimmedValues(lines: readonly string[], { delimiter, quoteChar }: CsvSettings): string[] {
  const [mark, quote] = [delimiter, quoteChar].map((one) => one.replace(/[^\w\s]/g, '\\$&'));
  const gap = new RegExp(`(?<=${mark}) +(?=${quote}(?:${quote}(?:${mark}|$)|(?!${quote})))`, 'g');
  return delimiter === ' ' ? [...lines] : lines.map((line) => line.replace(gap, ''));
}

interface CsvSettings {
  readonly delimiter: string;
  readonly quoteChar: string;
}

/** Converts a list of lists to a table; other content stays as it is. */
function listTable(directive: Directive, parts: RstParts): Block[] {
  const rows = itemsOf(directive.content)?.map((row) => itemsOf(row));
  const before = [...titleOf(directive, parts), ...optionLine(directive.options, [])];
  if (rows === undefined || !rows.every((row) => row !== null))
    return [...before, ...parts.blocks(directive.content)];
  return [...before, ...tableOf(rows.map((row) => row.map((cell) => cellOf(parts.blocks(cell)))))];
}

/** Returns the lines of each item when the lines are one bulleted list, else null. */
function itemsOf(lines: readonly string[]): string[][] | null {
  const items: string[][] = [];
  for (const line of dedented(lines)) {
    const mark = /^[-*+](?: +|$)/.exec(line)?.[0];
    if (mark !== undefined) items.push([' '.repeat(mark.length) + line.slice(mark.length)]);
    else if (line !== '' && (leading(line) === 0 || items.length === 0)) return null;
    else items.at(-1)?.push(line);
  }
  return items.length === 0 ? null : items.map((one) => dedented(one));
}

/** The documents that a table of contents names. */
function entries(lines: readonly string[]): Block[] {
  const filled = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (filled.length === 0) return [];
  return [
    list(
      filled.map((line) => {
        const [, title, named] = /^(.*\S)\s*<([^<>]+)>$/.exec(line) ?? [];
        const path = named ?? line;
        const target = documentTarget(path);
        return [`- ${target === null ? literalStart(line) : link(target, title ?? path)}`];
      }),
    ),
  ];
}

/** Returns the target of a link to a document, which is named without its extension; `/` is the folder of all documents. */
export function documentTarget(path: string): string | null {
  if (path.includes('*')) return null;
  return linkTarget(/^https?:|\.\w+$/.test(path) ? path : `${path.replace(/^\//, '')}.rst`);
}

/** Returns a heading word of the directive with its argument, and its content. */
function notice(directive: Directive, parts: RstParts): Block[] {
  const { name, argument, options, content } = directive;
  const shown = ADMONITION.test(name) ? name.charAt(0).toUpperCase() + name.slice(1).toLowerCase() : name;
  const label = `**${literal(shown)}**`;
  const isOneText = argument.length > 0 && (content[0] ?? '') !== '' && options.length === 0;
  // The text of a note may begin behind its name.
  const first = argument.length === 0 ? [] : parts.blocks(isOneText ? [...argument, ...content] : argument);
  const [lead, ...others] = first;
  const begins: Block[] =
    lead?.kind === 'paragraph'
      ? [paragraph([`${label} ${lead.lines[0] ?? ''}`, ...lead.lines.slice(1)]), ...others]
      : [paragraph([label]), ...first];
  return [...begins, ...optionLine(options, []), ...(isOneText ? [] : parts.blocks(content))];
}

/** Returns the signatures of an object of a program, and its description. */
function objectBlocks({ name, argument, options, content }: Directive, parts: RstParts): Block[] {
  // Signatures may follow one another up to a blank line.
  let at = 0;
  if (options.length === 0) while (at < content.length && (content[at] ?? '') !== '') at += 1;
  const signatures = [...argument, ...content.slice(0, at)].map((one) => one.trim());
  const [first = '', ...more] = signatures.map((one) => inlineCode(one));
  return [
    paragraph([`**${literal(name)}** ${first}`.trimEnd(), ...more]),
    ...optionLine(options, []),
    ...parts.blocks(content.slice(at)),
  ];
}
