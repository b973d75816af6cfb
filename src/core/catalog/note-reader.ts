import { finish, LONG_TEXT, type Steps } from '../steps';
import type { VaultPath } from '../rules/paths';
import type { Prepared } from '../search/bm25';
import { keySteps, type Link, linkSteps } from './link-tables';
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
/** … so many of them at most: a bound on memory. */
const MAX_LONG = 4;

/** Reads notes for the catalog; one of them, when that is wished, before its file stands, and some long ones. */
export class NoteReader {
  #ahead: Ahead | null = null;
  /** The long ones, which take so long that others come in between; all of them are put, or their change failed. */
  readonly #long = new Map<VaultPath, Ahead>();

  constructor(private readonly search: Pick<NoteSearch, 'prepareSteps'>) {}

  /** Two pieces of work, each in steps, after which `read` has little left to do for this text. They may be left out. */
  ahead(path: VaultPath, text: string): Steps<void>[] {
    const status = noteStatus(path);
    if (status === null) return [];
    const ahead: Ahead = { path, text };
    if (text.length < LONG_TEXT) this.#ahead = ahead;
    else {
      this.#long.delete(path);
      for (const [oldest] of this.#long) {
        if (this.#long.size < MAX_LONG) break;
        this.#long.delete(oldest);
      }
      this.#long.set(path, ahead);
    }
    return [this.#open(ahead, status), this.#complete(ahead, status)];
  }

  read(path: VaultPath, status: NoteStatus, text: string): ReadNote {
    const ahead = this.#long.get(path) ?? this.#ahead;
    this.#ahead = null;
    this.#long.delete(path);
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
    const links = status === 'rejected' ? [] : yield* linkSteps(record);
    const keys = yield* keySteps(record, links);
    yield;
    return { record, keys, links, document: yield* this.search.prepareSteps(record, fields) };
  }
}
