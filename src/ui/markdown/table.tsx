import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { childrenOf, type RenderContext, textOf } from './context';
import { renderInline } from './inline';

/** The number of columns that are rendered. A row of delimiters could ask for thousands. */
const MAX_COLUMNS = 40;

/** Renders a table that scrolls sideways. It is a group and not a landmark, for a note may have many. */
export function renderTable(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const children = childrenOf(node);
  const header = children.find(({ name }) => name === 'TableHeader');
  const rows = children.filter(({ name }) => name === 'TableRow');
  const delimiters = children.find(({ name }) => name === 'TableDelimiter');
  const sides = delimiters === undefined ? [] : columnSides(textOf(context, delimiters));
  return (
    <div class="brain-note-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        {header !== undefined && (
          <thead>
            <tr>
              {cellsOf(header).map((cell, column) => (
                <th scope="col" class={sides[column]}>
                  {cell !== null && renderInline(context, cell)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr>
              {cellsOf(row).map((cell, column) => (
                <td class={sides[column]}>{cell !== null && renderInline(context, cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the class of each column by its delimiter: `:--`, `:-:` or `--:`; undefined for a column without a side. */
function columnSides(delimiters: string): (string | undefined)[] {
  const cells = delimiters
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|', MAX_COLUMNS);
  return cells.map((cell) => {
    const [left, right] = [cell.trim().startsWith(':'), cell.trim().endsWith(':')];
    if (left && right) return 'mod-center';
    if (right) return 'mod-right';
    return left ? 'mod-left' : undefined;
  });
}

/** Returns the cells of a row. An empty cell has no node in the tree, and is null. */
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
