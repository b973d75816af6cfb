import { historyPath } from '../history-store';
import { wingIndexPath, type Wing } from '../rules/address';
import { HALL_TITLES, HALLS } from '../rules/hall';
import { type Sha, sha256 } from '../rules/hash';
import { linkPath } from '../rules/paths';
import { compareText as compare } from '../rules/text';
import type { HallLines } from './wing-shelf';

const START = '<!-- brain:index:start -->';
const END = '<!-- brain:index:end -->';
const NO_NOTES = '_No notes yet._';
const TUNNELS = '## Tunnels';

/** What the map of one wing is made from. */
export interface WingContents {
  readonly wing: Wing;
  readonly halls: readonly HallLines[];
  /** Other wings that a tunnel joins to this one, and how many tunnels do. */
  readonly tunnels: ReadonlyMap<Wing, number>;
}

/** The lines between the markers. The same contents always give the same bytes: no times, total orders. */
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

/** The text of a map, and what its writer has to know. */
export interface WingMap {
  readonly text: string;
  readonly warning: string | null;
  /** True when a person has written into it. */
  readonly handWritten: boolean;
  /** The hash of the former text, which has to be in the history before it is replaced: some of it may be a person's. */
  readonly archive?: Sha;
}

/**
 * The whole `_index.md`: a new one, or `current` with its managed region replaced and every byte outside it kept.
 * What a cut left of a map is made whole; where it holds a row that is not made again, which may be an old one of ours or a
 * person's, with a warning and the wish to archive it. A file without markers gets the region appended; so does one in which
 * a person's words follow a region that never ends, with a warning.
 */
export function wingIndexText(current: string | null, contents: WingContents): WingMap {
  const { wing } = contents;
  const region = wingRegion(contents);
  const head = skeletonHead(wing);
  if (current === null || isEmptyMap(current) || isCutHead(wing, current)) {
    return { text: `${head}${region}\n`, warning: null, handWritten: false };
  }
  const first = current.indexOf(START);
  const end = first < 0 ? -1 : current.indexOf(END, first);
  // Of several starts the last one opens the region: what stands after one that never ended is a person's. Looked for
  // forwards, which takes a tenth of the time.
  let start = first;
  for (let next = first; next >= 0 && next < end; next = current.indexOf(START, next + 1)) start = next;
  const cut = end < 0 ? cutRegionAt(current) : -1;
  if (end >= 0 || cut >= 0) {
    const before = headOf(wing, current.slice(0, end < 0 ? cut : start));
    const rest = end < 0 ? '' : current.slice(end + END.length);
    // Our own map ends with a line feed, which a cut may have taken as well.
    const after = rest === '' && (cut >= 0 || before === head) ? '\n' : rest;
    const map = { text: before + region + after, handWritten: before !== head || after !== '\n' };
    if (cut < 0 || isMadeAgain(current.slice(cut), region)) return { ...map, warning: null };
    const hash = sha256(current);
    return { ...map, warning: replacedWarning(hash), archive: hash };
  }
  const warning =
    start < 0
      ? null
      : 'The index region had a start but no end; a new one was appended and nothing was deleted.';
  const gap = current.endsWith('\n\n') ? '' : current.endsWith('\n') ? '\n' : '\n\n';
  return { text: `${current}${gap}${region}\n`, warning, handWritten: true };
}

/** True for a map that holds nothing: a cut that came before the first byte, or a disk that had only noted its length. */
export function isEmptyMap(map: string): boolean {
  return /^[\s\0]*$/.test(map);
}

/** True for a map that the service keeps: one with our markers, or the beginning of one. */
export function isOurMap(wing: Wing, map: string): boolean {
  return map.includes(START) || isCutHead(wing, map);
}

/** True for what is left of a map of ours that was cut when it was written: it holds nothing that cannot be made again. */
export function isCutMap(wing: Wing, map: string): boolean {
  return isCutHead(wing, map) || cutRegionAt(map) >= 0;
}

function isCutHead(wing: Wing, map: string): boolean {
  return `${skeletonHead(wing)}${START}`.startsWith(map);
}

/** Where a region begins that never ends and in which nobody but us has written; -1 when there is none. */
function cutRegionAt(map: string): number {
  const start = map.lastIndexOf(START);
  if (start < 0) return -1;
  const [beside = '', ...lines] = map.slice(start + START.length).split('\n');
  const last = lines.pop() ?? '';
  return beside === '' && lines.every(isOurLine) && beginsOurLine(last) ? start : -1;
}

/** True when all that a cut region holds is in the new one, but for old numbers of notes. */
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
/** A note with or without an excerpt, or a wing with the number of tunnels to it. */
const WHOLE_ROW = /^- \[\[wiki\/[^[\]|]+\|[^[\]|]*\]\](?: — .*| \(\d+\))?$/;

function isOurLine(line: string): boolean {
  return isOurFrame(line) || WHOLE_ROW.test(line);
}

/** True for a line of a region that is no row. */
function isOurFrame(line: string): boolean {
  const isTitle = TITLES.some((title) => line.startsWith(title) && /^\d+\)$/.test(line.slice(title.length)));
  return isTitle || line === NO_NOTES || line === TUNNELS;
}

function beginsOurLine(text: string): boolean {
  return text.startsWith(ROW) || beginsOurFrame(text);
}

/** True for what is left of a line that is no row, or of a row of which nothing is left that a note gave. */
function beginsOurFrame(text: string): boolean {
  const isTitle = TITLES.some((title) => text.startsWith(title) && /^\d*\)?$/.test(text.slice(title.length)));
  return isTitle || [...TITLES, NO_NOTES, TUNNELS, ROW, END].some((line) => line.startsWith(text));
}

function skeletonHead(wing: string): string {
  return `---\ntype: index\nwing: ${/^[\p{L}][\p{L}\p{M}\p{N}-]*$/u.test(wing) && !YAML_WORD.test(wing) ? wing : JSON.stringify(wing)}\n---\n# ${wing}\n\n`;
}

/** The head of a map that was moved with its folder says the new name, unless a person has written into it. */
function headOf(wing: Wing, written: string): string {
  const name = /\n# ([^\n]+)\n\n$/.exec(written)?.[1];
  return name !== undefined && written === skeletonHead(name) ? skeletonHead(wing) : written;
}

/** Words that YAML reads as something other than text. */
const YAML_WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
