import type { Request } from 'express';
import { BrainError } from '../../core/base/errors';
import { MIB } from '../../core/base/hash';
import type { IfMatch } from '../../core/base/if-match';
import { isRecord } from '../../core/base/json';
import { endedEarly, type OpenBodies } from './connections';

/** Deeper values are nobody's notes, and recursive code must not meet them. */
const MAX_DEPTH = 64;

/** No call has as many values; 32 MiB of `{},` would hold the thread for ten seconds. */
const MAX_VALUES = 200_000;

/**
 * Bytes of bodies that may be in memory at once, whatever the callers are: four of the largest that any route takes. As text
 * and as values a body takes many times its size, and each of the largest holds the thread for half a second.
 */
const BODY_MEMORY = 128 * MIB;

/** A body up to here is always taken, so that a few large ones that arrive slowly keep nobody else out. */
const SMALL_BODY = MIB;

const [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [34, 44, 91, 93, 123, 125];

/**
 * The key by which a careless copy of an object gets another ancestor. Any other, `constructor` and `prototype` among them, is
 * a property of its own there; only a copy that merges objects deep down could go wrong by those, and nothing here does that.
 */
const DANGEROUS_KEY = '__proto__';

/** What the bodies of all calls under way take of the memory. */
export class BodyMemory {
  #held = 0;

  constructor(
    private readonly most = BODY_MEMORY,
    private readonly small = SMALL_BODY,
  ) {}

  /**
   * Counts bytes for a call that is under way; `release` gives all of them back.
   * @throws BrainError `busy` when the body is not small and those of all calls together would take too much.
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

/** What the bodies of all calls share. */
export interface BodyRoom {
  readonly memory: BodyMemory;
  readonly open: OpenBodies;
}

/**
 * Reads the request's JSON. No body at all counts as `{}`. The media type is checked before a byte is read, and before a
 * client that waits for leave to send (`Expect: 100-continue`) gets it. What is read counts in `memory` until the answer is
 * over, and until it is whole as one of the open bodies of its caller.
 * @param limit most bytes that the body may have
 * @param caller whose open bodies are counted together
 * @param count told of its bytes: of all of them before the first is read where the request says how many, else of each part
 * that arrives. What it throws refuses the body.
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
 * JSON in plain UTF-8 only, said once. A page of another site cannot send this type without asking first, and it never gets
 * leave.
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
 * The whole body. When it grows too large the answer need not wait for its end: what still arrives is thrown away, so
 * that the client can read the answer, until the server's time limit for requests ends the connection.
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
    // A client that went away gets no answer; that is not a failure of the service.
    req.on('error', () => reject(endedEarly()));
  });
}

function tooLarge(limit: number): BrainError {
  return new BrainError('too_large', `The body may have at most ${limit / MIB} MiB. Send less at a time.`, {
    limit_bytes: limit,
  });
}

/**
 * Reads JSON that may be hostile.
 * @throws BrainError `invalid_json` for bytes that are not UTF-8, for bad JSON, for values nested deeper than 64 or more than
 * 200,000 of them, for keys that name an object's prototype, and for text with half a surrogate pair, which no file could hold.
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
    // The parser's own message quotes the body, which may be a note.
    throw invalid(
      'The body is not valid JSON. Quote all keys and strings with ", and leave no comma at the end.',
    );
  }
}

/** Counts brackets and commas outside strings, before the parser builds anything from them. */
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

/** Index of the quote that closes the string opened at `start`, or the text's length. */
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

/** One entity tag of RFC 9110, section 8.8.3, with its mark of weakness. */
const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
/** As many tags as a header of the allowed length can hold are read; no comma may stand in the tags of this server. */
const LIST = /^[\t ]*,|^[\t ]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/;

interface Tag {
  readonly weak: boolean;
  readonly text: string;
}

/**
 * What `If-Match` demands of the note that a call changes, or undefined without it. It means what `expected_hash` in the body
 * does: strong tags are hashes, one of which the note has to have; a weak one never fits; `*` wants that there is a note.
 * @throws BrainError `invalid_field` for a header that is none, for one that says something else than the body, and where a
 * call has no one note that it could be about
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

/** True when `If-None-Match` says that the caller has this version already. @throws BrainError `invalid_field` */
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
