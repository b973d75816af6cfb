import type { Answer } from '../client';
import { ScrollArea } from '../parts/scroll-area';
import { count, counted } from '../parts/words';

type Undone = Answer<'undo'>;

/** What an undo does, or did, note by note with its reason; then the notes that it leaves alone. */
export function UndoList({ found }: { readonly found: Undone }) {
  const { items, rest, left, left_count: leftCount } = found;
  return (
    <div class="brain-undo-list">
      <ScrollArea label="Notes">
        {items.length > 0 && (
          <ul aria-label="What is undone">
            {items.map(({ path, to, why, linked_from: links }) => (
              <li key={path}>
                <b class="brain-strong">{path}</b>
                <span>{why}</span>
                {to !== undefined && <span class="brain-muted">as {to}</span>}
                {links.length > 0 && (
                  <span class="brain-muted">
                    {counted(links.length, 'link')} to it {links.length === 1 ? 'leads' : 'lead'} nowhere
                    until it is promoted again: {links.join(', ')}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
        {rest > 0 && <p>And {counted(rest, 'more note')}: look again after these.</p>}
        {leftCount > 0 && (
          <>
            <h3 class="brain-label">Left as they are</h3>
            <ul aria-label="Left as they are">
              {left.map(({ path, why }) => (
                <li key={path}>
                  <b class="brain-strong">{path}</b>
                  <span>{why}</span>
                </li>
              ))}
            </ul>
            {leftCount > left.length && <p class="brain-muted">and {count(leftCount - left.length)} more</p>}
          </>
        )}
      </ScrollArea>
    </div>
  );
}
