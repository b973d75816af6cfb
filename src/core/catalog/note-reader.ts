import type { VaultPath } from '../rules/paths';
import type { Prepared } from '../search/bm25';
import { keysOf, type Link, linksOf } from './link-tables';
import { noteStatus, type NoteStatus, readNote, type UnstampedRecord } from './note-record';
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

/** A note of which only what its own text says has been made out. */
type Opened = ReturnType<typeof readNote>;

/** A text that may be put next, and what was made of it already. */
interface Ahead {
  readonly path: VaultPath;
  readonly text: string;
  opened?: Opened;
  note?: ReadNote;
}

/** Reads notes for the catalog; one of them, when that is wished, before its file stands. */
export class NoteReader {
  #ahead: Ahead | null = null;

  constructor(private readonly search: Pick<NoteSearch, 'prepare'>) {}

  /** Two pieces of work after which `read` has little left to do for this text. They may be left out. */
  ahead(path: VaultPath, text: string): (() => void)[] {
    const status = noteStatus(path);
    if (status === null) return [];
    const ahead: Ahead = { path, text };
    this.#ahead = ahead;
    return [
      () => (ahead.opened = readNote(path, status, text)),
      () => {
        if (ahead.opened !== undefined) ahead.note = this.#finish(status, ahead.opened);
      },
    ];
  }

  read(path: VaultPath, status: NoteStatus, text: string): ReadNote {
    const ahead = this.#ahead;
    this.#ahead = null;
    const known = ahead?.path === path && ahead.text === text ? ahead : null;
    return known?.note ?? this.#finish(status, known?.opened ?? readNote(path, status, text));
  }

  #finish(status: NoteStatus, { record, fields }: Opened): ReadNote {
    return {
      record,
      keys: keysOf(record),
      links: status === 'rejected' ? [] : linksOf(record),
      document: this.search.prepare(record, fields),
    };
  }
}
