import { readDocument } from '../../src/adapters/document-program/program';
import type { Job, ReadText } from '../../src/adapters/document-program/protocol';
import { BrainError } from '../../src/core/base/errors';

/** Reads a document of a kind as the program does that reads documents. */
export function readAs(
  kind: Job['kind'],
  content: string | Uint8Array,
  name = kind === 'table' ? 'a.csv' : `a.${kind}`,
): Promise<ReadText> {
  const bytes = Uint8Array.from(typeof content === 'string' ? Buffer.from(content) : content);
  return readDocument({ kind, name, bytes }, async () => null);
}

/** The Markdown of a document, which is empty for one without text. */
export async function shownAs(kind: Job['kind'], content: string): Promise<string> {
  try {
    return (await readAs(kind, content)).markdown;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'no_text') return '';
    throw error;
  }
}
