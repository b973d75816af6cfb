import { BrainError } from '../../core/base/errors';
import type { StopSignal } from '../../core/base/host';
import { isBlank } from '../../core/base/text';
import { LOCAL_CONVERTER } from '../../core/config/config';
import {
  extensionOf,
  EXTENSIONS,
  formatOf,
  type NativeKind,
  type OfficeKind,
} from '../../core/documents/formats';
import {
  type DocumentFile,
  type DocumentReader,
  type Exports,
  MAX_FILE_BYTES,
} from '../../core/documents/ports';
import { readPlain, readText } from '../document-program/plain';
import type { ReadText } from '../document-program/protocol';
import { utf8Text } from '../document-program/utf8';
import { Attachments, type ReadFile } from './attachments';
import { convert, type ConverterOptions, noConverter } from './converter';
import { DocumentThreads, type ThreadOptions } from './threads';

/** The size of a text up to which it is read on this thread (bytes), which is faster than to start a thread. */
const SMALL_BYTES = 256 * 1024;

export type DocumentReaderOptions = ThreadOptions & ConverterOptions;

/** A reader of documents that can be closed; its open reads then reject with `busy`. */
export interface OpenDocumentReader extends DocumentReader {
  /** Unpacks what an import brings. */
  readonly exports: Exports;
  close(): void;
}

/**
 * Returns the reader of documents: it reads small text itself, the other native kinds in threads, and so Office files with the built-in
 * converter; the rest through an outer converter.
 */
export function documentReader(options: DocumentReaderOptions): OpenDocumentReader {
  const threads = new DocumentThreads(options);
  const read = async (file: DocumentFile, signal?: StopSignal): Promise<ReadFile> => {
    const format = formatOf(file.name);
    if (format === null) throw unknownKind(file.name);
    if ('native' in format)
      return { ...(await readNative(file, format.native, threads, signal)), converted: false };
    if (options.settings().url === LOCAL_CONVERTER) {
      if (format.office === undefined) throw noConverter(file.name);
      return { ...(await readNative(file, format.office, threads, signal)), converted: true };
    }
    if (file.bytes.length > MAX_FILE_BYTES) throw tooLarge(file.name);
    return convert(file, format.mediaType, options, signal);
  };
  return {
    readability(name) {
      const format = formatOf(name);
      if (format === null) return 'unknown';
      if ('native' in format) return 'native';
      const { url } = options.settings();
      const isRead = url === LOCAL_CONVERTER ? format.office !== undefined : url !== undefined;
      return isRead ? 'converter' : 'no_converter';
    },
    async read(file, signal) {
      const first = await read(file, signal);
      return new Attachments((each) => read(each, signal), options.sleep).read(first);
    },
    exports: { expand: (files, watch) => threads.expand(files, watch) },
    close: () => threads.close(),
  };
}

async function readNative(
  { name, bytes }: DocumentFile,
  kind: NativeKind | OfficeKind,
  threads: DocumentThreads,
  signal?: StopSignal,
): Promise<ReadText> {
  if (bytes.length === 0) throw new BrainError('no_text', `${name} is empty. Nothing was made of it.`);
  const isPlain = (kind === 'markdown' || kind === 'text') && bytes.length <= SMALL_BYTES;
  // The thread knows other encodings than UTF-8.
  const text = isPlain ? utf8Text(bytes) : null;
  if (text === null) return threads.read({ kind, name, bytes }, signal);
  const read = kind === 'text' ? readText(text) : readPlain(text);
  if (isBlank(read.markdown)) throw new BrainError('no_text', `${name} has no text. Nothing was made of it.`);
  return read;
}

function unknownKind(name: string): BrainError {
  const extension = extensionOf(name);
  const what = extension === '' ? 'Files without an extension' : `Files that end in .${extension}`;
  return new BrainError('unsupported_type', `${what} cannot be read. These can: ${EXTENSIONS.join(', ')}.`);
}

function tooLarge(name: string): BrainError {
  return new BrainError(
    'too_large',
    `${name} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB. Split it, or save its text by itself, and ingest that.`,
  );
}
