import type { SyntaxNode } from '@lezer/common';
import { cloneElement, type ComponentChildren, isValidElement } from 'preact';
import { Icon } from '../kit/icons';
import { HiddenMark, renderInline } from './inline';
import { childrenOf, type RenderContext, textOf } from './context';

/** Renders a list. `block` renders the children of an item. */
function renderList(
  context: RenderContext,
  node: SyntaxNode,
  block: (child: SyntaxNode) => ComponentChildren,
): ComponentChildren {
  const items = childrenOf(node)
    .filter(({ name }) => name === 'ListItem')
    .map((item) => (
      <li>
        {childrenOf(item).map((child) => {
          if (child.name === 'ListMark') return null;
          return child.name === 'Task' ? renderTask(context, child) : block(child);
        })}
      </li>
    ));
  if (node.name === 'BulletList') return <ul>{items}</ul>;
  const start = Number.parseInt(context.body.slice(node.from, node.from + 9), 10);
  return <ol start={Number.isNaN(start) ? 1 : start}>{items}</ol>;
}

/** Renders a task as done or open. The reader cannot tick it. */
function renderTask(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const marker = childrenOf(node).find(({ name }) => name === 'TaskMarker');
  const done = marker !== undefined && /[xX]/.test(textOf(context, marker));
  return (
    <p>
      <span class={done ? 'brain-box is-on' : 'brain-box'}>
        <Icon name="check" />
      </span>
      <span class="brain-sr" dir="ltr">
        {done ? 'Done: ' : 'Open: '}
      </span>{' '}
      {renderInline(context, node)}
    </p>
  );
}

/** The number of columns that are rendered. A row of delimiters could ask for thousands. */
const MAX_COLUMNS = 40;

/** Renders a table that scrolls sideways. It is a group and not a landmark, for a note may have many. */
function renderTable(context: RenderContext, node: SyntaxNode): ComponentChildren {
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
                <th scope="col">{cell !== null && renderInline(context, cell)}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr>
              {cellsOf(row).map((cell) => (
                <td>{cell !== null && renderInline(context, cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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

/** The first line of a callout: `[!note]- Title`. */
const CALLOUT = /^\[!([^\]\n]{1,40})\][+-]?[ \t]*([^\n]{0,300})\n?/;

/** A title of this length may be cut off (characters). */
const CUT_TITLE = 150;

/** The state that carries over from block to block. */
interface BlockState {
  /** The level of the last heading. No level is skipped on the way down, for screen readers navigate by levels. */
  level: number;
  /** The title above the note. A first heading with the same text is left out. */
  readonly title: string;
  first: boolean;
}

/**
 * Renders the blocks of a node as elements that can neither run nor load anything. The direction of each follows its first
 * letter and applies to its nested blocks, so that bullets and bars are at the beginning of its lines.
 */
export function renderBlocks(
  context: RenderContext,
  node: SyntaxNode,
  state: BlockState,
): ComponentChildren[] {
  return childrenOf(node).map((child) => {
    const block = renderBlock(context, child, state);
    return isValidElement(block) && typeof block.type === 'string'
      ? cloneElement(block, AUTO_DIRECTION)
      : block;
  });
}

/** The HTML attribute that takes the direction of an element from its first letter. */
const AUTO_DIRECTION = { dir: 'auto' };

/** Renders a block. An unknown one is rendered as its source. */
function renderBlock(context: RenderContext, node: SyntaxNode, state: BlockState): ComponentChildren {
  const { name } = node;
  const level = /^(?:ATX|Setext)Heading([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return renderHeading(context, node, Number(level), state);
  state.first = false;
  switch (name) {
    case 'Paragraph':
      return <p>{renderInline(context, node)}</p>;
    case 'FencedCode':
    case 'CodeBlock':
      return <CodeBlock text={codeOf(context, node)} />;
    case 'MathBlock':
      return <CodeBlock text={textOf(context, node).replace(/^\$\$\n?|\n?[ \t]*\$\$\s*$/g, '')} />;
    case 'HTMLBlock':
    case 'ProcessingInstructionBlock':
      return <CodeBlock text={textOf(context, node)} />;
    case 'HiddenBlock':
    case 'CommentBlock':
      return (
        <p>
          <HiddenMark text={textOf(context, node)} />
        </p>
      );
    case 'Blockquote':
      return renderQuote(context, node, state);
    case 'BulletList':
    case 'OrderedList':
      return renderList(context, node, (item) => renderBlock(context, item, state));
    case 'Table':
      return renderTable(context, node);
    case 'HorizontalRule':
      return <hr />;
    case 'QuoteMark':
      return null;
    default:
      return <p>{textOf(context, node)}</p>;
  }
}

/** The classes of the headings of a note, by level. */
const HEADINGS = [
  'brain-note-h1',
  'brain-note-h2',
  'brain-note-h3',
  'brain-note-h4',
  'brain-note-h5',
  'brain-note-h6',
];

function renderHeading(
  context: RenderContext,
  node: SyntaxNode,
  level: number,
  state: BlockState,
): ComponentChildren {
  const content = renderInline(context, node);
  const rest = state.first && level === 1 ? restOfTitle(plainHeading(context, node), state.title) : null;
  state.first = false;
  if (rest !== null) return rest === '' ? null : <p class="brain-note-rest">{`\u2026${rest}`}</p>;
  // The screen uses the first two levels itself.
  const shown = Math.min(level + 2, state.level + 1, 6);
  state.level = shown;
  const look = HEADINGS[level - 1];
  if (shown <= 3) return <h3 class={look}>{content}</h3>;
  if (shown === 4) return <h4 class={look}>{content}</h4>;
  if (shown === 5) return <h5 class={look}>{content}</h5>;
  return <h6 class={look}>{content}</h6>;
}

/** Returns the part of a heading that a cut-off title lacks; empty for an equal title, null for a different one. */
function restOfTitle(heading: string, title: string): string | null {
  if (heading === title) return '';
  const isCut = title.length >= CUT_TITLE && heading.startsWith(title);
  return isCut ? heading.slice(title.length) : null;
}

function plainHeading(context: RenderContext, node: SyntaxNode): string {
  return textOf(context, node)
    .replace(/^#+[ \t]*|[ \t]*#*$|\n[=-]+\s*$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function renderQuote(context: RenderContext, node: SyntaxNode, state: BlockState): ComponentChildren {
  const children = childrenOf(node).filter(({ name }) => name !== 'QuoteMark');
  const [first, ...rest] = children;
  const callout = first?.name === 'Paragraph' ? CALLOUT.exec(textOf(context, first)) : null;
  if (first === undefined || callout === null) {
    return <blockquote>{children.map((child) => renderBlock(context, child, state))}</blockquote>;
  }
  const [head, kind = '', title = ''] = callout;
  const content = renderInline(context, first, { from: first.from + head.length });
  return (
    <blockquote class="brain-callout">
      <p class="brain-callout-title">{title.trim() === '' ? kind : title}</p>
      {content.length > 0 && <p>{content}</p>}
      {rest.map((child) => renderBlock(context, child, state))}
    </blockquote>
  );
}

/** A code block. It is focusable, so that the keyboard scrolls it sideways. */
function CodeBlock({ text }: { readonly text: string }) {
  return (
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}

function codeOf(context: RenderContext, node: SyntaxNode): string {
  const lines = childrenOf(node).filter(({ name }) => name === 'CodeText');
  return lines.map((line) => textOf(context, line)).join('');
}
