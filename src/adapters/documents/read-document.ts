import { BrainError } from '../../core/errors';
import { isBlank, withoutNul } from '../../core/rules/text';
import { decodeText } from './kinds/decode';
import { decodeHtml, readHtml } from './kinds/html';
import { readJson, readJsonLines } from './kinds/json';
import { readMail } from './kinds/mail';
import { readOrg } from './kinds/org';
import { readLog, readPlain } from './kinds/plain';
import { readRst } from './kinds/rst';
import { readTable } from './kinds/table';
import type { Job, ReadCharacterMap, ReadText } from './protocol';

/**
 * What a document says. For the thread: it may take long, and hostile files may make it fail in any way.
 * @throws BrainError `unsupported_type`, `no_text`, `too_large`
 */
export async function readDocument(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const read = await readKind(job, characterMaps);
  if (isBlank(read.markdown))
    throw new BrainError('no_text', `${job.name} has no text. Nothing was made of it.`);
  // Each NUL has another character in its place, so that pages still begin where they are said to.
  return { ...read, markdown: withoutNul(read.markdown) };
}

async function readKind(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const { kind, name, bytes } = job;
  switch (kind) {
    case 'markdown':
    case 'text':
      return readPlain(decodeText(bytes, name));
    case 'log':
      return readLog(decodeText(bytes, name));
    case 'html':
      return readHtml(decodeHtml(bytes, name));
    case 'table':
      return readTable(decodeText(bytes, name), name);
    case 'json':
      return readJson(decodeText(bytes, name));
    case 'jsonl':
      return readJsonLines(decodeText(bytes, name));
    case 'mail':
      return readMail(bytes, name);
    case 'org':
      return readOrg(decodeText(bytes, name));
    case 'rst':
      return readRst(decodeText(bytes, name));
    case 'pdf':
      // pdf.js is most of the program, and other documents need not wait for it.
      return (await import('./pdf/read-pdf')).readPdf(job, characterMaps);
  }
}
