import { type ContentLine, contentLines, isBinary, partsOf, unescaped } from './content-lines';
import { readHtml } from './html';
import { CUT_WARNING, fenced, heading, joinWithin, linesToMarkdown, literal } from './markup';
import type { ReadText } from './protocol';

/** The entries of a calendar, and their names when they have no summary. */
const ENTRIES: ReadonlyMap<string, string> = new Map([
  ['VEVENT', 'Event'],
  ['VTODO', 'Task'],
  ['VJOURNAL', 'Journal'],
  ['VFREEBUSY', 'Free or busy'],
]);

/** The properties that have a name for people; others keep theirs. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['DTSTART', 'Starts'],
  ['DTEND', 'Ends'],
  ['DUE', 'Due'],
  ['COMPLETED', 'Completed'],
  ['DURATION', 'Lasts'],
  ['LOCATION', 'Location'],
  ['ORGANIZER', 'Organizer'],
  ['ATTENDEE', 'Attendee'],
  ['CONTACT', 'Contact'],
  ['STATUS', 'Status'],
  ['PRIORITY', 'Priority'],
  ['PERCENT-COMPLETE', 'Done (%)'],
  ['RRULE', 'Repeats'],
  ['RDATE', 'Also on'],
  ['EXDATE', 'Except on'],
  ['EXRULE', 'Except'],
  ['RECURRENCE-ID', 'In place of'],
  ['CATEGORIES', 'Categories'],
  ['RESOURCES', 'Resources'],
  ['URL', 'Web'],
  ['CONFERENCE', 'Conference'],
  ['ATTACH', 'Attached'],
  ['COMMENT', 'Comment'],
  ['DESCRIPTION', 'Description'],
  ['GEO', 'Place'],
  ['CLASS', 'Class'],
  ['FREEBUSY', 'Busy'],
]);
/** Properties for programs. */
const TECHNICAL =
  /^(?:BEGIN|END|UID|DTSTAMP|CREATED|LAST-MODIFIED|SEQUENCE|TRANSP|SUMMARY|RELATED-TO|REQUEST-STATUS)$/;
const DATES = /^(?:DTSTART|DTEND|DUE|COMPLETED|RDATE|EXDATE|RECURRENCE-ID)$/;

interface Entry {
  readonly kind: string;
  readonly lines: readonly ContentLine[];
}

/**
 * Converts a calendar (iCalendar) to Markdown with a heading for each event, task and journal entry, in the order of the file.
 * Alarms and the rules of time zones are left out; the names of the zones stay.
 */
export function readCalendar(text: string): ReadText {
  const { entries, lines, hasMore } = entriesOf(contentLines(text));
  if (entries.length === 0 && lines.length === 0) {
    const { markdown, isCut } = fenced(text, 'text');
    const warnings = ['The file has no calendar (BEGIN:VCALENDAR); its text was taken as it stands.'];
    return { markdown, warnings: isCut ? [...warnings, CUT_WARNING] : warnings };
  }
  const own = (name: string) => unescaped(lines.find((line) => line.name === name)?.value ?? '').trim();
  const about = own('X-WR-CALDESC') || own('DESCRIPTION');
  const [first] = entries;
  const name = own('X-WR-CALNAME') || own('NAME');
  // The name of the only entry is the title of the page.
  const isOnly = name === '' && entries.length === 1;
  const title = isOnly && first !== undefined ? titleOf(first) : name;
  const { text: markdown, isCut } = joinWithin(pieces(entries, about, isOnly ? 1 : 2));
  const binary = entries.flatMap((entry) => entry.lines).filter(isBinary).length;
  const warnings =
    binary === 0
      ? []
      : [
          `${binary === 1 ? 'An attached file was' : `${binary} attached files were`} left out; the kept original has ${binary === 1 ? 'it' : 'them'}.`,
        ];
  if (hasMore) warnings.push('The text outside of the calendar was left out; the kept original has it.');
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, ...(title !== '' && { title: oneLine(title) }), warnings };
}

/** Returns the entries of a calendar and its own properties. What is within an entry, such as an alarm, is left out. */
function entriesOf(all: readonly ContentLine[]): {
  readonly entries: readonly Entry[];
  readonly lines: readonly ContentLine[];
  /** True when there is text outside of the calendar. */
  readonly hasMore: boolean;
} {
  const entries: Entry[] = [];
  const lines: ContentLine[] = [];
  const open: string[] = [];
  /** How many of each kind are open. */
  const counts = new Map<string, number>();
  let entry: ContentLine[] | null = null;
  let hasMore = false;
  for (const line of all) {
    const kind = line.value.trim().toUpperCase();
    if (line.name === 'BEGIN') {
      open.push(kind);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (ENTRIES.has(kind)) {
        entry = [];
        entries.push({ kind, lines: entry });
      }
    } else if (line.name === 'END') {
      // An entry or alarm that is not closed ends with what is around it.
      if ((counts.get(kind) ?? 0) === 0) continue;
      let last: string | undefined;
      do {
        last = open.pop() ?? kind;
        counts.set(last, (counts.get(last) ?? 0) - 1);
      } while (last !== kind);
    } else if (line.name === '' || open.length === 0) hasMore = true;
    else if (ENTRIES.has(open.at(-1) ?? '')) entry?.push(line);
    else if (open.at(-1) === 'VCALENDAR') lines.push(line);
  }
  return { entries, lines, hasMore };
}

function titleOf({ kind, lines }: Entry): string {
  const summary = lines.find(({ name }) => name === 'SUMMARY')?.value ?? '';
  return oneLine(unescaped(summary)) || (ENTRIES.get(kind) ?? kind);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function* pieces(entries: readonly Entry[], about: string, level: number): Generator<string> {
  if (about !== '') yield `${[...linesToMarkdown(about.split('\n'))].join('')}\n`;
  for (const entry of entries) {
    yield heading(level, titleOf(entry));
    const long: string[] = [];
    const isDescribed = entry.lines.some(({ name, value }) => name === 'DESCRIPTION' && value.trim() !== '');
    const start = entry.lines.find(({ name }) => name === 'DTSTART')?.value.trim() ?? '';
    for (const line of entry.lines) {
      const text = shownText(line, isDescribed, start);
      const label = literal(LABELS.get(line.name) ?? line.name);
      if (text === '') continue;
      if (line.name === 'X-ALT-DESC') long.push(`\n${text}\n`);
      else if (line.name === 'DESCRIPTION' || text.includes('\n'))
        long.push(`\n${label}:\n\n${[...linesToMarkdown(text.split('\n'))].join('')}`);
      else yield `- ${label}: ${literal(text)}\n`;
    }
    yield* long;
    yield '\n';
  }
}

/**
 * Returns the text of a property; empty for what is not shown. A description in HTML is Markdown.
 * @param start when the entry starts, as the file writes it; '' for an entry without a start
 */
function shownText(line: ContentLine, isDescribed: boolean, start: string): string {
  const { name, params, value } = line;
  if (name === 'X-ALT-DESC') return isDescribed ? '' : readHtml(unescaped(value)).markdown;
  if (name.startsWith('X-') && !/^https?:\/\//i.test(value)) return '';
  if (TECHNICAL.test(name)) return '';
  if (isBinary(line)) return named(params) || '';
  if (DATES.test(name))
    return partsOf(value, ',')
      .map((one) => timeOf(one, line, start))
      .join(', ');
  if (name === 'ATTENDEE' || name === 'ORGANIZER') return personOf(line);
  if (name === 'DURATION') return durationOf(value);
  if (name === 'RRULE' || name === 'EXRULE')
    return value
      .replace(/UNTIL=(\w+)/i, (_, until: string) => `UNTIL=${timeOf(until, line, start)}`)
      .replace(/;/g, '; ');
  if (name === 'CLASS' && /^public$/i.test(value.trim())) return '';
  return name === 'GEO' ? value.replace(';', ', ') : unescaped(value).trim();
}

function named(params: ContentLine['params']): string {
  return params.get('FILENAME')?.[0] ?? params.get('X-FILENAME')?.[0] ?? '';
}

function personOf({ params, value }: ContentLine): string {
  const name = params.get('CN')?.join(', ') ?? '';
  const address = value.trim().replace(/^mailto:/i, '');
  const answer = (params.get('PARTSTAT')?.[0] ?? '').toLowerCase().replace(/-/g, ' ');
  const who = name === '' || name === address ? address : address === '' ? name : `${name} (${address})`;
  return answer === '' ? who : `${who}, ${answer}`;
}

/**
 * Returns a time as people write it, with its zone. The last day of an entry of whole days is the one before its end, but no day
 * before its start: some programs write the last day itself.
 */
function timeOf(value: string, { name, params }: ContentLine, start: string): string {
  const [, year = '', month = '', day = '', hour, minute, second, zulu] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?$/i.exec(value.trim()) ?? [];
  if (year === '') return value.trim();
  if (hour === undefined) {
    const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
    if (Number.isNaN(date.getTime())) return value.trim();
    if (name === 'DTEND' && value.trim() !== start) date.setUTCDate(date.getUTCDate() - 1);
    return date.toISOString().slice(0, 10);
  }
  const zone = zulu ? 'UTC' : (params.get('TZID')?.[0] ?? '');
  const seconds = second === undefined || second === '00' ? '' : `:${second}`;
  return `${year}-${month}-${day} ${hour}:${minute ?? ''}${seconds}${zone === '' ? '' : zulu ? ' UTC' : ` (${zone})`}`;
}

function durationOf(value: string): string {
  const units = [...value.matchAll(/(?<!\d)(\d+)([WDHMS])/gi)].map(
    ([, count = '', unit = '']) => `${count} ${UNITS.get(unit.toUpperCase()) ?? unit}`,
  );
  const sign = value.trim().startsWith('-') ? '-' : '';
  return units.length === 0 ? value : sign + units.join(' ');
}

const UNITS: ReadonlyMap<string, string> = new Map([
  ['W', 'weeks'],
  ['D', 'days'],
  ['H', 'h'],
  ['M', 'min'],
  ['S', 's'],
]);
