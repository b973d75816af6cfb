import type { SyntaxNode, Tree } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { goToAnchor, noteAround } from './anchors';
import { childrenOf, type Footnote, type Footnotes, type RenderContext } from './context';

/** Finds the footnotes of a body: `[^label]: text` at the beginning of a line of a paragraph, up to the next one. */
export function footnotesIn(body: string, tree: Tree): Footnotes {
  const byLabel = new Map<string, Footnote>();
  const starts = new Map<number, number>();
  if (!body.includes(']:')) return { byLabel, starts, listed: [] };
  tree.iterate({
    enter({ name, node }) {
      if (name !== 'Paragraph') return;
      const labels = childrenOf(node).filter((child) => isLabel(body, node, child));
      const [first] = labels;
      if (first !== undefined) starts.set(node.from, first.from);
      for (const [index, { from, to }] of labels.entries()) {
        const label = body.slice(from + 2, to - 1).toLowerCase();
        const end = labels[index + 1]?.from ?? node.to;
        const text = body.slice(to + 1, end).replace(/[\s>]*$/, '');
        const start = to + 1 + (text.length - text.trimStart().length);
        const footnote = { node, from: start, to: Math.max(start, to + 1 + text.length) };
        // A second one of a label is listed without references.
        byLabel.set(byLabel.has(label) ? `${label}\n${from}` : label, {
          ...footnote,
          number: 0,
          references: 0,
        });
      }
    },
  });
  return { byLabel, starts, listed: [] };
}

/** Returns true for a `[^label]` with a colon after it and nothing but marks of quotes before it on its line. */
function isLabel(body: string, paragraph: SyntaxNode, { name, from, to }: SyntaxNode): boolean {
  if (name !== 'FootnoteRef' || body[to] !== ':') return false;
  let at = from;
  while (at > paragraph.from && ' \t>'.includes(body[at - 1] ?? '')) at -= 1;
  return at === paragraph.from || body[at - 1] === '\n';
}

/** Renders a reference to a footnote, `[^label]` or `^[text]`, as its number, which leads to the footnote. */
export function footnoteMark(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { byLabel, listed } = context.footnotes;
  const written = context.body.slice(node.from + 2, node.to - 1);
  const footnote: Footnote | undefined =
    node.name === 'InlineFootnote'
      ? { node, from: node.from + 2, to: node.to - 1, number: 0, references: 0 }
      : byLabel.get(written.toLowerCase());
  if (footnote === undefined) return <sup>{written}</sup>;
  if (footnote.number === 0) footnote.number = listed.push(footnote);
  footnote.references += 1;
  const { number, references } = footnote;
  return (
    <sup data-anchor={`reference ${number} ${references}`}>
      <button
        type="button"
        class="brain-notelink"
        aria-label={`Footnote ${number}`}
        onClick={(event) => goToAnchor(noteAround(event), `footnote ${number}`)}
      >
        {number}
      </button>
    </sup>
  );
}

/** The references to one footnote that it leads back to. */
const MAX_BACK = 20;

/**
 * Renders the list of footnotes, in the order of their first references; those without one come last. Must run after the text.
 * `content` renders the text of a footnote, which may refer to further footnotes.
 */
export function renderFootnotes(
  context: RenderContext,
  content: (footnote: Footnote) => ComponentChildren,
): ComponentChildren {
  const { byLabel, listed } = context.footnotes;
  const items: ComponentChildren[] = [];
  const renderListed = (): void => {
    for (let next = listed[items.length]; next !== undefined; next = listed[items.length]) {
      items.push(
        <li data-anchor={`footnote ${next.number}`}>
          {content(next)} <BackLinks footnote={next} />
        </li>,
      );
    }
  };
  renderListed();
  for (const footnote of byLabel.values()) {
    if (footnote.number > 0) continue;
    footnote.number = listed.push(footnote);
    renderListed();
  }
  if (items.length === 0) return null;
  return (
    <ol class="brain-footnotes" aria-label="Footnotes">
      {items}
    </ol>
  );
}

/** The ways from a footnote back to its references, which are counted when this renders. */
function BackLinks({ footnote }: { readonly footnote: Footnote }) {
  const { number, references } = footnote;
  return (
    <>
      {Array.from({ length: Math.min(references, MAX_BACK) }, (_, index) => (
        <button
          type="button"
          class="brain-notelink"
          aria-label={references === 1 ? 'Back to the text' : `Back to reference ${index + 1}`}
          onClick={(event) => goToAnchor(noteAround(event), `reference ${number} ${index + 1}`)}
        >
          ↩
        </button>
      ))}
    </>
  );
}
