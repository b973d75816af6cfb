import { BrainError } from '../../core/base/errors';
import {
  type AttachedText,
  type DocumentFile,
  type DocumentText,
  MAX_TEXT,
} from '../../core/documents/ports';
import { listed, literal, within } from '../document-program/markup';

/** The attachments that are read of one document, those of attached mails included. */
const MAX_READ = 50;
/** The depth of mails that are attached to mails. */
const MAX_DEPTH = 5;
/** The text of a document with its attachments (UTF-16 units): one attachment of the longest text always fits. */
const MAX_ALL = 2 * MAX_TEXT;
/** The time after which no further attachment is begun (ms). */
const MAX_MS = 60_000;

/** The text of a file, and the files in it, which are not read yet. */
export type ReadFile = DocumentText & { readonly files?: readonly DocumentFile[] };

/**
 * Reads the files in a document, each as a document of its own: one that is hostile or damaged costs the others nothing. They are
 * read in order within limits of number, depth, time, and text in all; the others are named at the end of the text and in a
 * warning.
 */
export class Attachments {
  #left = MAX_READ;
  #room = MAX_ALL;
  #isLate = false;

  /** @param sleep resolves after this time (ms) */
  constructor(
    private readonly readFile: (file: DocumentFile) => Promise<ReadFile>,
    private readonly sleep: (milliseconds: number) => Promise<void>,
  ) {}

  /**
   * Returns the text of a document with those of its attachments.
   * @throws BrainError `busy` when the work is called off
   */
  async read(first: ReadFile): Promise<DocumentText> {
    const { files, ...text } = first;
    if (files === undefined) return text;
    void this.sleep(MAX_MS).then(() => (this.#isLate = true));
    this.#room -= text.markdown.length;
    return this.#withFiles(text, files, 1);
  }

  async #withFiles(text: DocumentText, files: readonly DocumentFile[], depth: number): Promise<DocumentText> {
    const attachments: AttachedText[] = [];
    const unread: string[] = [];
    const warnings = [...text.warnings];
    for (const file of files) {
      const { name } = file;
      const read = await this.#readOne(file, depth, warnings);
      if (read === null) unread.push(name);
      else {
        attachments.push({ name, text: read });
        warnings.push(...read.warnings.map((warning) => `${name}: ${warning}`));
      }
    }
    if (unread.length > 0) warnings.push(unreadWarning(unread));
    const line = unread.length > 0 ? `\nAttachments (not read): ${literal(listed(unread))}\n` : '';
    return {
      ...text,
      markdown: within(text.markdown, MAX_TEXT - line.length) + line,
      ...(attachments.length > 0 && { attachments }),
      warnings,
    };
  }

  /** Returns null for an attachment that is not read, with a warning when it is of a kind that could be. */
  async #readOne(file: DocumentFile, depth: number, warnings: string[]): Promise<DocumentText | null> {
    if (this.#left === 0 || this.#isLate || depth > MAX_DEPTH) return null;
    this.#left -= 1;
    try {
      const { files = [], ...text } = await this.readFile(file);
      if (text.markdown.length > this.#room) {
        warnings.push(`${file.name} has more text than one document may have with its attachments.`);
        return null;
      }
      this.#room -= text.markdown.length;
      return await this.#withFiles(text, files, depth + 1);
    } catch (error) {
      if (!(error instanceof BrainError) || error.code === 'busy') throw error;
      if (file.bytes.length > 0) warnings.push(error.message);
      return null;
    }
  }
}

function unreadWarning(names: readonly string[]): string {
  const count = names.length === 1 ? 'An attachment was' : `${names.length} attachments were`;
  return `${count} not read: ${listed(names)}. Save what matters and ingest it by itself.`;
}
