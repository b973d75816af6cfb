import * as z from 'zod';
import { BrainError } from '../../core/base/errors';
import type { StopSignal } from '../../core/base/host';
import { parsedJson } from '../../core/base/json';
import { holdsKey, keyAdvice, mayCarryKey } from '../../core/base/redact';
import { isBlank } from '../../core/base/text';
import type { Config } from '../../core/config/config';
import { converterAdvice } from '../../core/documents/formats';
import type { DocumentFile, DocumentText } from '../../core/documents/ports';
import { type HttpClient, HttpFailure, type HttpResponse } from '../../core/ports/ports';
import { CUT_WARNING, within } from '../document-program/markup';

/** The number of bytes that are encoded in one go: a multiple of three, so that no padding comes in between. */
const CHUNK = 3 * 8192;
/** The number of chunks after which other work gets its turn. */
const CHUNKS_AT_ONCE = 32;

/** Encodes bytes in base64 (RFC 4648). Blocks the thread for a few milliseconds at a time. */
async function base64(bytes: Uint8Array, breathe: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(from, from + CHUNK))));
    if (parts.length % CHUNKS_AT_ONCE === 0) await breathe();
  }
  return parts.join('');
}

/** The meaning of a converter's answer. */
type ToolAnswer =
  | { readonly kind: 'text'; readonly text: string }
  /** The tool, or the protocol, reports a failure and its reason. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unusable' };

const errorShape = z.object({ error: z.object({ message: z.string().catch('') }) });
const resultShape = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
  }),
});

/** Reads the answer to a `tools/call`, as JSON or as an event of a stream (MCP, Streamable HTTP). */
function readToolAnswer(body: string, contentType: string): ToolAnswer {
  const messages = /^\s*text\/event-stream/i.test(contentType) ? eventsOf(body) : [body];
  for (const message of messages) {
    const answer = readMessage(message);
    if (answer !== null) return answer;
  }
  return { kind: 'unusable' };
}

/** Returns null for a message that is not an answer: a server may send notifications before it. */
function readMessage(text: string): ToolAnswer | null {
  const json = parsedJson(text);
  const error = errorShape.safeParse(json);
  if (error.success) return { kind: 'refused', message: error.data.error.message };
  const answer = resultShape.safeParse(json);
  if (!answer.success) return null;
  const { content, isError } = answer.data.result;
  const texts = content.flatMap(({ type, text: said }) =>
    type === 'text' && said !== undefined ? [said] : [],
  );
  const joined = texts.join('\n\n');
  return isError === true ? { kind: 'refused', message: joined } : { kind: 'text', text: joined };
}

/** Returns the data of each event of a stream (WHATWG HTML, 9.2.6). */
function eventsOf(stream: string): string[] {
  return stream
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) =>
      event
        .split(/\r\n|\n|\r/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).replace(/^ /, '')] : []))
        .join('\n'),
    )
    .filter((data) => data !== '');
}

/** The tool of markitdown-mcp, for which this call is made. Its one argument is `uri`. */
const TOOL = 'convert_to_markdown';
/** The timeout for a document (ms): pictures may go through a model. */
const TIMEOUT_MS = 120_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** The number of characters of the converter's error message that are passed on. */
const MAX_UPSTREAM = 200;

/** The address of the converter; read again for every document. */
export interface ConverterSettings {
  /** `LOCAL_CONVERTER` for the built-in one; absent without a converter. */
  readonly url?: string | undefined;
  /** Sent to this address as a bearer token, and nowhere else. */
  readonly token?: string | undefined;
  /** The hosts that may get it over plain http. */
  readonly plainHosts?: readonly string[];
}

export interface ConverterOptions {
  readonly http: HttpClient;
  readonly settings: () => ConverterSettings;
  /** Resolves in a later turn of the event loop. */
  readonly breathe: () => Promise<void>;
}

/**
 * Reads a document through the converter, by one `tools/call` that holds all of it, without a session.
 * @throws BrainError `unsupported_type` without a converter, `converter_error` when it fails or answers no text, `busy`
 * when the caller stops it
 */
export async function convert(
  { name, bytes }: DocumentFile,
  mediaType: string,
  { http, settings, breathe }: ConverterOptions,
  signal?: StopSignal,
): Promise<DocumentText> {
  const { url, token, plainHosts = [] } = settings();
  if (url === undefined) throw noConverter(name);
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw failed(
      name,
      'has an address that cannot be used; set CONVERTER_URL to local: for the built-in one, or to a web address such as http://127.0.0.1:3001/mcp',
      { lasting: true },
    );
  if ((token !== undefined || holdsKey(url)) && !mayCarryKey(url, plainHosts))
    throw failed(
      name,
      `was not asked, because its token would cross a network unencrypted; ${keyAdvice(new URL(url).hostname)}`,
      { lasting: true },
    );
  // A header cannot hold it; a token from a file often ends with a line break.
  if (token !== undefined && !/^[!-~]+$/.test(token))
    throw failed(
      name,
      'has a token that cannot be sent; set CONVERTER_BEARER_TOKEN to it without spaces, line ends and other than ASCII characters',
      { lasting: true },
    );
  const uri = `data:${mediaType};base64,${await base64(bytes, breathe)}`;
  const answer = await send(
    http,
    {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: TOOL, arguments: { uri } },
      }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      redirects: 'same-origin-once',
      ...(signal && { signal }),
    },
    name,
  );
  const whole = textOf(answer, name, token);
  const markdown = within(whole);
  return { markdown, converted: true, warnings: markdown.length < whole.length ? [CUT_WARNING] : [] };
}

async function send(
  http: HttpClient,
  request: Parameters<HttpClient['send']>[0],
  name: string,
): Promise<HttpResponse> {
  try {
    return await http.send(request);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.code === 'stopped')
      throw new BrainError('busy', `Reading ${name} was called off. Start it again when it is wanted.`);
    const why = WHY[error.code] ?? `cannot be reached (${error.code}); see that it runs`;
    const { code, status } = error;
    throw failed(name, why, { ...(status !== undefined && { status }), lasting: LASTING.has(code) });
  }
}

const WHY: Readonly<Partial<Record<string, string>>> = {
  timeout: `gave no whole answer within ${TIMEOUT_MS / 1000} s`,
  too_large: `answered more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB; split the file`,
  redirect: 'sends to another address, which is not followed; if you trust that one, set CONVERTER_URL to it',
};

/** The failures that another try cannot mend. */
const LASTING: ReadonlySet<string> = new Set(['too_large', 'redirect']);

const HINTS: Readonly<Partial<Record<number, string>>> = {
  401: 'see that CONVERTER_BEARER_TOKEN is right',
  403: 'see that CONVERTER_BEARER_TOKEN is right',
  404: 'see that CONVERTER_URL is right; markitdown-mcp answers at /mcp',
  413: 'the file is too large for it',
};

/** Returns the text of an answer. @throws BrainError `converter_error` unless there is one */
function textOf({ status, headers, body }: HttpResponse, name: string, token: string | undefined): string {
  const say = (what: string, upstream = '') =>
    failed(name, what, { status, upstream: shown(upstream, token) });
  if (status < 200 || status > 299)
    throw say(`answered HTTP ${status}; ${HINTS[status] ?? 'its own log says why'}`, body);
  const answer = readToolAnswer(body, headers['content-type'] ?? '');
  switch (answer.kind) {
    case 'text':
      if (isBlank(answer.text))
        throw say('found no text in it; a picture needs a converter that recognises text (OCR)');
      return answer.text;
    case 'refused':
      throw say(
        `could not read it${answer.message === '' ? '' : `: ${shown(answer.message, token)}`}`,
        answer.message,
      );
    case 'unusable':
      throw say('answered something else than an MCP tool does; see that CONVERTER_URL is right', body);
  }
}

/** Returns the converter's message, short, on one line, and without the token, which it may repeat. */
function shown(upstream: string, token: string | undefined): string {
  const hidden = token === undefined || token === '' ? upstream : upstream.replaceAll(token, '***');
  const line = hidden
    .slice(0, 4 * MAX_UPSTREAM)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return within(line, MAX_UPSTREAM);
}

interface Failure {
  readonly status?: number;
  readonly upstream?: string;
  /** True when another try cannot help. */
  readonly lasting?: boolean;
}

function failed(
  file: string,
  what: string,
  { status, upstream = '', lasting = false }: Failure = {},
): BrainError {
  return new BrainError('converter_error', `${file}: the converter ${what}.`, {
    tool: TOOL,
    ...(status !== undefined && { status }),
    upstream,
    file,
    ...(lasting && { lasting }),
  });
}

/** Returns the error for a file of a kind that no converter of the settings reads. */
export function noConverter(name: string): BrainError {
  return new BrainError(
    'unsupported_type',
    `${name} can only be read by a document converter, and none that reads it is set. ${converterAdvice(name)} Or save the file as PDF or text.`,
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that reads the converter's settings: an environment variable that is not empty wins over the setting.
 * Call it while `config` is new: a value that `config` took from the environment then does not count as a setting.
 */
export function converterSettings(
  env: Environment,
  {
    converterUrl,
    converterToken,
    plainHosts,
  }: Pick<Config, 'converterUrl' | 'converterToken'> & Partial<Pick<Config, 'plainHosts'>>,
): () => ConverterSettings {
  const url = isSet(env.CONVERTER_URL) ? undefined : converterUrl;
  const token = isSet(env.CONVERTER_BEARER_TOKEN) ? undefined : converterToken;
  return () => ({
    url: isSet(env.CONVERTER_URL) ? env.CONVERTER_URL : url,
    token: isSet(env.CONVERTER_BEARER_TOKEN) ? env.CONVERTER_BEARER_TOKEN : token,
    ...(plainHosts && { plainHosts }),
  });
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
