import type { Request } from 'express';
import { BrainError } from '../core/errors';

export const MIB = 1024 * 1024;

/** Deeper values are nobody's notes, and recursive code must not meet them. */
const MAX_DEPTH = 64;

/** Keys that turn a careless copy of an object into a change of every object. */
const DANGEROUS_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/**
 * Reads the request's JSON. No body at all counts as `{}`. The media type is checked before a byte is read.
 * @param limit most bytes that the body may have
 * @throws BrainError `unsupported_media_type`, `too_large` or `invalid_json`.
 */
export async function readJson(req: Request, limit: number): Promise<unknown> {
  const length = req.headers['content-length'];
  if (req.headers['transfer-encoding'] === undefined && Number(length ?? 0) === 0) return {};
  checkMediaType(req.headers['content-type'], req.headers['content-encoding']);
  if (Number(length ?? 0) > limit) throw tooLarge(limit);
  const bytes = await readBytes(req, limit);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/** JSON in plain UTF-8 only. A page of another site cannot send this type without asking first, and it never gets leave. */
function checkMediaType(type: string | undefined, encoding: string | undefined): void {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new BrainError(
      'unsupported_media_type',
      'Compressed bodies are not taken. Leave out Content-Encoding.',
    );
  }
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
function readBytes(req: Request, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    req.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        reject(tooLarge(limit));
      }
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    // A client that went away gets no answer; that is not a failure of the service.
    req.on('error', () => reject(new BrainError('invalid_json', 'The body ended too early. Send it again.')));
  });
}

function tooLarge(limit: number): BrainError {
  return new BrainError('too_large', `The body may have at most ${limit / MIB} MiB. Send less at a time.`, {
    limit_bytes: limit,
  });
}

/**
 * Reads JSON that may be hostile.
 * @throws BrainError `invalid_json` for bytes that are not UTF-8, for bad JSON, for values nested deeper than 64, for
 * keys that name an object's prototype, and for text with half a surrogate pair, which no file could hold.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (isTooDeep(text)) throw invalid(`The JSON is nested deeper than ${MAX_DEPTH} levels.`);
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

/** Counts brackets outside strings, before the parser builds anything from them. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') i = endOfString(text, i);
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    }
  }
  return false;
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
      if (DANGEROUS_KEYS.includes(key)) throw invalid(`The key "${key}" is not allowed.`);
      checkValue(key);
      checkValue(element);
    }
  }
}

function invalid(message: string): BrainError {
  return new BrainError('invalid_json', message);
}
