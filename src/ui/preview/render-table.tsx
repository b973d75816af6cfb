import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { childrenOf, type Reader } from './reader';
import { renderInline } from './render-inline';

/** Columns beyond this are left out: a row of bars could ask for thousands. */
const MAX_COLUMNS = 40;

/** A table that scrolls sideways. It is a group and no landmark: a note may have many. */
export function renderTable(reader: Reader, node: SyntaxNode): ComponentChildren {
  const children = childrenOf(node);
  const header = children.find(({ name }) => name === 'TableHeader');
  const rows = children.filter(({ name }) => name === 'TableRow');
  return (
    <div class="brain-note-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        {header !== undefined && (
          <thead>
            <tr>
              {cellsOf(header).map((cell) => (
                <th scope="col">{cell !== null && renderInline(reader, cell)}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr>
              {cellsOf(row).map((cell) => (
                <td>{cell !== null && renderInline(reader, cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cells of a row. An empty one has no node of its own and stands between two bars as null. */
function cellsOf(row: SyntaxNode): (SyntaxNode | null)[] {
  const cells: (SyntaxNode | null)[] = [];
  let current: SyntaxNode | null = null;
  let open = false;
  for (const child of childrenOf(row)) {
    if (child.name === 'TableCell') {
      current = child;
      open = true;
    } else if (child.name === 'TableDelimiter') {
      if (open || child.from > row.from) cells.push(current);
      current = null;
      open = false;
    }
    if (cells.length >= MAX_COLUMNS) return cells;
  }
  if (open) cells.push(current);
  return cells;
}
