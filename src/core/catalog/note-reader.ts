import type { VaultPath } from '../rules/paths';
import type { Prepared } from '../search/bm25';
import { finish, type Steps } from '../steps';
import { keysOf, type Link, linksOf } from './link-tables';
import {
  noteSteps,
  noteStatus,
  type NoteStatus,
  type OpenedNote,
  readNote,
  type UnstampedRecord,
} from './note-record';
import type { NoteSearch } from './note-search';

/** All that the catalog makes of a text. */
export interface ReadNote {
  readonly record: UnstampedRecord;
  readonly keys: ReadonlySet<string>;
  /** None of a rejected note. */
  readonly links: readonly Link[];
  /** Null for a note that is not searched. */
  readonly document: Prepared | null;
}

/** A text that may be put next, and what was made of it already. */
interface Ahead {
  readonly path: VaultPath;
  readonly text: string;
  opened?: OpenedNote;
  note?: ReadNote;
}

/** Reads notes for the catalog; one of them, when that is wished, before its file stands. */
export class NoteReader {
  #ahead: Ahead | null = null;

  constructor(private readonly search: Pick<NoteSearch, 'prepare'>) {}

  /** Two pieces of work, each in steps, after which `read` has little left to do for this text. They may be left out. */
  ahead(path: VaultPath, text: string): Steps<void>[] {
    const status = noteStatus(path);
    if (status === null) return [];
    const ahead: Ahead = { path, text };
    this.#ahead = ahead;
    return [this.#open(ahead, status), this.#complete(ahead, status)];
  }

  read(path: VaultPath, status: NoteStatus, text: string): ReadNote {
    const ahead = this.#ahead;
    this.#ahead = null;
    const known = ahead?.path === path && ahead.text === text ? ahead : null;
    return known?.note ?? finish(this.#finishing(status, known?.opened ?? readNote(path, status, text)));
  }

  *#open(ahead: Ahead, status: NoteStatus): Steps<void> {
    ahead.opened = yield* noteSteps(ahead.path, status, ahead.text);
  }

  *#complete(ahead: Ahead, status: NoteStatus): Steps<void> {
    if (ahead.opened !== undefined) ahead.note = yield* this.#finishing(status, ahead.opened);
  }

  /** The words of a search, which take longest, by themselves. */
  *#finishing(status: NoteStatus, { record, fields }: OpenedNote): Steps<ReadNote> {
    const keys = keysOf(record);
    const links = status === 'rejected' ? [] : linksOf(record);
    yield;
    return { record, keys, links, document: this.search.prepare(record, fields) };
  }
}
