import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { Icon } from '../kit/icons';
import { childrenOf, type RenderContext, textOf, withoutBlockId } from './context';
import { renderInline } from './inline';

/** Renders a list. `block` renders the children of an item. */
export function renderList(
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

/** The words of the states of a task, by the character in its brackets. */
const TASK_STATES: Readonly<Record<string, string>> = {
  ' ': 'Open',
  x: 'Done',
  '/': 'In progress',
  '-': 'Cancelled',
  '>': 'Forwarded',
  '<': 'Scheduled',
  '!': 'Important',
  '?': 'Question',
};

/** Renders a task with its state. The reader cannot change it. */
function renderTask(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const marker = childrenOf(node).find(({ name }) => name === 'TaskMarker');
  const state = marker === undefined ? ' ' : textOf(context, marker).slice(1, -1).toLowerCase();
  const words = TASK_STATES[state] ?? `State ${state}`;
  const { to, anchor } = withoutBlockId(context, node);
  return (
    <p data-anchor={anchor}>
      {state === 'x' || state === ' ' ? (
        <span class={state === 'x' ? 'brain-box is-on' : 'brain-box'}>
          <Icon name="check" />
        </span>
      ) : (
        <span class="brain-box mod-state" title={words} aria-hidden="true">
          {state}
        </span>
      )}
      <span class="brain-sr" dir="ltr">
        {`${words}: `}
      </span>{' '}
      {renderInline(context, node, { to })}
    </p>
  );
}
