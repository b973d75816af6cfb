/** A property of a vCard or of iCalendar data (RFC 6350, RFC 5545). */
export interface ContentLine {
  /** The group that ties properties together, such as `item1`; empty without one. */
  readonly group: string;
  /** In capital letters. */
  readonly name: string;
  /** By name, in capital letters. A value without a name, as in vCard 2.1, is a `TYPE`. */
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** As written, apart from quoted-printable. */
  readonly value: string;
}

const LINE = /^(?:([\w-]+)\.)?([a-z][\w-]*)((?:;(?:"[^"]*"|[^";:])*)*):([^]*)$/i;
const ENCODINGS = new Set(['QUOTED-PRINTABLE', 'BASE64', '8BIT', '7BIT']);

/**
 * Returns the properties of a text, with folded lines joined. A line that is none continues the value of the line before: such
 * files are written by hand. Before the first property and behind an end it is a property without a name.
 */
export function contentLines(text: string): ContentLine[] {
  const found: { -readonly [Key in keyof ContentLine]: ContentLine[Key] }[] = [];
  for (const line of unfolded(text)) {
    const [, group = '', name = '', params = '', value = ''] = LINE.exec(line) ?? [];
    const last = found.at(-1);
    if (name !== '') {
      const named = paramsOf(params);
      found.push({
        group: group.toLowerCase(),
        name: name.toUpperCase(),
        params: named,
        value: decoded(value, named),
      });
    } else if (line.trim() === '') continue;
    else if (last === undefined || last.name === 'END')
      found.push({ group: '', name: '', params: new Map(), value: line });
    else last.value += `\n${line}`;
  }
  return found;
}

/**
 * Returns the bytes of a file without the folds within a character: some programs break lines after 75 bytes wherever that is.
 */
export function wholeCharacters(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let kept: Uint8Array<ArrayBuffer> | null = null;
  let size = 0;
  let done = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const [blank = 0, next = 0] = bytes.subarray(at + 1, at + 3);
    const isWithin = (blank === SPACE || blank === TAB) && next >= 0x80 && next < 0xc0;
    if (!isWithin) continue;
    kept ??= new Uint8Array(bytes.length);
    const end = bytes[at - 1] === CR ? at - 1 : at;
    kept.set(bytes.subarray(done, end), size);
    size += end - done;
    done = at + 2;
  }
  if (kept === null) return bytes;
  kept.set(bytes.subarray(done), size);
  return kept.subarray(0, size + bytes.length - done);
}

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];

/** Yields the lines of a text with those that are folded joined: by white space, or in quoted-printable by `=`. */
function* unfolded(text: string): Generator<string> {
  let parts: string[] = [];
  let [isOld, isQuoted, isSoft] = [false, false, false];
  for (const next of text.split('\n')) {
    if (isSoft) parts.push(parts.pop()?.slice(0, -1) ?? '', next);
    // vCard 2.1 breaks lines at white space, which stays.
    else if (/^[ \t]/.test(next) && parts.length > 0) parts.push(isOld ? next : next.slice(1));
    else {
      if (parts.length > 0) yield parts.join('');
      parts = next === '' ? [] : [next];
      if (/^version:/i.test(next)) isOld = /^version:2\.1\s*$/i.test(next);
      isQuoted = /^[^:]*quoted-printable/i.test(next);
    }
    isSoft = isQuoted && next.endsWith('=');
  }
  if (parts.length > 0) yield parts.join('');
}

function paramsOf(text: string): Map<string, string[]> {
  const params = new Map<string, string[]>();
  for (const [, part = ''] of text.matchAll(/;((?:"[^"]*"|[^";])*)/g)) {
    const [, name = '', list = ''] = /^([\w-]+)=([^]*)$/.exec(part) ?? ['', '', part];
    const values = (list.match(/"[^"]*"|[^",]+/g) ?? []).map((value) => value.replace(/"/g, '').trim());
    const key = name !== '' ? name.toUpperCase() : ENCODINGS.has(list.toUpperCase()) ? 'ENCODING' : 'TYPE';
    const known = params.get(key);
    if (known === undefined) params.set(key, values);
    else for (const value of values) known.push(value);
  }
  return params;
}

function decoded(value: string, params: ReadonlyMap<string, readonly string[]>): string {
  if (params.get('ENCODING')?.[0]?.toUpperCase() !== 'QUOTED-PRINTABLE') return value;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, hex] of value.matchAll(/=([0-9a-f]{2})|[^=]+|=/gi)) {
    if (hex !== undefined) bytes.push(parseInt(hex, 16));
    else for (const byte of encoder.encode(part)) bytes.push(byte);
  }
  return textOf(Uint8Array.from(bytes), params.get('CHARSET')?.[0] ?? 'utf-8').replace(/\r\n?/g, '\n');
}

function textOf(bytes: Uint8Array, charset: string): string {
  for (const encoding of [charset, 'utf-8']) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // An unknown encoding, or bytes that are not in it.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}

/** Returns the text that a value means: `\n` is a line end, and another character behind a backslash is itself. */
export function unescaped(value: string): string {
  return value.replace(/\\([^])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

/** Splits a value at a separator that is not escaped, and returns the texts of its parts. */
export function partsOf(value: string, separator: ';' | ','): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (at === value.length || value[at] === separator) {
      parts.push(unescaped(value.slice(from, at)).trim());
      from = at + 1;
    }
  }
  if (from < value.length && value.endsWith('\\')) parts.push(unescaped(value.slice(from)).trim());
  return parts;
}

/** Returns true for a value of bytes, such as a picture. */
export function isBinary({ params, value }: ContentLine): boolean {
  const encoding = params.get('ENCODING')?.[0]?.toUpperCase() ?? '';
  return encoding === 'B' || encoding === 'BASE64' || /^data:/i.test(value);
}
