import * as z from 'zod';
import { BrainError } from '../errors';
import { operation } from '../operation';
import { sha256 } from '../rules/hash';
import { fileAnswerShape, jobShape } from './ingest-answers';
import { ingestSource } from './ingest-source';
import { backgroundField, perhapsInBackground } from './job-operations';
import { MAX_FILE_BYTES } from './source-files';
import { sourceReference } from './source-reference';

const MAX_NAME = 500;

const input = z.strictObject({
  name: z.string().max(MAX_NAME).describe('File name with its extension, which tells the kind'),
  bytes: z.instanceof(Uint8Array),
  background: backgroundField,
});

/**
 * Turns a file that is held in memory into pages: one that a person drops on a screen inside the host. It is kept among the
 * handled originals, and its pages link to it there. For callers in this process; no door leads here. Fails with
 * `unsupported_type`, `empty_content`, `too_large`, `no_text`, `converter_error`, `busy`.
 */
export const ingestDropped = operation({
  name: 'ingest_dropped',
  scope: 'propose',
  mutates: true,
  input,
  output: z.union([jobShape, fileAnswerShape]),
  async run(brain, { name, bytes: given, background }, caller, watch) {
    const bytes = new Uint8Array(given);
    checkFile(name, bytes.length);
    const readability = brain.documents.readability(name);
    if (readability === 'unknown')
      throw unsupported('This kind of file cannot be read. Save it as text or PDF.');
    if (readability === 'no_converter') {
      throw unsupported('Only a converter can read this kind of file, and none is set. Set "Converter".');
    }
    return perhapsInBackground(brain, { caller, background, watch }, (each) =>
      brain.fileTurns.run(async () => {
        let converted = false;
        const answer = await ingestSource(
          brain,
          {
            hash: await brain.pace.run(() => sha256(bytes)),
            name,
            label: null,
            reference: (original) => original && sourceReference(original, name),
            original: { kind: 'keep', bytes },
            async read() {
              const text = await brain.documents.read({ name, bytes }, each.signal);
              converted = text.converted;
              return text;
            },
            destination: brain.config.ingestDestination,
            force: false,
            dryRun: false,
            ...each,
          },
          caller,
        );
        return { ...answer, file: name, converted };
      }),
    );
  },
});

function checkFile(name: string, size: number): void {
  if (name.trim() === '') throw new BrainError('missing_field', 'The file has no name. Give it one.');
  if (size === 0) throw new BrainError('empty_content', 'The file is empty.');
  if (size <= MAX_FILE_BYTES) return;
  const most = MAX_FILE_BYTES / (1024 * 1024);
  throw new BrainError('too_large', `The file is larger than ${most} MiB, which is the most that is read.`);
}

function unsupported(message: string): BrainError {
  return new BrainError('unsupported_type', message);
}
