import type { SyntaxNode } from '@lezer/common';
import { cloneElement, type ComponentChildren, isValidElement } from 'preact';
import { Icon } from '../kit/icons';
import { HiddenMark, renderInline } from './inline';
import { childrenOf, type Reader, textOf } from './reader';

/** Renders a list. `block` renders the children of an item. */
function renderList(
  reader: Reader,
  node: SyntaxNode,
  block: (child: SyntaxNode) => ComponentChildren,
): ComponentChildren {
  const items = childrenOf(node)
    .filter(({ name }) => name === 'ListItem')
    .map((item) => (
      <li>
        {childrenOf(item).map((child) => {
          if (child.name === 'ListMark') return null;
          return child.name === 'Task' ? renderTask(reader, child) : block(child);
        })}
      </li>
    ));
  if (node.name === 'BulletList') return <ul>{items}</ul>;
  const start = Number.parseInt(reader.body.slice(node.from, node.from + 9), 10);
  return <ol start={Number.isNaN(start) ? 1 : start}>{items}</ol>;
}

/** Renders a task as done or open. The reader cannot tick it. */
function renderTask(reader: Reader, node: SyntaxNode): ComponentChildren {
  const marker = childrenOf(node).find(({ name }) => name === 'TaskMarker');
  const done = marker !== undefined && /[xX]/.test(textOf(reader, marker));
  return (
    <p>
      <span class={done ? 'brain-box is-on' : 'brain-box'}>
        <Icon name="check" />
      </span>
      <span class="brain-sr" dir="ltr">
        {done ? 'Done: ' : 'Open: '}
      </span>{' '}
      {renderInline(reader, node)}
    </p>
  );
}

/** The number of columns that are rendered. A row of delimiters could ask for thousands. */
const MAX_COLUMNS = 40;

/** Renders a table that scrolls sideways. It is a group and not a landmark, for a note may have many. */
function renderTable(reader: Reader, node: SyntaxNode): ComponentChildren {
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
interface Course {
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
export function renderBlocks(reader: Reader, node: SyntaxNode, course: Course): ComponentChildren[] {
  return childrenOf(node).map((child) => {
    const block = renderBlock(reader, child, course);
    return isValidElement(block) && typeof block.type === 'string' ? cloneElement(block, AUTO) : block;
  });
}

/** The HTML attribute that takes the direction of an element from its first letter. */
const AUTO = { dir: 'auto' };

/** Renders a block. An unknown one is rendered as its source. */
function renderBlock(reader: Reader, node: SyntaxNode, course: Course): ComponentChildren {
  const { name } = node;
  const level = /^(?:ATX|Setext)Heading([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return renderHeading(reader, node, Number(level), course);
  course.first = false;
  switch (name) {
    case 'Paragraph':
      return <p>{renderInline(reader, node)}</p>;
    case 'FencedCode':
    case 'CodeBlock':
      return <CodeBlock text={codeOf(reader, node)} />;
    case 'MathBlock':
      return <CodeBlock text={textOf(reader, node).replace(/^\$\$\n?|\n?[ \t]*\$\$\s*$/g, '')} />;
    case 'HTMLBlock':
    case 'ProcessingInstructionBlock':
      return <CodeBlock text={textOf(reader, node)} />;
    case 'HiddenBlock':
    case 'CommentBlock':
      return (
        <p>
          <HiddenMark text={textOf(reader, node)} />
        </p>
      );
    case 'Blockquote':
      return renderQuote(reader, node, course);
    case 'BulletList':
    case 'OrderedList':
      return renderList(reader, node, (item) => renderBlock(reader, item, course));
    case 'Table':
      return renderTable(reader, node);
    case 'HorizontalRule':
      return <hr />;
    case 'QuoteMark':
      return null;
    default:
      return <p>{textOf(reader, node)}</p>;
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

function renderHeading(reader: Reader, node: SyntaxNode, level: number, course: Course): ComponentChildren {
  const content = renderInline(reader, node);
  const rest = course.first && level === 1 ? restOfTitle(plainHeading(reader, node), course.title) : null;
  course.first = false;
  if (rest !== null) return rest === '' ? null : <p class="brain-note-rest">{`\u2026${rest}`}</p>;
  // The screen uses the first two levels itself.
  const shown = Math.min(level + 2, course.level + 1, 6);
  course.level = shown;
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

function plainHeading(reader: Reader, node: SyntaxNode): string {
  return textOf(reader, node)
    .replace(/^#+[ \t]*|[ \t]*#*$|\n[=-]+\s*$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function renderQuote(reader: Reader, node: SyntaxNode, course: Course): ComponentChildren {
  const children = childrenOf(node).filter(({ name }) => name !== 'QuoteMark');
  const [first, ...rest] = children;
  const callout = first?.name === 'Paragraph' ? CALLOUT.exec(textOf(reader, first)) : null;
  if (first === undefined || callout === null) {
    return <blockquote>{children.map((child) => renderBlock(reader, child, course))}</blockquote>;
  }
  const [head, kind = '', title = ''] = callout;
  const content = renderInline(reader, first, { from: first.from + head.length });
  return (
    <blockquote class="brain-callout">
      <p class="brain-callout-title">{title.trim() === '' ? kind : title}</p>
      {content.length > 0 && <p>{content}</p>}
      {rest.map((child) => renderBlock(reader, child, course))}
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

function codeOf(reader: Reader, node: SyntaxNode): string {
  const lines = childrenOf(node).filter(({ name }) => name === 'CodeText');
  return lines.map((line) => textOf(reader, line)).join('');
}
