import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Answer } from '../client';
import { type AsyncState, useCall } from '../parts/use-async';
import { type NoteLinks, noteLinks } from '../preview/note-links';
import type { Entry } from './entry';

/** As much of a note as is read for this screen, in characters. What is longer says so. */
const MAX_CHARS = 400_000;

export type Note = Answer<'note'>;
export type GateReport = Answer<'gate'>;

/**
 * The text of a pending note and what the gate says about it, both read again when the vault changes. Of a note that is `gone`
 * from the queue what was read stays. While one is `passing`, on its way out with others, nothing is asked about it.
 */
export function useNote(
  entry: Entry | null,
  { gone, passing }: { readonly gone: boolean; readonly passing: boolean },
  revision: number,
): { readonly note: AsyncState<Note>; readonly gate: AsyncState<GateReport>; readonly links: NoteLinks } {
  const known = useRef<string | null>(null);
  const shown = entry?.path ?? null;
  const path = passing && shown !== known.current ? null : shown;
  known.current = path;
  const still = gone || passing;
  const note = useCall('note', path === null ? null : { path, max_chars: MAX_CHARS });
  const gate = useCall('gate', path === null ? null : { path });
  const shownHash = note.value?.content_hash;
  useEffect(() => {
    // A note that left the queue stays as it was last seen.
    if (entry !== null && !still && shownHash !== undefined && shownHash !== entry.content_hash)
      note.reload();
  }, [entry?.content_hash, shownHash, still]);
  useEffect(() => {
    // A new note elsewhere can be what a link here was missing.
    if (revision > 0 && !still) gate.reload();
  }, [revision, still]);
  const refs = gate.value?.refs;
  const links = useMemo(() => noteLinks(refs ?? []), [refs]);
  return { note, gate, links };
}
