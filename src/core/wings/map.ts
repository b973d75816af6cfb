import { type Sha, sha256 } from '../base/hash';
import { compareText as compare } from '../base/text';
import type { HallSection } from '../catalog/wing-shelf';
import { historyPath } from '../storage/history';
import { parseNote } from '../frontmatter/parse';
import { dashed, HALL_TITLES, HALLS, type Wing, wingIndexPath } from '../vocabulary/address';
import { linkPath } from '../vocabulary/paths';

const START = '<!-- brain:index:start -->';
const END = '<!-- brain:index:end -->';
const NO_NOTES = '_No notes yet._';
const TUNNELS = '## Tunnels';

/** The contents of the map of one wing. */
export interface WingContents {
  readonly wing: Wing;
  /** The name of a new wing as it was written; by default the name of its folder. */
  readonly title?: string | undefined;
  readonly halls: readonly HallSection[];
  /** The number of tunnels to each other wing. */
  readonly tunnels: ReadonlyMap<Wing, number>;
}

/** Returns the lines between the markers. Equal contents give equal bytes: there are no times, and all orders are total. */
function wingRegion({ halls, tunnels }: WingContents): string {
  const parts = [START];
  for (const { hall, count, text } of halls) parts.push(`## ${HALL_TITLES[hall]} (${count})`, text);
  if (halls.length === 0) parts.push(NO_NOTES);
  const joined = [...tunnels].sort(([a], [b]) => compare(a, b));
  if (joined.length > 0) parts.push(TUNNELS);
  for (const [wing, count] of joined) parts.push(`- [[${linkPath(wingIndexPath(wing))}|${wing}]] (${count})`);
  parts.push(END);
  return parts.join('\n');
}

/** The text of a map, with facts for its writer. */
interface WingMap {
  readonly text: string;
  readonly warning: string | null;
  /** True when a person has written into it. */
  readonly handWritten: boolean;
  /** The hash of the former text, which must be archived before the replacement, because parts of it may be a person's. */
  readonly archive?: Sha;
}

/**
 * Returns the whole `_index.md`: a new one, or `current` with its managed region replaced and every byte outside it unchanged.
 * A truncated map is completed. When it has a row that the new one lacks, which a person may have written, the result has a
 * warning and asks for archiving. A file without markers gets the region appended; so does one with a person's text after an
 * unclosed region, with a warning.
 */
export function wingIndexText(current: string | null, contents: WingContents): WingMap {
  const region = wingRegion(contents);
  const { wing } = contents;
  if (current === null || isEmptyMap(current) || isCutHead(wing, current)) {
    const head = skeletonHead(wing, mapTitle(current ?? '') ?? contents.title);
    return { text: `${head}${region}\n`, warning: null, handWritten: false };
  }
  const old = regionOf(current);
  if (old === null) {
    const warning = current.includes(START)
      ? 'The index region had a start but no end; a new one was appended and nothing was deleted.'
      : null;
    const gap = current.endsWith('\n\n') ? '' : current.endsWith('\n') ? '\n' : '\n\n';
    return { text: `${current}${gap}${region}\n`, warning, handWritten: true };
  }
  const before = headOf(wing, current.slice(0, old.from));
  const isMade = before === skeletonHead(wing, mapTitle(before) ?? wing);
  const rest = current.slice(old.to);
  // A generated map ends with a line feed, which may be truncated as well.
  const after = rest === '' && (old.isCut || isMade) ? '\n' : rest;
  const map = { text: before + region + after, handWritten: !isMade || after !== '\n' };
  if (!old.isCut || isMadeAgain(current.slice(old.from), region)) return { ...map, warning: null };
  const hash = sha256(current);
  return { ...map, warning: replacedWarning(hash), archive: hash };
}

/** Returns the range of the region in a map, which ends with the map when it is truncated; null without a region to replace. */
function regionOf(map: string): { from: number; to: number; isCut: boolean } | null {
  const first = map.indexOf(START);
  const end = first < 0 ? -1 : map.indexOf(END, first);
  const cut = end < 0 ? cutRegionAt(map) : -1;
  if (end < 0) return cut < 0 ? null : { from: cut, to: map.length, isCut: true };
  // The last of several start markers opens the region: text after an unclosed one is a person's. The search runs forwards,
  // which takes a tenth of the time.
  let from = first;
  for (let next = first; next >= 0 && next < end; next = map.indexOf(START, next + 1)) from = next;
  return { from, to: end + END.length, isCut: false };
}

/**
 * Returns true for a map without content: truncated before its first byte, or zeros of a disk that recorded only the length.
 */
export function isEmptyMap(map: string): boolean {
  return /^[\s\0]*$/.test(map);
}

/** Returns true for a map that the service maintains: it has the markers, or is the beginning of a new map. */
export function isOurMap(wing: Wing, map: string): boolean {
  return map.includes(START) || isCutHead(wing, map);
}

/** Returns true for a generated map that was truncated by a crash: all of it can be made again. */
export function isCutMap(wing: Wing, map: string): boolean {
  return isCutHead(wing, map) || cutRegionAt(map) >= 0;
}

function isCutHead(wing: Wing, map: string): boolean {
  const title = mapTitle(map) ?? wing;
  return (
    (dashed(title) === wing && `${skeletonHead(wing, title)}${START}`.startsWith(map)) ||
    `${skeletonHead(wing)}${START}`.startsWith(map)
  );
}

/** Returns the title of a map: its property, or the heading with which its text begins; null without one. */
export function mapTitle(map: string): string | null {
  const { frontmatter, body } = parseNote(map);
  if (typeof frontmatter.title === 'string' && frontmatter.title !== '') return frontmatter.title;
  return /^\s*# ([^\n]*\S)[ \t\r]*\n/.exec(body)?.[1] ?? null;
}

/** Returns the start of an unclosed region in which nobody but the service has written; -1 when there is none. */
function cutRegionAt(map: string): number {
  const start = map.lastIndexOf(START);
  if (start < 0) return -1;
  const [beside = '', ...lines] = map.slice(start + START.length).split('\n');
  const last = lines.pop() ?? '';
  return beside === '' && lines.every(isOurLine) && beginsOurLine(last) ? start : -1;
}

/** Returns true when the new region has everything in the truncated one, except old counts. */
function isMadeAgain(cut: string, region: string): boolean {
  const made = region.split('\n');
  const whole = new Set(made);
  const lines = cut.split('\n');
  const last = lines.pop() ?? '';
  return (
    lines.every((line) => whole.has(line) || isOurFrame(line)) &&
    (beginsOurFrame(last) || made.some((line) => line.startsWith(last)))
  );
}

function replacedWarning(former: Sha): string {
  return `The index region had a start but no end and was made anew. Some of its lines may have been written by hand; the former index is kept as .brain/${historyPath(former)}.`;
}

const TITLES = HALLS.map((hall) => `## ${HALL_TITLES[hall]} (`);
const ROW = '- [[wiki/';
/** Matches a note with or without an excerpt, or a wing with its number of tunnels. */
const WHOLE_ROW = /^- \[\[wiki\/[^[\]|]+\|[^[\]|]*\]\](?: — .*| \(\d+\))?$/;

function isOurLine(line: string): boolean {
  return isOurFrame(line) || WHOLE_ROW.test(line);
}

/** Returns true for a line of a region that is no row. */
function isOurFrame(line: string): boolean {
  const isTitle = TITLES.some((title) => line.startsWith(title) && /^\d+\)$/.test(line.slice(title.length)));
  return isTitle || line === NO_NOTES || line === TUNNELS;
}

function beginsOurLine(text: string): boolean {
  return text.startsWith(ROW) || beginsOurFrame(text);
}

/** Returns true for the beginning of a line that is no row, or of a row before the text of a note. */
function beginsOurFrame(text: string): boolean {
  const isTitle = TITLES.some((title) => text.startsWith(title) && /^\d*\)?$/.test(text.slice(title.length)));
  return isTitle || [...TITLES, NO_NOTES, TUNNELS, ROW, END].some((line) => line.startsWith(text));
}

function skeletonHead(wing: string, title = wing): string {
  return `---\ntype: index\nwing: ${/^[\p{L}][\p{L}\p{M}\p{N}-]*$/u.test(wing) && !YAML_WORD.test(wing) ? wing : JSON.stringify(wing)}\n---\n# ${title}\n\n`;
}

/**
 * Returns the head of a map. A generated head gets the new name after a move of the folder; one that a person edited is
 * unchanged.
 */
function headOf(wing: Wing, written: string): string {
  const name = /\n# ([^\n]+)\n\n$/.exec(written)?.[1];
  return name !== undefined && written === skeletonHead(name) ? skeletonHead(wing) : written;
}

/** Matches words that YAML reads as something other than text. */
const YAML_WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
