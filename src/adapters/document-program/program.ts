import { BrainError } from '../../core/base/errors';
import { isBlank, withoutNul } from '../../core/base/text';
import { readCalendar } from './calendar';
import { readCards } from './cards';
import { readChats } from './chats';
import { wholeCharacters } from './content-lines';
import { decodeHtml, readDecoded } from './decode';
import { readDocx } from './docx';
import { readHtml } from './html';
import { readJson, readJsonLines } from './json';
import { readMail } from './mail';
import { readNotebook } from './notebook';
import { readOrg } from './org';
import { readLog, readPlain, readText, readYaml } from './plain';
import type { Job, ReadCharacterMap, ReadText, Refusal } from './protocol';
import { readRst } from './rst';
import { readTable } from './table';
import { readTalk } from './talk';
import { readXlsx } from './xlsx';

/**
 * Reads a document, in the thread: it may take long, and hostile files may make it fail in any way.
 * @throws BrainError `unsupported_type`, `no_text`, `too_large`; any other error for an unforeseen failure
 */
export async function readDocument(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const read = await readKind(job, characterMaps);
  if (isBlank(read.markdown))
    throw new BrainError('no_text', `${job.name} has no text. Nothing was made of it.`);
  // One character replaces each NUL, so that the offsets of pages stay right.
  return { ...read, markdown: withoutNul(read.markdown) };
}

type Kind = Job['kind'];

/** The readers of all kinds but PDF. */
const READERS: Readonly<
  Record<Exclude<Kind, 'pdf'>, (bytes: Job['bytes'], name: string) => ReadText | Promise<ReadText>>
> = {
  markdown: (bytes, name) => readDecoded(bytes, name, readPlain),
  text: (bytes, name) => readDecoded(bytes, name, readText),
  log: (bytes, name) => readDecoded(bytes, name, readLog),
  html: (bytes, name) => readDecoded(bytes, name, (text) => readHtml(text, false, name), decodeHtml),
  table: (bytes, name) => readDecoded(bytes, name, readTable),
  json: (bytes, name) => readDecoded(bytes, name, (text) => readChats(text) ?? readJson(text)),
  jsonl: (bytes, name) => readDecoded(bytes, name, readJsonLines),
  notebook: (bytes, name) => readDecoded(bytes, name, readNotebook),
  cards: (bytes, name) => readDecoded(wholeCharacters(bytes), name, readCards),
  calendar: (bytes, name) => readDecoded(wholeCharacters(bytes), name, readCalendar),
  mail: readMail,
  org: (bytes, name) => readDecoded(bytes, name, readOrg),
  rst: (bytes, name) => readDecoded(bytes, name, readRst),
  talk: (bytes, name) => readDecoded(bytes, name, readTalk),
  yaml: (bytes, name) => readDecoded(bytes, name, readYaml),
  docx: readDocx,
  xlsx: readXlsx,
  pptx: notYet,
  odt: notYet,
  ods: notYet,
  odp: notYet,
  rtf: notYet,
};

function notYet(_: Uint8Array, name: string): never {
  throw new BrainError(
    'unsupported_type',
    `${name} is of a kind that the built-in converter does not read yet. Save it as docx, xlsx or PDF, and ingest that.`,
  );
}

async function readKind(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const { kind, name, bytes } = job;
  // pdf.js is most of the program; other documents do not wait for it.
  if (kind === 'pdf') return (await import('./pdf')).readPdf(job, characterMaps);
  return READERS[kind](bytes, name);
}

/** Returns what is told of a document that cannot be read, or of an export that cannot be expanded. */
export function toRefusal(error: unknown, name: string): Refusal {
  if (error instanceof BrainError) return { code: error.code, message: error.message };
  const cause = String(error);
  if (error instanceof RangeError)
    return {
      code: 'too_large',
      message: `${name} is nested too deep or unpacks to too much to be read. Save its text by itself and ingest that.`,
      cause,
    };
  return {
    code: 'unsupported_type',
    message: `${name} is damaged, so that it cannot be read. Open it, save it again, and ingest that.`,
    cause,
  };
}
