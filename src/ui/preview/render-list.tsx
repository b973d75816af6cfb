import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon';
import { childrenOf, type Reader, textOf } from './reader';
import { renderInline } from './render-inline';

/** A list with its items; `block` renders what stands in an item. */
export function renderList(
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

/** A task is shown as done or not; it cannot be ticked here. */
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
