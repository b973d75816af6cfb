import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { MIB } from '../base/hash';
import type { Watch } from '../base/steps';
import { extensionOf, formatOf } from '../documents/formats';
import { type DocumentText, MAX_FILE_BYTES, type Upload, type Uploads } from '../documents/ports';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, MAX_TITLE, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { type FileAnswer, fileAnswerShape, jobShape } from '../operation/shapes';
import { sourceReference } from '../sources/source-references';
import { fileName } from '../vocabulary/paths';
import { backgroundField, blankAsNone, checkKind, inBackgroundOrNow } from './operations';
import type { IngestRequest } from './request';
import { ingestDocument } from './source';

/** The longest name and path of a file that is sent (UTF-16 units). */
const MAX_NAME = 500;
const MAX_PATH = 1000;

/** The field for the name of a file that is sent. */
const nameField = z
  .string()
  .max(MAX_NAME)
  .refine((name) => nameProblem(name) === null, 'must be the name of one file, such as report.pdf')
  .describe('Name of the file with its extension, which tells the kind');

/** The most names in the path of a file: links may name each end of it, so that each costs memory. */
const MAX_DEPTH = 32;

/** The field for the place of a file in a folder that is sent. */
export const placeField = z
  .string()
  .max(MAX_PATH)
  .refine((place) => place.split('/').every((name) => nameProblem(name) === null), {
    message: 'must be the path of a file below the folder, such as plans/router.md',
  })
  .refine((place) => place.split('/').length <= MAX_DEPTH, {
    message: `must have at most ${MAX_DEPTH} names. Send the folders below by themselves`,
  })
  .describe('Path of the file below the folder, with / between the names');

/** Returns why a text is no name of one file; null for a name. Characters that a file system may lack are no problem. */
function nameProblem(name: string): string | null {
  if (name.trim() === '') return 'is empty';
  if (/^\.{1,2}$/.test(name.trim())) return 'names a folder';
  if (/[/\\\p{Cc}\p{Cs}]/u.test(name)) return 'contains a separator or a control character';
  return null;
}

/** The options of a file that is sent, in the query string. */
const uploadInput = z.strictObject({
  name: nameField,
  title: z.string().max(MAX_TITLE).optional(),
  source: z.string().max(2000).optional().describe('URL or label of where it comes from'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  destination: z.enum(['raw', 'wiki']).optional(),
  force: z.boolean().optional().describe('Make the pages again when the file is known already'),
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Receives a file of any kind that can be read, converts it here, and keeps it, byte for byte, among the processed originals.
 * The same bytes again are `unchanged`. Fails with `invalid_filename`, `unsupported_type`, `empty_content`, `too_large`,
 * `no_text`, `converter_error`, `invalid_wing`, or `busy` when too many callers wait; nothing is kept then.
 */
export const ingestUpload = operation({
  name: 'ingest_file',
  scope: 'propose',
  mutates: true,
  keyed: 'none',
  input: uploadInput,
  output: z.union([jobShape, fileAnswerShape]),
  codes: { name: 'invalid_filename' },
  async run(brain, { name, title, source, dry_run, background, ...place }, caller, watch) {
    checkKind(brain, { name });
    const upload = await receive(brain, watch);
    const options: UploadOptions = {
      title: blankAsNone(title) ?? undefined,
      label: blankAsNone(source),
      wing: place.wing,
      hall: place.hall,
      destination: place.destination ?? brain.config.ingestDestination,
      force: place.force === true,
      dryRun: dry_run === true,
    };
    try {
      return await inBackgroundOrNow(brain, { caller, background, watch }, (each) =>
        ingestReceived(brain, { place: name, upload }, { ...options, ...withoutBody(each) }, caller),
      );
    } catch (error) {
      await upload.discard();
      throw error;
    }
  },
});

/** @throws BrainError `path_not_allowed` when the vault is not in a folder of this machine */
export function uploadsOf({ uploads }: Pick<Brain, 'uploads'>): Uploads {
  if (uploads !== undefined) return uploads;
  throw new BrainError(
    'path_not_allowed',
    'This vault is not in a folder of this machine, so no file can be kept. Send its text instead.',
  );
}

/**
 * Receives the file that came with a call.
 * @throws BrainError `missing_field` without one, `empty_content` for an empty one, else as `Uploads.receive`
 */
export async function receive(
  brain: Pick<Brain, 'uploads' | 'config'>,
  watch: Watch = {},
  maxBytes = brain.config.maxUpload,
): Promise<Upload> {
  const { body } = watch;
  if (body === undefined) {
    throw new BrainError('missing_field', 'There is no file. Send its bytes as the body of the call.', {
      field: 'body',
    });
  }
  const upload = await uploadsOf(brain).receive(body, maxBytes);
  if (upload.size > 0) return upload;
  await upload.discard();
  throw new BrainError('empty_content', 'The file is empty. Send the bytes of a file with text.');
}

function withoutBody({ signal, progress }: Watch): Watch {
  return { signal, progress };
}

/** The options with which a received file is ingested. */
export type UploadOptions = Pick<
  IngestRequest,
  | 'title'
  | 'label'
  | 'wing'
  | 'hall'
  | 'destination'
  | 'force'
  | 'dryRun'
  | 'signal'
  | 'progress'
  | 'unread'
  | 'siblings'
  | 'prepared'
  | 'translate'
>;

/** A received file with its name, or its path below the folder that it was sent with. */
export interface ReceivedFile {
  readonly place: string;
  readonly upload: Upload;
}

/** Ingests a received file, and removes what is staged of it. @throws as `ingestSource` */
export function ingestReceived(
  brain: Brain,
  { place, upload }: ReceivedFile,
  options: UploadOptions,
  caller: Caller,
): Promise<FileAnswer> {
  const work = async (): Promise<FileAnswer> => {
    const name = fileName(place).normalize('NFC');
    try {
      return await ingestDocument(
        brain,
        {
          hash: upload.hash,
          name,
          reference: (original) => original && sourceReference(original, name),
          original: { kind: 'upload', upload },
          read: () => readUpload(brain, name, upload, options),
          ...options,
        },
        place,
        caller,
      );
    } finally {
      await upload.discard();
    }
  };
  // A file whose pages are prepared is not read again, so it takes no memory.
  return options.prepared === undefined ? brain.fileTurns.run(work) : work();
}

/** The beginning of a large text that is read (bytes): it has more characters than are taken from a document. */
const HEAD_BYTES = 16 * MIB;
/** The kinds whose beginning can be read without the rest. */
const BY_LINE: ReadonlySet<string> = new Set(['markdown', 'text', 'log', 'table', 'jsonl']);

/** Reads the text of a received file. @throws as `DocumentReader.read` */
export async function readUpload(
  { documents }: Pick<Brain, 'documents'>,
  name: string,
  upload: Upload,
  { signal }: Pick<Watch, 'signal'>,
): Promise<DocumentText> {
  const format = formatOf(name);
  if (format !== null && 'mediaType' in format && upload.size > MAX_FILE_BYTES) {
    throw new BrainError(
      'too_large',
      `"${name}" has more than ${MAX_FILE_BYTES / MIB} MiB, the most that a converter is sent. Split it, or save it as PDF.`,
    );
  }
  const isLong =
    format !== null && 'native' in format && BY_LINE.has(format.native) && upload.size > HEAD_BYTES;
  if (!isLong) return documents.read({ name, bytes: await upload.read(Infinity) }, signal);
  const text = await documents.read({ name, bytes: wholeLines(await upload.read(HEAD_BYTES)) }, signal);
  const cut = `Only the beginning of this .${extensionOf(name)} file was read; the kept original has all of it.`;
  return { ...text, warnings: [...new Set([...text.warnings, cut])] };
}

/** Cuts the bytes after their last line end, so that no character is split; at an even offset, for UTF-16. */
function wholeLines(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const isWide = bytes[end] === 0;
  return end === 0 ? bytes : bytes.subarray(0, isWide ? end + 1 : end);
}
