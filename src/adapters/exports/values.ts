import { BrainError } from '../../core/base/errors';
import { isRecord, parsedJson } from '../../core/base/json';
import { decode, decodeHtml } from '../document-program/decode';
import { readWholeHtml } from '../document-program/html';
import { linesToMarkdown, linkTarget, literal } from '../document-program/markup';
import { fileEmbed, fileLink, type Made, noteLink, type Properties, type Tree, type TreeFile } from './tree';

/** The largest file that is parsed as a whole (bytes). */
const MAX_PARSED = 200 * 1024 * 1024;
/** The files of which a dialect reads the beginning to recognise an export. */
const MAX_SAMPLES = 20;
/** The bytes at the beginning of a file that tell its format. */
const SAMPLE = 16 * 1024;

/** The folders of a tree and the files directly in each; one list for all dialects. */
const foldersOf = new WeakMap<Tree, ReadonlyMap<string, readonly TreeFile[]>>();

/** Returns the folders of a tree, each with the files directly in it. */
export function foldersIn(tree: Tree): ReadonlyMap<string, readonly TreeFile[]> {
  const known = foldersOf.get(tree);
  if (known !== undefined) return known;
  const folders = new Map<string, TreeFile[]>();
  for (const file of tree.files) {
    const folder = folderOf(file.place);
    const files = folders.get(folder);
    if (files === undefined) folders.set(folder, [file]);
    else files.push(file);
  }
  foldersOf.set(tree, folders);
  return folders;
}

/** Returns the files directly in a folder. */
export function filesIn(tree: Tree, folder: string): readonly TreeFile[] {
  return foldersIn(tree).get(folder) ?? [];
}

/** Returns the files in a folder and in its folders. */
export function* filesBelow(tree: Tree, folder: string): Generator<TreeFile> {
  for (const [name, files] of foldersIn(tree))
    if (folder === '' || name === folder || name.startsWith(`${folder}/`)) yield* files;
}

/** Returns the folder of a place; '' at the top. */
export function folderOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')));
}

/** Returns the last name of a place. */
export function baseOf(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1);
}

/** Returns the last name of a place without its extension. */
export function stemOf(place: string): string {
  return baseOf(place).replace(/(?<=.)\.[^.]*$/, '');
}

/** Returns a place in a folder. */
export function under(...names: readonly string[]): string {
  return names.filter(Boolean).join('/');
}

/** The characters of the name of a made file at most. */
const MAX_NAME = 100;

/** Returns the name of a note by its title: one line, of one folder. `other` is for a note without a title. */
export function nameBy(title: string, other = 'Untitled'): string {
  const name = oneLine(title).replace(/\s*\/\s*/g, '-');
  if (name.length <= MAX_NAME) return name || other;
  return `${name
    .slice(0, MAX_NAME)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/\s+\S*$/, '')}…`;
}

/** Returns the beginning of a file as text, whatever its bytes are. */
export async function headOf(tree: Tree, file: TreeFile): Promise<string> {
  return new TextDecoder().decode(await tree.bytes(file, SAMPLE));
}

/** Returns the folders of the files whose beginning a format has; at most the first 20 files are read. */
export async function foldersWith(
  tree: Tree,
  isNamed: (place: string) => boolean,
  isOf: (head: string, file: TreeFile) => boolean,
): Promise<string[]> {
  const folders = new Set<string>();
  let read = 0;
  for (const file of tree.files) {
    const folder = folderOf(file.place);
    if (folders.has(folder) || !isNamed(file.place)) continue;
    if ((read += 1) > MAX_SAMPLES) break;
    if (isOf(await headOf(tree, file), file)) folders.add(folder);
  }
  return [...folders];
}

/** Reads a file of text; null for one that is no text, or too large to be read as one. */
export async function textIn(tree: Tree, file: TreeFile): Promise<string | null> {
  if (file.size > MAX_PARSED) return null;
  const bytes = await tree.bytes(file);
  try {
    return (/\.html?$/i.test(file.place) ? decodeHtml : decode)(bytes, baseOf(file.place)).text;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}

/** A JSON file that was read. */
export interface Parsed {
  /** Undefined for one that cannot be read. */
  readonly value: unknown;
  /** What was lost of it. */
  readonly warnings: readonly string[];
}

/** Reads a JSON file. Of one that is cut off the values before the cut are taken. */
export async function jsonIn(tree: Tree, file: TreeFile): Promise<Parsed> {
  const name = baseOf(file.place);
  if (file.size > MAX_PARSED)
    return {
      value: undefined,
      warnings: [`${name} is larger than 200 MiB, the most that is read as one. It is kept as it is.`],
    };
  const text = new TextDecoder().decode(await tree.bytes(file));
  const value = parsedJson(text);
  if (value !== undefined) return { value, warnings: [] };
  const rest = parsedJson(beforeDamage(text));
  if (rest === undefined)
    return { value: undefined, warnings: [`${name} is damaged: it is no JSON. It is kept as it is.`] };
  return {
    value: rest,
    warnings: [`${name} is damaged: what follows the damage was not read. Compare with a new export.`],
  };
}

/** Returns JSON up to its last whole value before what is wrong, with the brackets closed that are open there. */
function beforeDamage(text: string): string {
  const open: string[] = [];
  let [end, depth, before] = [0, 0, ''];
  const token = /[ \t\r\n]*([[\]{},:"]|[\w.+-]+)/y;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const mark = found[1] ?? '';
    const from = token.lastIndex - mark.length;
    if (mark === '"') token.lastIndex = endOfString(text, token.lastIndex);
    const isKey = mark === '"' && open.at(-1) === '}' && before !== ':';
    before = mark;
    if (isKey || mark === ',' || mark === ':') continue;
    if (mark === '[' || mark === '{') open.push(mark === '[' ? ']' : '}');
    else if (mark === ']' || mark === '}') {
      if (open.pop() !== mark) break;
    } else if (parsedJson(text.slice(from, token.lastIndex)) === undefined) break;
    [end, depth] = [token.lastIndex, open.length];
    if (depth === 0) break;
  }
  return text.slice(0, end) + open.slice(0, depth).reverse().join('');
}

/** Returns the place behind a string of JSON by the place behind its first mark; the end of the text for one that does not end. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slash = at;
    while (slash > from && text.charAt(slash - 1) === '\\') slash -= 1;
    if ((at - slash) % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Returns an object; one without keys for any other value. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Returns the items of a list; none for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the objects in a list. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return listOf(value).filter(isRecord);
}

/** Returns a text, or a number as one; '' for any other value. */
export function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : '';
}

/** Returns a text on one line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\0]+/g, ' ').trim();
}

/** Returns text on one line as Markdown that shows its letters. */
export function shown(value: unknown): string {
  return literal(oneLine(textOf(value)));
}

/** Returns text as Markdown that shows its letters, line by line. */
export function plain(text: string): string {
  return [...linesToMarkdown(text.replace(/\r\n?/g, '\n').split('\n'))].join('').trim();
}

/** Joins blocks of Markdown by blank lines, without those that are empty. */
export function blocks(...all: readonly string[]): string {
  return all.filter((one) => one.trim() !== '').join('\n\n');
}

/**
 * Returns a time by RFC 3339, in UTC where it is a number; '' for what is no time. A text without a time zone becomes its day.
 * @param perSecond the units of a number in a second
 */
export function timeOf(value: unknown, perSecond = 1000): string {
  if (typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)))
    return Number(value) === 0 ? '' : isoOf(new Date((Number(value) / perSecond) * 1000));
  if (typeof value !== 'string') return '';
  const [, day = '', clock, zone] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?/.exec(
      value.trim(),
    ) ?? [];
  if (isoOf(new Date(day)) === '') return '';
  if (clock === undefined || zone === undefined) return day;
  const offset = /^[ZU]/.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  return isoOf(new Date(`${day}T${clock.padEnd(8, ':00')}${offset}`));
}

function isoOf(date: Date): string {
  const isKnown =
    !Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0 && date.getUTCFullYear() < 10_000;
  return isKnown ? date.toISOString().replace(/\.\d+Z$/, 'Z') : '';
}

/** Returns properties without those that say nothing: empty texts and lists, and false. */
export function known(all: Properties): Properties {
  const isSaid = (value: Properties[string]): boolean =>
    typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value !== false;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => isSaid(value)));
}

/** Returns names as tags of Obsidian, each once: letters, digits, `-`, `_` and `/`, and not digits alone. */
export function tagsOf(names: readonly unknown[]): string[] {
  const tags = names.map((name) => {
    const tag = oneLine(textOf(name).replace(/^#+/, ''))
      .replace(/[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}_/-]+/gu, '-')
      .replace(/^[-/]+|[-/]+$/g, '');
    return /^[\d/_-]+$/.test(tag) ? `${tag}_` : tag;
  });
  return [...new Set(tags.filter(Boolean))];
}

/** Returns a link to an address with words, or the words alone for an address that is none of the web. */
export function webLink(address: string, words = ''): string {
  const target = /^(?:https?|mailto):/i.test(address) ? linkTarget(address) : null;
  const text = oneLine(words);
  if (target === null) return literal(text || oneLine(address));
  return text === '' || text === address
    ? `<${target}>`
    : `[${literal(text, { isLink: true, hasMath: true })}](${target})`;
}

/** Kinds of files that Obsidian shows in a note. */
const SHOWN =
  /\.(?:png|jpe?g|gif|webp|avif|bmp|svg|mp3|m4a|aac|ogg|oga|opus|wav|flac|3gp|mp4|m4v|mov|webm|ogv|mkv|pdf)$/i;

/** Returns the embed of a file that Obsidian shows, or the link to any other file. */
export function attached(place: string, words = ''): string {
  return SHOWN.test(place) ? fileEmbed(place) : fileLink(place, words);
}

/**
 * Returns HTML that a program has exported as Markdown.
 * @param fileOf returns the place of the file that an address means, or null
 * @param noteOf returns the id of the note that an address means, or null
 */
export function htmlToMarkdown(
  html: string,
  fileOf: (address: string) => string | null,
  noteOf: (address: string) => string | null = () => null,
): { markdown: string; title: string } {
  return readWholeHtml(html, (address, words, isShown) => {
    const place = fileOf(address);
    if (place !== null) return isShown ? attached(place, words) : fileLink(place, words);
    const id = noteOf(address);
    if (id !== null) return noteLink(id, words);
    if (!isShown) return null;
    const target = /^https?:/i.test(address) ? linkTarget(address) : null;
    return target === null ? null : `![${words}](${target})`;
  });
}

/** Returns a function that finds the file that an address in a file of a folder means. */
export function filesFrom(tree: Tree, folder: string): (address: string) => string | null {
  const places = placesIn(tree);
  return (address) => {
    if (/^[a-z][\w+.-]*:|^[#/]|^$/i.test(address)) return null;
    const names = under(folder, decodedOf(address).replace(/[?#].*$/, '')).split('/');
    const path: string[] = [];
    for (const name of names)
      if (name === '..') path.pop();
      else if (name !== '.' && name !== '') path.push(name);
    const place = path.join('/');
    return places.has(place) ? place : null;
  };
}

const placeSets = new WeakMap<Tree, ReadonlySet<string>>();

/** Returns the places of all files of a tree. */
export function placesIn(tree: Tree): ReadonlySet<string> {
  const known = placeSets.get(tree) ?? new Set(tree.files.map(({ place }) => place));
  placeSets.set(tree, known);
  return known;
}

function decodedOf(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Returns what is left of a file or of a part of it, with the reason. */
export function left(from: string, why: string, part = ''): Made {
  return { kind: 'left', from, why, ...(part !== '' && { part: oneLine(part).slice(0, MAX_NAME) }) };
}

/**
 * Returns the plain text of a note as Markdown that shows its letters. Boxes of tasks stay, and so does what a pattern finds.
 * @param change returns the Markdown for what the pattern found, by its groups
 */
export function plainNote(
  text: string,
  pattern?: RegExp,
  change: (...groups: (string | undefined)[]) => string = () => '',
): string {
  const found: string[] = [];
  // Marks for private use stand for what was found while the text around it is escaped.
  const marked = text.replace(/[\ue010\ue011]/g, '');
  const parted =
    pattern === undefined
      ? marked
      : marked.replace(pattern, (...groups: (string | undefined)[]) => {
          found.push(change(...groups));
          return `\ue010${found.length - 1}\ue011`;
        });
  return plain(parted)
    .replace(/^(\s*[-*+] +)\\\[([ xX])\\?\](?= )/gm, '$1[$2]')
    .replace(/\ue010(\d+)\ue011/g, (_, at: string) => found[Number(at)] ?? '');
}
