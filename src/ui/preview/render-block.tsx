import type { SyntaxNode } from '@lezer/common';
import { cloneElement, type ComponentChildren, isValidElement } from 'preact';
import { childrenOf, type Reader, textOf } from './reader';
import { HiddenMark, renderInline } from './render-inline';
import { renderList } from './render-list';
import { renderTable } from './render-table';

/** A callout begins with its kind: `[!note]- Title`. */
const CALLOUT = /^\[!([^\]\n]{1,40})\][+-]?[ \t]*([^\n]{0,300})\n?/;

/** A title of so many characters may be the beginning of a longer one. */
const CUT_TITLE = 150;

/** What carries over from one block to the next. */
export interface Course {
  /** Level of the last heading, so that none is skipped on the way down: readers of a screen go by them. */
  level: number;
  /** A first heading that says what stands above the note anyway. */
  readonly title: string;
  first: boolean;
}

/**
 * The blocks of a node as elements that can neither run nor load. Each is laid out in the direction of its own words, with what
 * is nested in it: bullets and bars stand where its lines begin.
 */
export function renderBlocks(reader: Reader, node: SyntaxNode, course: Course): ComponentChildren[] {
  return childrenOf(node).map((child) => {
    const block = renderBlock(reader, child, course);
    return isValidElement(block) && typeof block.type === 'string' ? cloneElement(block, AUTO) : block;
  });
}

/** An attribute of HTML: the first letter of an element decides from which side its lines are read. */
const AUTO = { dir: 'auto' };

/** One block. What is not known is shown as it is written. */
export function renderBlock(reader: Reader, node: SyntaxNode, course: Course): ComponentChildren {
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

function renderHeading(reader: Reader, node: SyntaxNode, level: number, course: Course): ComponentChildren {
  const content = renderInline(reader, node);
  const rest = course.first && level === 1 ? restOfTitle(plainHeading(reader, node), course.title) : null;
  course.first = false;
  if (rest !== null) return rest === '' ? null : <p class="brain-note-rest">{`\u2026${rest}`}</p>;
  // The screen has its own first two levels.
  const shown = Math.min(level + 2, course.level + 1, 6);
  course.level = shown;
  const look = `brain-note-h${level}`;
  if (shown <= 3) return <h3 class={look}>{content}</h3>;
  if (shown === 4) return <h4 class={look}>{content}</h4>;
  if (shown === 5) return <h5 class={look}>{content}</h5>;
  return <h6 class={look}>{content}</h6>;
}

/** What a heading says beyond the title above it, which may be only its beginning; null when it says another thing. */
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

/** Code in a region that scrolls sideways, so that the keyboard reaches it. */
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
