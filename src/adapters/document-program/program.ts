import { BrainError } from '../../core/base/errors';
import { isBlank, withoutNul } from '../../core/base/text';
import { readCalendar } from './calendar';
import { readCards } from './cards';
import { readChats } from './chats';
import { wholeCharacters } from './content-lines';
import { decodeHtml, readDecoded } from './decode';
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

async function readKind(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const { kind, name, bytes } = job;
  switch (kind) {
    case 'markdown':
      return readDecoded(bytes, name, readPlain);
    case 'text':
      return readDecoded(bytes, name, readText);
    case 'log':
      return readDecoded(bytes, name, readLog);
    case 'html':
      return readDecoded(bytes, name, (text) => readHtml(text, false, name), decodeHtml);
    case 'table':
      return readDecoded(bytes, name, readTable);
    case 'json':
      return readDecoded(bytes, name, (text) => readChats(text) ?? readJson(text));
    case 'jsonl':
      return readDecoded(bytes, name, readJsonLines);
    case 'notebook':
      return readDecoded(bytes, name, readNotebook);
    case 'cards':
      return readDecoded(wholeCharacters(bytes), name, readCards);
    case 'calendar':
      return readDecoded(wholeCharacters(bytes), name, readCalendar);
    case 'mail':
      return readMail(bytes, name);
    case 'org':
      return readDecoded(bytes, name, readOrg);
    case 'rst':
      return readDecoded(bytes, name, readRst);
    case 'talk':
      return readDecoded(bytes, name, readTalk);
    case 'yaml':
      return readDecoded(bytes, name, readYaml);
    case 'pdf':
      // pdf.js is most of the program; other documents do not wait for it.
      return (await import('./pdf')).readPdf(job, characterMaps);
  }
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
