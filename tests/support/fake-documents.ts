import { BrainError } from '../../src/core/base/errors';
import type { DocumentFile, DocumentReader, DocumentText, Readability } from '../../src/core/documents/ports';
import { formatOf } from '../../src/core/documents/formats';

/** A reader of documents that a test tells what to say. */
export interface FakeDocuments extends DocumentReader {
  /** Names of the files that were read, in order. */
  readonly asked: string[];
  /** What the file of that name says, or how it fails; a function is asked each time. */
  script(
    name: string,
    says: string | Partial<DocumentText> | BrainError | (() => Promise<DocumentText>),
  ): void;
  /** Whether there is a converter; there is none at first. */
  converter: boolean;
}

/**
 * Reads Markdown and text as it is, all other kinds as if they were text too, unless it is told otherwise. What needs the
 * converter is refused while there is none.
 */
export function fakeDocuments(): FakeDocuments {
  const scripted = new Map<string, Parameters<FakeDocuments['script']>[1]>();
  const fake: FakeDocuments = {
    asked: [],
    converter: false,
    script: (name, says) => void scripted.set(name, says),
    readability: (name) => readability(name, fake.converter),
    async read(file, signal) {
      fake.asked.push(file.name);
      if (signal?.stopped === true) throw new BrainError('busy', `Reading ${file.name} was called off.`);
      const says = scripted.get(file.name);
      if (says instanceof BrainError) throw says;
      if (typeof says === 'function') return says();
      const can = fake.readability(file.name);
      if (can === 'unknown' || can === 'no_converter')
        throw new BrainError('unsupported_type', `${file.name} cannot be read.`);
      const text = typeof says === 'string' ? { markdown: says } : (says ?? { markdown: decode(file) });
      return { markdown: '', converted: can === 'converter', warnings: [], ...text };
    },
  };
  return fake;
}

function readability(name: string, converter: boolean): Readability {
  const format = formatOf(name);
  if (format === null) return 'unknown';
  if ('native' in format) return 'native';
  return converter ? 'converter' : 'no_converter';
}

function decode({ name, bytes }: DocumentFile): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BrainError('unsupported_type', `${name} is not UTF-8 text.`);
  }
  if (text.trim() === '') throw new BrainError('no_text', `${name} has no text.`);
  return text;
}
