import { LONG_STORY, measured } from './html-main';

/** A hidden box holds this many times the visible text, where a script shows the page. */
const MOST = 3;

/**
 * Removes what a page hides, in id. Boxes stay that a reader opens: tabs, and what a heading folds. They stay too where they hold
 * most of the page, as pages do that a script shows. The depth of the body must be limited, and noise be gone.
 */
export function removeHidden(body: HTMLElement): void {
  const hidden = Array.from(body.querySelectorAll<HTMLElement>('[hidden], [style*="display" i]')).filter(
    isHidden,
  );
  if (hidden.length === 0) return;
  const known = measured(body);
  const proseOf = (node: Node) => known.get(node)?.prose ?? 0;
  const textOf = (node: Node) => known.get(node)?.text ?? 0;
  const all = new Set<Node | null>(hidden);
  const outer = hidden.filter((element) => {
    let above = element.parentNode;
    while (above !== null && !all.has(above)) above = above.parentNode;
    return above === null;
  });
  const sum = (of: (node: Node) => number) => outer.reduce((whole, element) => whole + of(element), 0);
  const [prose, text] = [proseOf(body) - sum(proseOf), textOf(body) - sum(textOf)];
  const controlled = controlledIn(body);
  for (const element of hidden) {
    const isMost = proseOf(element) > 0 ? proseOf(element) >= MOST * prose : textOf(element) >= MOST * text;
    const isOpened =
      controlled.has(element.id) || /^(?:tabpanel|region)$/.test(element.getAttribute('role') ?? '');
    if (!isOpened && (prose >= LONG_STORY || !isMost)) element.remove();
  }
}

function isHidden(element: Element): boolean {
  const hidden = element.getAttribute('hidden');
  if (hidden !== null) return hidden.toLowerCase() !== 'until-found';
  return /(?:^|;)\s*display\s*:\s*none/i.test(element.getAttribute('style') ?? '');
}

/** Returns the ids of the boxes that headings, questions and tabs open. */
function controlledIn(body: HTMLElement): ReadonlySet<string> {
  const openers = Array.from(body.querySelectorAll('[aria-controls]')).filter((element) =>
    element.closest('h1, h2, h3, h4, h5, h6, dt, summary, [role="tab"], [role="heading"]'),
  );
  return new Set(openers.flatMap((element) => (element.getAttribute('aria-controls') ?? '').split(/\s+/)));
}
