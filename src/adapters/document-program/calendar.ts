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
  const { entries, lines } = entriesOf(contentLines(text));
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
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, ...(title !== '' && { title: oneLine(title) }), warnings };
}

/** Returns the entries of a calendar and its own properties. What is within an entry, such as an alarm, is left out. */
function entriesOf(all: readonly ContentLine[]): { entries: Entry[]; lines: ContentLine[] } {
  const entries: Entry[] = [];
  const lines: ContentLine[] = [];
  const open: string[] = [];
  let entry: ContentLine[] | null = null;
  for (const line of all) {
    const kind = line.value.trim().toUpperCase();
    if (line.name === 'BEGIN') {
      open.push(kind);
      if (ENTRIES.has(kind)) {
        entry = [];
        entries.push({ kind, lines: entry });
      }
    } else if (line.name === 'END') {
      // An entry or alarm that is not closed ends with what is around it.
      const at = open.lastIndexOf(kind);
      if (at >= 0) open.length = at;
    } else if (ENTRIES.has(open.at(-1) ?? '')) entry?.push(line);
    else if (open.at(-1) === 'VCALENDAR') lines.push(line);
  }
  return { entries, lines };
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
    for (const line of entry.lines) {
      const text = shownText(line, isDescribed);
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

/** Returns the text of a property; empty for what is not shown. A description in HTML is Markdown. */
function shownText(line: ContentLine, isDescribed: boolean): string {
  const { name, params, value } = line;
  if (name === 'X-ALT-DESC') return isDescribed ? '' : readHtml(unescaped(value)).markdown;
  if (name.startsWith('X-') && !/^https?:\/\//i.test(value)) return '';
  if (TECHNICAL.test(name)) return '';
  if (isBinary(line)) return named(params) || '';
  if (DATES.test(name))
    return partsOf(value, ',')
      .map((one) => timeOf(one, line))
      .join(', ');
  if (name === 'ATTENDEE' || name === 'ORGANIZER') return personOf(line);
  if (name === 'DURATION') return durationOf(value);
  if (name === 'RRULE' || name === 'EXRULE')
    return value
      .replace(/UNTIL=(\w+)/i, (_, until: string) => `UNTIL=${timeOf(until, line)}`)
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

/** Returns a time as people write it, with its zone. The end of a day is the last day itself, which the file names the day after. */
function timeOf(value: string, { name, params }: ContentLine): string {
  const [, year = '', month = '', day = '', hour, minute, second, zulu] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?$/i.exec(value.trim()) ?? [];
  if (year === '') return value.trim();
  if (hour === undefined) {
    const date = new Date(
      Date.UTC(Number(year), Number(month) - 1, Number(day) - (name === 'DTEND' ? 1 : 0)),
    );
    return date.toISOString().slice(0, 10);
  }
  const zone = zulu ? 'UTC' : (params.get('TZID')?.[0] ?? '');
  const seconds = second === undefined || second === '00' ? '' : `:${second}`;
  return `${year}-${month}-${day} ${hour}:${minute ?? ''}${seconds}${zone === '' ? '' : zulu ? ' UTC' : ` (${zone})`}`;
}

function durationOf(value: string): string {
  const units = [...value.matchAll(/(\d+)([WDHMS])/gi)].map(
    ([, count = '', unit = '']) => `${count} ${UNITS.get(unit.toUpperCase()) ?? unit}`,
  );
  return units.length === 0 ? value : units.join(' ');
}

const UNITS: ReadonlyMap<string, string> = new Map([
  ['W', 'weeks'],
  ['D', 'days'],
  ['H', 'h'],
  ['M', 'min'],
  ['S', 's'],
]);
