import type { LoggedChange, NoteChange } from '../change-log';
import { readHistory } from '../history-store';
import type { StateStore } from '../ports';
import { parseNote } from '../rules/frontmatter/parse-note';
import type { Values } from '../rules/frontmatter/read';
import { isSha, sha256, type Sha } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { lastWritten, type Timestamp } from '../rules/time';

/** A text that a note has had. */
export interface PastText {
  /** Where it stood. */
  readonly path: VaultPath;
  readonly text: string;
  readonly hash: Sha;
  readonly frontmatter: Values;
  /** True when it is not as the service left it: a person or another program has changed it, leaving its stamps. */
  readonly edited: boolean;
}

interface Entry {
  /** Its place among all entries. */
  readonly at: number;
  readonly ts: Timestamp;
  readonly op: string;
  readonly note: NoteChange;
  /** The note that this one was made of and that went away for it: promotion, rejection and the ways back. */
  readonly from?: NoteChange;
}

/** More versions than this are not looked at; it guards against a forged chain, not against a busy note. */
const MAX_VERSIONS = 10_000;

/**
 * What is known of the past of the notes: by the log of changes, and where that has a gap by what each version says it
 * supersedes. The log is the better witness: it knows overwriting, moves, and texts that nobody stamped.
 */
export class NotePasts {
  readonly #made = new Map<Sha, Entry[]>();
  readonly #of = new Map<VaultPath, Entry[]>();

  constructor(
    private readonly state: Pick<StateStore, 'read'>,
    changes: readonly LoggedChange[],
    /** Texts that undos have made, and of which texts. */
    private readonly putBack: ReadonlyMap<Sha, Sha>,
  ) {
    let at = 0;
    for (const { ts, op, notes } of changes) {
      for (const [index, note] of notes.entries()) {
        const next = notes[index + 1];
        // A move is planned as a new note, then the removal of the old one.
        const isMove = note.before === null && next !== undefined && next.after === null;
        const entry = { at: (at += 1), ts, op, note, ...(isMove && { from: next }) };
        push(this.#of, note.path, entry);
        if (note.after !== null) push(this.#made, note.after, entry);
      }
    }
  }

  /** True when the service has replaced a text at the path in the time of the log. */
  isReplaced(path: VaultPath): boolean {
    return this.#of.get(path)?.some(({ note }) => note.before !== null) === true;
  }

  /** The hash of the text that an undo made this one of; null for a text that no undo has made. */
  madeOf(hash: Sha): Sha | null {
    return this.putBack.get(hash) ?? null;
  }

  /** What the service was doing when it wrote this very text here; null when the log does not know. */
  madeBy(path: VaultPath, hash: Sha): string | null {
    return this.#entryOf(path, hash)?.op ?? null;
  }

  /** The texts that a note has had, newest first, beginning with `text` itself. Ends where the trace does. */
  async *texts(path: VaultPath, text: string): AsyncGenerator<PastText> {
    const seen = new Set<Sha>();
    let before = Infinity;
    for (let current: { path: VaultPath; text: string } | null = { path, text }; current !== null;) {
      const past: PastText = this.#past(current.path, current.text, before);
      if (seen.has(past.hash) || seen.size >= MAX_VERSIONS) return;
      seen.add(past.hash);
      yield past;
      const entry = this.#entryOf(past.path, past.hash, before);
      before = entry?.at ?? before;
      current = await this.#former(past, entry);
    }
  }

  async #former(past: PastText, entry: Entry | undefined): Promise<{ path: VaultPath; text: string } | null> {
    const { supersedes } = past.frontmatter;
    const known = entry?.note.before ?? entry?.from?.before;
    const hash = known ?? (isSha(supersedes) ? supersedes : null);
    if (hash === null) return null;
    const text = await readHistory(this.state, hash);
    return text === null ? null : { path: entry?.from?.path ?? past.path, text };
  }

  #past(path: VaultPath, text: string, before: number): PastText {
    const hash = sha256(text);
    const { frontmatter } = parseNote(text);
    return { path, text, hash, frontmatter, edited: this.#isEdited(path, hash, frontmatter, before) };
  }

  /**
   * A text that the service is not known to have written, although it had written here and no later stamp is on it. One that
   * bears a later stamp was written by the service on another device, or before a crash cut off the log.
   */
  #isEdited(path: VaultPath, hash: Sha, frontmatter: Values, before: number): boolean {
    if (this.#made.has(hash)) return false;
    const last = this.#of
      .get(path)
      ?.filter(({ at, note }) => at < before && note.after !== null)
      .at(-1);
    if (last === undefined) return false;
    const written = lastWritten(frontmatter);
    return frontmatter.supersedes !== last.note.after && (written === undefined || written <= last.ts);
  }

  #entryOf(path: VaultPath, hash: Sha, before = Infinity): Entry | undefined {
    const entries = (this.#made.get(hash) ?? []).filter(({ at }) => at < before);
    return entries.filter(({ note }) => note.path === path).at(-1) ?? entries.at(-1);
  }
}

function push<Key>(map: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}
