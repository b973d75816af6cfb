/** The formats that a spreadsheet names by number only (ECMA-376, 18.8.30). */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  // Those of dates go by the language of the reader; here they are written in the one order that all understand.
  [14, 'yyyy-mm-dd'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'yyyy-mm-dd h:mm'],
  [37, '#,##0;-#,##0'],
  [38, '#,##0;-#,##0'],
  [39, '#,##0.00;-#,##0.00'],
  [40, '#,##0.00;-#,##0.00'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
]);
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** A part of a format: letters that are shown, or a code. */
interface Token {
  readonly kind: 'text' | 'code';
  readonly text: string;
}

/** The longest format that is followed. */
const MAX_FORMAT = 300;
const known = new Map<string, readonly (readonly Token[])[]>();

/** Returns the format that a number names. */
export function builtInFormat(id: number): string {
  return BUILT_IN.get(id) ?? (id >= 27 && id <= 58 ? 'yyyy-mm-dd' : 'General');
}

/**
 * Returns a number as its spreadsheet shows it by a format code (ECMA-376, 18.8.31), in the English form. Fractions, colours and
 * conditions of formats are not followed: the number is then shown with all of its digits.
 * @param is1904 true when days count from 1904
 */
export function formattedNumber(value: number, format: string, is1904 = false): string {
  if (format === 'General' || format === '' || format === '@' || format.length > MAX_FORMAT)
    return plainNumber(value);
  const sections = sectionsOf(format);
  const at = value < 0 && sections.length > 1 ? 1 : value === 0 && sections.length > 2 ? 2 : 0;
  const section = sections[at] ?? [];
  const codes = section.filter(({ kind }) => kind === 'code').map(({ text }) => text);
  if (codes.length === 0) {
    const shown = section
      .map(({ text }) => text)
      .join('')
      .trim();
    return section.length > 0 ? shown : plainNumber(value);
  }
  if (codes.some((code) => code === 'General' || code === '/' || code.includes('?')))
    return plainNumber(value);
  if (codes.some((code) => /^[ymdhsa[]/i.test(code))) return formattedDate(value, section, is1904);
  return formattedDigits(at === 1 ? Math.abs(value) : value, section);
}

/** Returns a number with the digits that a spreadsheet shows: fifteen at most. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(15)));
}

/** Parts a format into its sections, and these into tokens. */
function sectionsOf(format: string): readonly (readonly Token[])[] {
  const before = known.get(format);
  if (before !== undefined) return before;
  const sections: Token[][] = [[]];
  const tokens =
    /"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[(h+|m+|s+)\]|\[[^\]]*\]|(General|AM\/PM|A\/P|y+|m+|d+|h+|s+(?:\.0+)?|[0#?]+(?:[,.0#?]*[0#?])?,*(?:E[+-]0+)?|\.[0#?]+|%|@|\/)|(;)|([^])/giu;
  for (const [, quoted, escaped, currency, elapsed, code, end, other] of format.matchAll(tokens)) {
    const section = sections.at(-1) ?? [];
    if (end !== undefined) sections.push([]);
    else if (elapsed !== undefined) section.push({ kind: 'code', text: `[${elapsed.toLowerCase()}]` });
    // A slash between two parts of a date is shown.
    else if (code === '/' && section.some(({ kind, text }) => kind === 'code' && /^[ymd]/i.test(text)))
      section.push({ kind: 'text', text: '/' });
    else if (code !== undefined) section.push({ kind: 'code', text: code });
    else {
      const text = quoted ?? escaped ?? currency ?? other;
      if (text !== undefined) section.push({ kind: 'text', text });
    }
  }
  if (known.size > 10_000) known.clear();
  known.set(format, sections);
  return sections;
}

function formattedDigits(value: number, section: readonly Token[]): string {
  const percents = section.filter(({ kind, text }) => kind === 'code' && text === '%').length;
  const isNumber = ({ kind, text }: Token) => kind === 'code' && /^[0#?.]/.test(text);
  const codes = section.filter(isNumber);
  const code = codes[0]?.text ?? '';
  // Digits in several groups, such as those of a telephone number.
  if (codes.length !== 1) return plainNumber(value);
  const thousands = /,+(?=E|$)/i.exec(code)?.[0].length ?? 0;
  const scaled = (value * 100 ** percents) / 1000 ** thousands;
  const digits = code.slice(0, code.length - thousands);
  const shown = /E/i.test(code) ? withExponent(scaled, code) : withDigits(scaled, digits);
  return section
    .map((token) => (token.kind === 'text' || token.text === '%' ? token.text : isNumber(token) ? shown : ''))
    .join('')
    .trim();
}

function withDigits(value: number, code: string): string {
  const [whole = '', fraction = ''] = code.split('.');
  const places = Math.min(30, fraction.replace(/[^0#?]/g, '').length);
  const least = fraction.replace(/[^0]/g, '').length;
  const [digits = '0', more = ''] = Math.abs(value).toFixed(places).split('.');
  // Numbers over 10^21 have an exponent.
  if (digits.includes('e')) return plainNumber(value);
  const required = whole.replace(/[^0]/g, '').length;
  const filled =
    digits === '0' && required === 0 && places > 0 ? '' : digits.padStart(Math.min(30, required), '0');
  const grouped = whole.includes(',') ? filled.replace(/\B(?=(?:\d{3})+$)/g, ',') : filled;
  let end = more.length;
  while (end > least && more[end - 1] === '0') end -= 1;
  const rest = end === 0 ? '' : `.${more.slice(0, end)}`;
  const isZero = !/[1-9]/.test(grouped + rest);
  return `${value < 0 && !isZero ? '-' : ''}${grouped}${rest}`;
}

function withExponent(value: number, code: string): string {
  const places = (/\.([0#?]+)/.exec(code)?.[1] ?? '').length;
  const [digits = '', exponent = '0'] = value.toExponential(Math.min(20, places)).split('e');
  const size = String(Math.abs(Number(exponent))).padStart((/E[+-](0+)/i.exec(code)?.[1] ?? '0').length, '0');
  return `${digits}E${Number(exponent) < 0 ? '-' : '+'}${size}`;
}

/** The time of a day (ms). */
const DAY = 86_400_000;
/** The last day that spreadsheets know: the end of the year 9999. */
const LAST_DAY = 2_958_466;

function formattedDate(value: number, section: readonly Token[], is1904: boolean): string {
  const isElapsed = section.some(({ kind, text }) => kind === 'code' && text.startsWith('['));
  if (value < 0 || (value >= LAST_DAY && !isElapsed)) return plainNumber(value);
  const finest =
    section.find(({ kind, text }) => kind === 'code' && /^s+\./i.test(text))?.text.split('.')[1]?.length ?? 0;
  // Times are fractions of a day; their last digits are lost in the binary form.
  const unit = 1000 / 10 ** Math.min(3, finest);
  const milliseconds = Math.round((value * DAY) / unit) * unit;
  // Days count from the last of 1899, but that there is a 29 February 1900, which never was.
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const date = new Date(first + milliseconds);
  const isHalf = section.some(({ kind, text }) => kind === 'code' && /^A(?:M)?\/P/i.test(text));
  return section
    .map(({ kind, text }, at) => {
      if (kind === 'text') return text;
      if (!/^m+$/i.test(text)) return datePart(text, date, milliseconds, isHalf);
      return isMinute(section, at) ? padded(date.getUTCMinutes(), text.length) : monthPart(date, text.length);
    })
    .join('')
    .trim();
}

/** `m` means minutes after hours and before seconds. */
function isMinute(section: readonly Token[], at: number): boolean {
  const codes = (from: readonly Token[]) => from.find(({ kind }) => kind === 'code')?.text ?? '';
  return /^\[?h/i.test(codes(section.slice(0, at).reverse())) || /^\[?s/i.test(codes(section.slice(at + 1)));
}

function padded(value: number, size: number): string {
  return String(value).padStart(Math.min(size, 2), '0');
}

function monthPart(date: Date, size: number): string {
  const name = MONTHS[date.getUTCMonth()] ?? '';
  if (size === 5) return name.charAt(0);
  if (size > 2) return size === 3 ? name.slice(0, 3) : name;
  return padded(date.getUTCMonth() + 1, size);
}

function datePart(code: string, date: Date, elapsed: number, isHalf: boolean): string {
  const size = code.length;
  switch (code.charAt(0).toLowerCase()) {
    case 'y':
      return size <= 2 ? padded(date.getUTCFullYear() % 100, 2) : String(date.getUTCFullYear());
    case 'd': {
      const day = DAYS[date.getUTCDay()] ?? '';
      return size > 2 ? (size === 3 ? day.slice(0, 3) : day) : padded(date.getUTCDate(), size);
    }
    case 'h': {
      const hour = date.getUTCHours();
      return padded(isHalf ? hour % 12 || 12 : hour, size);
    }
    case 's':
      return secondsPart(code, date);
    case 'a':
      return (date.getUTCHours() < 12 ? 'AM' : 'PM').slice(0, /^AM/i.test(code) ? 2 : 1);
    case '[': {
      const unit = code.charAt(1) === 'h' ? 3_600_000 : code.charAt(1) === 'm' ? 60_000 : 1000;
      return padded(Math.floor(elapsed / unit), size - 2);
    }
    default:
      return '';
  }
}

function secondsPart(code: string, date: Date): string {
  const [whole = '', fraction = ''] = code.split('.');
  const parts = String(date.getUTCMilliseconds()).padStart(3, '0').padEnd(fraction.length, '0');
  return (
    padded(date.getUTCSeconds(), whole.length) +
    (fraction === '' ? '' : `.${parts.slice(0, fraction.length)}`)
  );
}
