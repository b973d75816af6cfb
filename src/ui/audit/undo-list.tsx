import type { Answer } from '../client';
import { ScrollArea } from '../parts/scroll-area';
import { useUniqueId } from '../parts/use-unique-id';
import { count, counted } from '../parts/words';
import { undoGroups, type UndoGroup, type UndoItem } from './undo-groups';

type Undone = Answer<'undo'>;

/** What an undo does, or did, with what becomes of the notes as headings; then the notes that it leaves alone. */
export function UndoList({ found }: { readonly found: Undone }) {
  const { items, rest, left, left_count: leftCount } = found;
  const leftId = useUniqueId();
  return (
    <div class="brain-undo-list">
      <ScrollArea label="Notes">
        {undoGroups(items).map((group) => (
          <Group key={group.heading} group={group} />
        ))}
        {rest > 0 && <p>And {counted(rest, 'more note')}: look again after these.</p>}
        {leftCount > 0 && (
          <section>
            <h3 class="brain-label" id={leftId}>
              Left as they are: {counted(leftCount, 'note')}
            </h3>
            <ul aria-labelledby={leftId}>
              {left.map(({ path, title, why }) => (
                <li key={path}>
                  <b class="brain-strong">{title}</b>
                  <span>{why}</span>
                  <span class="brain-muted">{path}</span>
                </li>
              ))}
            </ul>
            {leftCount > left.length && <p class="brain-muted">and {count(leftCount - left.length)} more</p>}
          </section>
        )}
      </ScrollArea>
    </div>
  );
}

function Group({ group: { heading, why, items } }: { readonly group: UndoGroup }) {
  const id = useUniqueId();
  return (
    <section>
      <h3 class="brain-label" id={id}>
        {heading}: {counted(items.length, 'note')}
      </h3>
      {why !== null && <p class="brain-muted">{why}</p>}
      <ul aria-labelledby={id}>
        {items.map((item) => (
          <Item key={item.path} item={item} why={why === null ? item.why : null} />
        ))}
      </ul>
    </section>
  );
}

function Item({ item, why }: { readonly item: UndoItem; readonly why: string | null }) {
  const { title, path, to, linked_from: links } = item;
  return (
    <li>
      <b class="brain-strong">{title}</b>
      {why !== null && <span>{why}</span>}
      <span class="brain-muted">
        {path}
        {to !== undefined && `, then ${to}`}
      </span>
      {links.length > 0 && (
        <span class="brain-muted">
          {counted(links.length, 'link')} to it {links.length === 1 ? 'leads' : 'lead'} nowhere until it is
          promoted again: {links.join(', ')}
        </span>
      )}
    </li>
  );
}
