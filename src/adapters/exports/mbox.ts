/** A mail of a mailbox. */
interface Mail {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The largest mail that is taken out of a mailbox (bytes). */
const MAX_MAIL = 50 * 1024 * 1024;

/**
 * Takes a mailbox apart (RFC 4155, in the forms mboxo and mboxrd): each mail becomes a file, named by its day and subject. A line of a
 * mail that begins with "From " was written with ">" before it, which goes. A mail that is too large is cut.
 */
export async function* unmbox(stream: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Mail> {
  let lines: Uint8Array[] = [];
  let size = 0;
  let rest = new Uint8Array(0);
  let isAfterBlank = true;
  const mail = function* (): Generator<Mail> {
    if (size > 0)
      yield {
        name: `${folder}${nameOf(joined(lines, Math.min(size, 64 * 1024)))}.eml`,
        bytes: joined(lines, size),
      };
    lines = [];
    size = 0;
  };
  const take = function* (line: Uint8Array): Generator<Mail> {
    if (isAfterBlank && startsWith(line, 'From ')) yield* mail();
    else if (size + line.length <= MAX_MAIL) {
      // ">From " at the beginning of a line, with any number of ">", has one more than was written.
      const kept = /^>+From /.test(latin(line.subarray(0, 64))) ? line.subarray(1) : line;
      lines.push(kept);
      size += kept.length;
    }
    isAfterBlank = line.length <= 2 && latin(line).trim() === '';
  };
  for await (const piece of stream) {
    const all = new Uint8Array(rest.length + piece.length);
    all.set(rest);
    all.set(piece, rest.length);
    let from = 0;
    for (let end = all.indexOf(10); end >= 0; end = all.indexOf(10, from)) {
      yield* take(all.slice(from, end + 1));
      from = end + 1;
    }
    rest = all.slice(from);
    if (rest.length > MAX_MAIL) {
      yield* take(rest);
      rest = new Uint8Array(0);
    }
  }
  if (rest.length > 0) yield* take(rest);
  yield* mail();
}

function joined(lines: readonly Uint8Array[], most: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(most);
  let at = 0;
  for (const line of lines) {
    if (at >= most) break;
    const part = line.subarray(0, most - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the day and the subject of a mail, as far as its head says them in plain letters. */
function nameOf(start: Uint8Array): string {
  const head = new TextDecoder().decode(start).split(/\r?\n\r?\n/, 1)[0] ?? '';
  const value = (name: string): string =>
    (new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(head)?.[1] ?? '')
      .replace(/\s+/g, ' ')
      .trim();
  const date = new Date(value('date'));
  const day = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
  const subject = value('subject')
    .replace(/=\?[^?]*\?[^?]*\?[^?]*\?=/g, '')
    .replace(/\//g, '-')
    .trim()
    .slice(0, 80);
  return [day, subject || 'Mail'].filter(Boolean).join(' ');
}

function startsWith(line: Uint8Array, text: string): boolean {
  return latin(line.subarray(0, text.length)) === text;
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
