import { CUT_WARNING, joinWithin, literal } from './markup';
import { readText } from './plain';
import type { ReadText } from './protocol';

/** One line of subtitles: what one person says from one moment on. */
interface Cue {
  /** In seconds from the beginning. */
  readonly from: number;
  readonly to: number;
  /** Empty where the file names nobody. */
  readonly speaker: string;
  readonly text: string;
}

/** A time of WebVTT (`01:02.500`, `01:02:03.500`) or SubRip (`01:02:03,500`). */
const TIME = '(?:(\\d{1,4}):)?(\\d{1,2}):(\\d{1,2})[.,](\\d{1,3})';
const TIMES = new RegExp(`^\\s*${TIME}\\s*-->\\s*${TIME}(?=\\s|$)`);
/** The first line of WebVTT, which may hold a title. */
const HEAD = /^\uFEFF?WEBVTT(?:[ \t]+(?:-[ \t]+)?(\S[^\n]*))?\s*$/;
/** Blocks of WebVTT that hold no talk. */
const BLOCK = /^(?:NOTE|STYLE|REGION)(?=\s|$)/;
/** A voice (`<v Ada>`, `<v.loud Ada>`); the text up to the next voice is hers. */
const VOICE = /^<v(?:\.[^\s>]*)?[ \t]([^>\n]*)>/;
/** Tags of WebVTT and of SubRip, moments within a line included. Any other `<` is text. */
const TAG = /<\/?(?:[biuvcs]|ruby|rt|lang|font)(?:[.\s][^<>\n]*)?>|<\d[\d:.]*>|\{\\an?\d+\}/gi;
/** A name before a colon, as transcripts write it without tags: short, and beginning with a capital letter or `>>`. */
const NAME = /^(?:>>\s*)?(\p{Lu}[\p{L}\p{M}\p{N}.'’ -]{0,39}):\s+(?=\S)/u;
const REFERENCES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&lrm;': '',
  '&rlm;': '',
};
/** A silence that begins a paragraph (seconds). */
const PAUSE = 4;
/** Lines that scroll follow each other within this (seconds). */
const ADJOINING = 0.1;
/** A paragraph of one speaker ends with the first sentence that ends behind this (characters), or with any line at twice of it. */
const LONG = 600;
/** The least number of lines that a name has before its colon to be taken for a speaker's where no tag says so. */
const MIN_LINES = 2;

/**
 * Converts subtitles and transcripts (WebVTT, SubRip) to paragraphs of talk. Lines of one speaker are joined; each paragraph
 * begins with its time, and with the speaker where the file names one. Lines that scroll, and so repeat the one before, stand once.
 */
export function readTalk(text: string): ReadText {
  const lines = text.split('\n');
  const head = HEAD.exec(lines[0] ?? '');
  const { cues, notes, lost } = cuesOf(lines, head !== null);
  if (!lines.some((line) => TIMES.test(line))) {
    const read = readText(text);
    return {
      ...read,
      warnings: ['The file names no times; its text was taken as it stands.', ...read.warnings],
    };
  }
  const { text: markdown, isCut } = joinWithin(paragraphs(named(cues)));
  const title = plain(head?.[1] ?? '');
  const warnings: string[] = [];
  if (notes > 0)
    warnings.push(
      `${notes === 1 ? 'One note or style' : `${notes} notes and styles`} of the transcript ${notes === 1 ? 'was' : 'were'} left out; the kept original has ${notes === 1 ? 'it' : 'them'}.`,
    );
  if (lost > 0)
    warnings.push(
      `${lost === 1 ? 'One line has' : `${lost} lines have`} no time in the transcript and ${lost === 1 ? 'was kept as it stands' : 'were kept as they stand'}.`,
    );
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, ...(title !== '' && { title }), warnings };
}

/** Returns what is said, the number of blocks without talk, and the number of lines that stand under no time. */
function cuesOf(lines: readonly string[], isVtt: boolean): { cues: Cue[]; notes: number; lost: number } {
  const cues: Cue[] = [];
  let [notes, lost] = [0, 0];
  for (let at = isVtt ? headEnd(lines) : 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && (lines[end] ?? '').trim() !== '') end += 1;
    const block = lines.slice(at, end);
    const clocks = block.flatMap((line, place) => (TIMES.test(line) ? [place] : []));
    // Above the first time stands at most the name of the line.
    const above = block.slice(0, Math.max(0, (clocks[0] ?? block.length + 1) - 1));
    if (isVtt && BLOCK.test(block[0] ?? '')) notes += 1;
    else if (above.length > 0) {
      // A blank line within what somebody says, or text that somebody added.
      const { from, to, speaker } = cues.at(-1) ?? { from: 0, to: 0, speaker: '' };
      cues.push({ from, to, speaker, text: plain(above.join('\n')) });
      lost += above.length;
    }
    clocks.forEach((clock, nth) => {
      const next = clocks[nth + 1] ?? block.length;
      // The number of the next line of subtitles, where no blank line stands before it.
      const isNumber = next < block.length && /^\s*\d+\s*$/.test(block[next - 1] ?? '');
      const said = spoken(TIMES.exec(block[clock] ?? ''), block.slice(clock + 1, isNumber ? next - 1 : next));
      for (const cue of said) cues.push(cue);
    });
    at = end + 1;
  }
  return { cues, notes, lost };
}

/** Returns where the first block begins: the head of a WebVTT file ends with a blank line or the first time. */
function headEnd(lines: readonly string[]): number {
  const end = lines.findIndex((line, at) => at > 0 && (line.trim() === '' || TIMES.test(line)));
  return end < 0 ? lines.length : end;
}

/** Returns what the lines under a time say, one cue for each voice. */
function spoken(times: RegExpExecArray | null, lines: readonly string[]): Cue[] {
  const [from, to] = [seconds(times, 1), seconds(times, 5)];
  return lines
    .join('\n')
    .split(/(?=<v[.\s])/)
    .map((part) => {
      const voice = VOICE.exec(part);
      const said = plain(part.slice(voice?.[0].length ?? 0));
      return { from, to, speaker: plain(voice?.[1] ?? ''), text: said };
    })
    .filter(({ text }) => text !== '');
}

function seconds(times: RegExpExecArray | null, at: number): number {
  const [hours = 0, minutes = 0, whole = 0] = [0, 1, 2].map((more) => Number(times?.[at + more] ?? 0));
  return hours * 3600 + minutes * 60 + whole + Number(`0.${times?.[at + 3] ?? '0'}`);
}

/** Returns text without tags; its lines stay. */
function plain(text: string): string {
  return text
    .replace(TAG, '')
    .replace(/&(?:amp|lt|gt|nbsp|quot|lrm|rlm);/g, (found) => REFERENCES[found] ?? found)
    .replace(/[^\S\n]+/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Takes names before colons for speakers where no voice is tagged and the names return. */
function named(cues: readonly Cue[]): readonly Cue[] {
  if (cues.some(({ speaker }) => speaker !== '')) return cues;
  const counts = new Map<string, number>();
  for (const { text } of cues) {
    const name = NAME.exec(text)?.[1];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  let speaker = '';
  return cues.map((cue) => {
    const [mark = '', name = ''] = NAME.exec(cue.text) ?? [];
    const isSpeaker = (counts.get(name) ?? 0) >= MIN_LINES;
    if (isSpeaker) speaker = name;
    return { ...cue, speaker, text: isSpeaker ? cue.text.slice(mark.length) : cue.text };
  });
}

function* paragraphs(cues: readonly Cue[]): Generator<string> {
  const hasHours = cues.some(({ from }) => from >= 3600);
  let open: { cue: Cue; said: string[]; size: number; to: number } | null = null;
  // What the last line said: captions that scroll say it again.
  let before = '';
  for (const cue of cues) {
    const isNew =
      open !== null &&
      (cue.speaker !== open.cue.speaker ||
        cue.from - open.to >= PAUSE ||
        isFull(open.size, open.said.at(-1)));
    if (open !== null && isNew) yield paragraph(open.cue, open.said, hasHours);
    const text = open !== null && cue.from - open.to < ADJOINING ? withoutRepeat(before, cue.text) : cue.text;
    if (open === null || isNew) open = { cue, said: [], size: 0, to: 0 };
    if (text !== '') open.said.push(text);
    open.size += text.length;
    open.to = Math.max(open.to, cue.to);
    before = cue.text;
  }
  if (open !== null) yield paragraph(open.cue, open.said, hasHours);
}

function isFull(size: number, last = ''): boolean {
  return size >= 2 * LONG || (size >= LONG && /[.!?…。！？]["'”’»)]*$/.test(last));
}

/** Returns what is said beyond the line before: nothing for the same again, else what follows the lines that both have. */
function withoutRepeat(before: string, text: string): string {
  if (text === before) return '';
  const last = before.slice(before.lastIndexOf('\n') + 1);
  return last !== '' && /^[\n ]/.test(text.slice(last.length)) && text.startsWith(last)
    ? text.slice(last.length + 1)
    : text;
}

function paragraph({ from, speaker }: Cue, said: readonly string[], hasHours: boolean): string {
  // All of it stood in the paragraph before.
  if (said.length === 0) return '';
  const time = `(${clock(from, hasHours)})`;
  const head = speaker === '' ? time : `**${literal(speaker)}** ${time}:`;
  return `${head} ${literal(said.join(' ').replace(/\s+/g, ' '))}\n\n`;
}

function clock(seconds: number, hasHours: boolean): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  const rest = two(Math.floor(seconds) % 60);
  return hasHours ? `${hours}:${two(minutes % 60)}:${rest}` : `${minutes}:${rest}`;
}
