import { decodeWords } from 'postal-mime';

/** A mail of a mailbox. */
interface Mail {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly warnings: readonly string[];
}

/** The largest mail that is taken out of a mailbox (bytes). */
const MAX_MAIL = 50 * 1024 * 1024;
/** The beginning of a mail that is searched for its day and subject (bytes). */
const HEAD = 64 * 1024;
/** A line that is longer comes in parts of at least this length (bytes). */
const LONG_LINE = 64 * 1024;
const QUOTE = '>'.charCodeAt(0);
const NONE: readonly Mail[] = [];

/**
 * Takes a mailbox apart (RFC 4155, in the forms mboxo and mboxrd): each mail becomes a file, named by its day and subject. A line of a
 * mail that begins with "From " was written with ">" before it, which goes. A mail that is too large is cut, with a warning.
 */
export async function* unmbox(stream: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Mail> {
  let kept = new Uint8Array(HEAD);
  let size = 0;
  let isCut = false;
  let isAfterBlank = true;
  const end = (): Mail[] => {
    const warnings = isCut
      ? [`The mail is larger than ${MAX_MAIL / 1024 / 1024} MiB. Its end was left out.`]
      : [];
    const name = `${folder}${nameOf(kept.subarray(0, Math.min(size, HEAD)))}.eml`;
    const mails = size > 0 ? [{ name, bytes: kept.slice(0, size), warnings }] : [];
    // The room of a large mail is not held for the next one.
    kept = new Uint8Array(HEAD);
    size = 0;
    isCut = false;
    return mails;
  };
  // Returns the mail before a line that begins another one. A generator for each line would take most of the time.
  const take = (line: Uint8Array, isStart: boolean): readonly Mail[] => {
    let mails = NONE;
    if (isStart && isAfterBlank && startsWith(line, 'From ')) mails = end();
    else {
      // ">From " at the beginning of a line, with any number of ">", has one more than was written.
      const isQuoted = isStart && line[0] === QUOTE && /^>+From /.test(latin(line.subarray(0, 64)));
      const whole = isQuoted ? line.subarray(1) : line;
      const part = whole.subarray(0, MAX_MAIL - size);
      isCut ||= part.length < whole.length;
      if (size + part.length > kept.length) {
        const larger = new Uint8Array(Math.max(2 * kept.length, size + part.length));
        larger.set(kept.subarray(0, size));
        kept = larger;
      }
      kept.set(part, size);
      size += part.length;
    }
    isAfterBlank = isStart && line.length <= 2 && latin(line).trim() === '';
    return mails;
  };
  let rest: Uint8Array = new Uint8Array(0);
  let isStart = true;
  for await (const piece of stream) {
    const all = new Uint8Array(rest.length + piece.length);
    all.set(rest);
    all.set(piece, rest.length);
    let from = 0;
    for (let at = all.indexOf(10); at >= 0; at = all.indexOf(10, from)) {
      for (const mail of take(all.subarray(from, at + 1), isStart)) yield mail;
      isStart = true;
      from = at + 1;
    }
    rest = all.subarray(from);
    if (rest.length > LONG_LINE) {
      for (const mail of take(rest, isStart)) yield mail;
      isStart = false;
      rest = new Uint8Array(0);
    }
  }
  if (rest.length > 0) yield* take(rest, isStart);
  yield* end();
}

/** Returns the day and the subject of a mail, as far as its head says them. */
function nameOf(start: Uint8Array): string {
  const head = new TextDecoder().decode(start).split(/\r?\n\r?\n/, 1)[0] ?? '';
  const value = (name: string): string =>
    (new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(head)?.[1] ?? '')
      .replace(/\s+/g, ' ')
      .trim();
  const date = new Date(value('date'));
  const day = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
  const subject = decodeWords(value('subject'))
    .replace(/\s+/g, ' ')
    .replace(/\//g, '-')
    .trim()
    .slice(0, 80)
    .trim();
  return [day, subject || 'Mail'].filter(Boolean).join(' ');
}

function startsWith(line: Uint8Array, text: string): boolean {
  return line[0] === text.charCodeAt(0) && latin(line.subarray(0, text.length)) === text;
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
