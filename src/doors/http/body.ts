// Node's timers: Chromium throttles those of a hidden window.
import type { Request } from 'express';
import { clearTimeout, setTimeout } from 'node:timers';
import { BrainError } from '../../core/base/errors';
import { MIB } from '../../core/base/hash';
import type { IfMatch } from '../../core/base/if-match';
import { isRecord } from '../../core/base/json';
import { uploadTooLarge } from '../../core/documents/ports';
import { endedEarly, markReceiving, type OpenBodies } from './connections';

/** The depth of JSON: no note needs more, and recursive code must not meet more. */
const MAX_DEPTH = 64;

/** The number of values in a body: no call has more, and 32 MiB of `{},` would block the thread for ten seconds. */
const MAX_VALUES = 200_000;

/**
 * The memory for the bodies of all callers (bytes): four of the largest that any route takes. As text and as values a body
 * takes many times its size, and each of the largest blocks the thread for half a second.
 */
const BODY_MEMORY = 128 * MIB;

/** The size of a body that is always accepted (bytes), so that a few large ones that arrive slowly lock nobody out. */
const SMALL_BODY = MIB;

const [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [34, 44, 91, 93, 123, 125];

/**
 * The key with which a careless copy of an object gets another prototype. Other keys, such as `constructor` and
 * `prototype`, become own properties; only a deep merge could go wrong with them, and nothing here merges deeply.
 */
const DANGEROUS_KEY = '__proto__';

/** The memory that the bodies of all open calls take. */
export class BodyMemory {
  #held = 0;

  constructor(
    private readonly most = BODY_MEMORY,
    private readonly small = SMALL_BODY,
  ) {}

  /**
   * Returns a counter for the bytes of an open call; `release` gives all of them back.
   * @throws (`hold`) BrainError `busy` when the body is not small and all bodies together would take too much.
   */
  holder(): { readonly hold: (bytes: number) => void; readonly release: () => void } {
    let own = 0;
    return {
      hold: (bytes) => {
        if (own + bytes > this.small && this.#held + bytes > this.most) {
          throw new BrainError('busy', 'Too many large calls are under way. Try again in a few seconds.', {
            retry_after: 2,
          });
        }
        own += bytes;
        this.#held += bytes;
      },
      release: () => {
        this.#held -= own;
        own = 0;
      },
    };
  }
}

/** The limits that the bodies of all calls share. */
export interface BodyRoom {
  readonly memory: BodyMemory;
  readonly open: OpenBodies;
}

/**
 * Reads the request's JSON. A missing body counts as `{}`. The media type is checked before a byte is read, and before a
 * client that waits for `100 Continue` gets it. The body counts in `memory` until the answer has closed, and as an open
 * body of its caller until it is complete.
 * @param limit the largest body (bytes)
 * @param caller the key under which open bodies are counted
 * @param count gets the number of bytes: all of them before the first is read if the request declares it, else those of
 * each chunk. An error that it throws refuses the body.
 * @throws BrainError `unsupported_media_type`, `too_large`, `invalid_json`, or `busy`.
 */
export async function readJson(
  req: Request,
  limit: number,
  { memory, open }: BodyRoom,
  caller: string,
  count: (bytes: number) => void = () => undefined,
): Promise<unknown> {
  const { headers, headersDistinct, res } = req;
  const length = headers['content-length'];
  const transfer = headers['transfer-encoding'];
  if (transfer === undefined && Number(length ?? 0) === 0) return {};
  checkEncoding(headers['content-encoding'], transfer);
  checkMediaType(headersDistinct['content-type']);
  if (Number(length ?? 0) > limit) throw tooLarge(limit);
  const leave = await open.enter(req, caller);
  let bytes: Uint8Array;
  try {
    if (length !== undefined) count(Number(length));
    if (headers.expect !== undefined) {
      res?.removeHeader('Connection');
      res?.writeContinue();
    }
    const holder = memory.holder();
    res?.once('close', holder.release);
    bytes = await readBytes(req, limit, (part) => {
      if (length === undefined) count(part);
      holder.hold(part);
    });
  } finally {
    leave();
  }
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/** A client that sends nothing of a file for this long (ms) is disconnected. */
const SILENCE_MS = 30_000;
/** A file may take as long as any request, and further time for its size at this speed (bytes per second). */
const LEAST_SPEED = 4096;
/** The time in which the rest of a refused file may still come (ms), so that the client reads the answer. */
const REST_MS = 10_000;

/** The limits of a file that is received. */
export interface FileLimits {
  /** The largest size that a request may declare (bytes). */
  readonly limit: number;
  readonly open: OpenBodies;
  /** The key under which open bodies are counted. */
  readonly caller: string;
  /** Gets the number of bytes of each piece. An error that it throws refuses the file. */
  readonly count: (bytes: number) => void;
}

/**
 * Checks the headers of a request whose body is a file, and returns its bytes, which come while they are read and not faster.
 * @throws BrainError `unsupported_media_type` for a compressed body or a form, `too_large` for a declared size beyond the
 * limit. Reading throws `busy`, and `invalid_json` when the client has left.
 */
export function readFile(req: Request, limits: FileLimits): AsyncIterable<Uint8Array> {
  const { headers } = req;
  checkEncoding(headers['content-encoding'], headers['transfer-encoding']);
  if (/^\s*multipart\//i.test(headers['content-type'] ?? '')) {
    throw new BrainError(
      'unsupported_media_type',
      'A form is not taken. Send the bytes of the file alone as the body, as curl does with --data-binary @file.',
    );
  }
  if (Number(headers['content-length'] ?? 0) > limits.limit) throw uploadTooLarge(limits.limit);
  return receivedBytes(req, limits);
}

async function* receivedBytes(req: Request, limits: FileLimits): AsyncGenerator<Uint8Array> {
  const { open, caller, count } = limits;
  const { headers, socket, res } = req;
  const begun = performance.now();
  let size = 0;
  let timer = setTimeout(() => undefined, 0);
  const expectMore = (): void => {
    clearTimeout(timer);
    const spent = performance.now() - begun;
    const left = SILENCE_MS + (1000 * size) / LEAST_SPEED - spent;
    timer = setTimeout(() => req.destroy(), Math.min(SILENCE_MS, Math.max(0, left)));
  };
  const leave = await open.enter(req, caller);
  markReceiving(socket, true);
  try {
    if (headers.expect !== undefined) {
      res?.removeHeader('Connection');
      res?.writeContinue();
    }
    expectMore();
    // A body that is not read to its end must not close the connection: the client still reads the answer.
    const pieces: AsyncIterable<Uint8Array> = req.iterator({ destroyOnReturn: false });
    for await (const bytes of pieces) {
      size += bytes.length;
      count(bytes.length);
      clearTimeout(timer);
      yield bytes;
      expectMore();
    }
    if (!req.complete) throw endedEarly();
  } catch (error) {
    throw error instanceof BrainError ? error : endedEarly();
  } finally {
    clearTimeout(timer);
    leave();
    markReceiving(socket, false);
    if (!req.complete && !req.destroyed) {
      req.resume();
      const rest = setTimeout(() => req.destroy(), REST_MS);
      req.once('close', () => clearTimeout(rest));
    }
  }
}

function checkEncoding(content: string | undefined, transfer: string | undefined): void {
  const plain = (encoding: string | undefined, usual: string) =>
    encoding === undefined || encoding.trim().toLowerCase() === usual;
  if (plain(content, 'identity') && plain(transfer, 'chunked')) return;
  throw new BrainError(
    'unsupported_media_type',
    'Compressed bodies are not taken. Leave out Content-Encoding.',
  );
}

/**
 * Accepts one Content-Type of JSON in UTF-8. A page of another site cannot send this type without a preflight request,
 * which is always refused.
 */
function checkMediaType(types: readonly string[] = []): void {
  const type = types.length === 1 ? types[0] : undefined;
  const [media, ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset));
  if (media !== 'application/json' || !isUtf8) {
    throw new BrainError(
      'unsupported_media_type',
      'The body must be JSON in UTF-8. Send the header "Content-Type: application/json".',
    );
  }
}

/**
 * Reads the whole body. A body that is too large is refused at once; the rest of it is discarded, so that the client can
 * read the answer, until the server's request timeout closes the connection.
 */
function readBytes(req: Request, limit: number, hold: (bytes: number) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let isRefused = false;
    const refuse = (error: unknown): void => {
      isRefused = true;
      chunks.length = 0;
      reject(error instanceof Error ? error : new Error('not an error'));
    };
    req.on('data', (chunk: Uint8Array) => {
      if (isRefused) return;
      size += chunk.length;
      if (size > limit) return refuse(tooLarge(limit));
      try {
        hold(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    // A client that has left gets no answer; that is no failure of the service.
    req.on('error', () => reject(endedEarly()));
  });
}

function tooLarge(limit: number): BrainError {
  return new BrainError('too_large', `The body may have at most ${limit / MIB} MiB. Send less at a time.`, {
    limit_bytes: limit,
  });
}

/**
 * Parses JSON that may be hostile.
 * @throws BrainError `invalid_json` for bytes that are not UTF-8, for invalid JSON, for values nested deeper than 64 or
 * more than 200,000 of them, for the key `__proto__`, and for text with half a surrogate pair, which no file could hold.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  checkShape(text);
  const value = parse(text);
  checkValue(value);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may be a note.
    throw invalid(
      'The body is not valid JSON. Quote all keys and strings with ", and leave no comma at the end.',
    );
  }
}

/** Counts brackets and commas outside strings, before the parser builds values from them. */
function checkShape(text: string): void {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) i = endOfString(text, i);
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET || character === COMMA) {
      values += 1;
      if (values > MAX_VALUES)
        throw invalid(`The JSON has more than ${MAX_VALUES} values. Send less at a time.`);
      if (character !== COMMA) depth += 1;
      if (depth > MAX_DEPTH) throw invalid(`The JSON is nested deeper than ${MAX_DEPTH} levels.`);
    }
  }
}

/** Returns the index of the quote that closes the string opened at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function checkValue(value: unknown): void {
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value))
      throw invalid('A string holds half a surrogate pair (\\ud800 to \\udfff).');
  } else if (Array.isArray(value)) {
    for (const element of value) checkValue(element);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      if (key === DANGEROUS_KEY) throw invalid(`The key "${key}" is not allowed.`);
      checkValue(key);
      checkValue(element);
    }
  }
}

function invalid(message: string): BrainError {
  return new BrainError('invalid_json', message);
}

/** An entity tag (RFC 9110, section 8.8.3), with its weakness prefix. */
const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
/**
 * An element of a list of tags; a header of the allowed length limits their number. The tags of this server hold no comma.
 */
const LIST = /^[\t ]*,|^[\t ]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/;

interface Tag {
  readonly weak: boolean;
  readonly text: string;
}

/**
 * Returns the condition of `If-Match`, or undefined without it. It means the same as `expected_hash` in the body: strong
 * tags are hashes, of which the note must have one; a weak tag never matches; `*` requires that the note exists.
 * @throws BrainError `invalid_field` for an invalid header, for one that contradicts the body, and for a call that does not
 * change one note
 */
export function ifMatchOf(req: Request, input: unknown, takesHash: boolean): IfMatch | undefined {
  const header = req.headers['if-match'];
  if (header === undefined) return undefined;
  const found = readTags('If-Match', header);
  if (!takesHash) {
    throw new BrainError(
      'invalid_field',
      'This call changes no note that it names by its version, so If-Match cannot be met. Leave the header out.',
      { field: 'If-Match' },
    );
  }
  const hashes = found === '*' ? '*' : found.filter(({ weak }) => !weak).map(({ text }) => text);
  const given = isRecord(input) ? (input.expected_hash ?? undefined) : undefined;
  if (typeof given === 'string' && hashes !== '*' && !hashes.includes(given)) {
    throw new BrainError(
      'invalid_field',
      'If-Match and "expected_hash" name different versions of the note. Send one of them.',
      { field: 'expected_hash' },
    );
  }
  return hashes;
}

/** Returns true when `If-None-Match` names this version. @throws BrainError `invalid_field` */
export function hasAlready(req: Request, hash: string): boolean {
  const header = req.headers['if-none-match'];
  if (header === undefined) return false;
  const found = readTags('If-None-Match', header);
  return found === '*' || found.some(({ text }) => text === hash);
}

function readTags(name: string, header: string): '*' | readonly Tag[] {
  if (header.trim() === '*') return '*';
  const tags: Tag[] = [];
  let rest = header;
  while (rest.trim() !== '') {
    const [whole = '', tag] = LIST.exec(rest) ?? [];
    if (whole === '') throw malformed(name);
    if (tag !== undefined) {
      const [, weak, text = ''] = TAG.exec(tag) ?? [];
      tags.push({ weak: weak !== undefined, text });
    }
    rest = rest.slice(whole.length);
  }
  if (tags.length === 0) throw malformed(name);
  return tags;
}

function malformed(name: string): BrainError {
  return new BrainError(
    'invalid_field',
    `${name} must be "*" or one or more tags in quotes, such as "<content_hash>".`,
    { field: name },
  );
}
