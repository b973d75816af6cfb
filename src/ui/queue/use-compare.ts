import { useMemo } from 'preact/hooks';
import { compareVersions, type DiffModel } from '../history/diff-model';
import { type AsyncState, useCall } from '../parts/use-async';
import type { Note } from './use-note';

/** Long notes are compared by their beginning: the rest would take too long. */
const MAX_CHARS = 200_000;

export interface Compare {
  /** The similar note. */
  readonly other: AsyncState<Note>;
  /** Null until both texts are there. */
  readonly model: DiffModel | null;
  /** True when one of them is longer than what is compared. */
  readonly cut: boolean;
}

/** The text of a pending note against that of a similar one, line by line. Properties differ in any case and are left out. */
export function useCompare(path: string | null, note: Note | null): Compare {
  const other = useCall('note', path === null ? null : { path, max_chars: MAX_CHARS });
  // Blank lines around a text say nothing about it.
  const left = other.value?.body.trim();
  const right = note?.body.slice(0, MAX_CHARS).trim();
  const model = useMemo(() => {
    if (left === undefined || right === undefined) return null;
    return compareVersions(
      { content: left, body: left },
      { content: right, body: right },
      { properties: false },
    );
  }, [left, right]);
  return {
    other,
    model,
    cut:
      other.value?.truncated === true || (note !== null && (note.truncated || note.body.length > MAX_CHARS)),
  };
}
