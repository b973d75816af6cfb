import type { Answer } from '../client';
import { useUi } from '../context';
import { Flag } from '../parts/flag';
import { placeOf } from '../search/result-row';

/** The best notes that the answer does not quote: where to read on, or to look when there is no answer. */
export function NearestNotes({ notes }: { readonly notes: Answer<'answer'>['nearest'] }) {
  const { host } = useUi();
  if (notes.length === 0) return null;
  return (
    <section aria-label="Nearest notes">
      <h2 class="brain-heading">Nearest notes</h2>
      <ul class="brain-nearest">
        {notes.map((note) => (
          <li key={note.path}>
            <div class="brain-row">
              <button
                type="button"
                class="brain-plain mod-inline brain-strong"
                onClick={(event) => host.openNote(note.path, { newPane: event.ctrlKey || event.metaKey })}
              >
                {note.title}
              </button>
              {note.stale && (
                <Flag icon="hourglass" tone="amber">
                  Stale
                </Flag>
              )}
              <span class="brain-push" />
              <span class="brain-address">{placeOf(note)}</span>
            </div>
            <p class="brain-entry-excerpt">{note.excerpt}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
