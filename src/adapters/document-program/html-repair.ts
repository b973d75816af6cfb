import { markCode } from './html-code';
import { texOf, tidy } from './html-math';
import { moveReadings } from './html-ruby';

/** The attribute of an element that holds TeX: `inline` or `block`. */
export const MATH = 'data-math';
/** The attribute of an item that has a check box: `x` or a blank. */
export const TASK = 'data-task';

/**
 * Rewrites what a page shows by other means than its text, in id, so that it is in plain elements: text without scripts,
 * formulas, check boxes, code, readings of words, and links around headings; and removes what headings hold beside their words. The
 * depth of the body must be limited.
 */
export function repair(body: HTMLElement): void {
  keepNoscript(body);
  markMath(body);
  markTasks(body);
  markCode(body);
  moveReadings(body);
  moveLinksIntoHeadings(body);
  removeHeadingTools(body);
}

/** Puts the contents of declarative shadow trees into their hosts, and the contents of hosts into the slots. */
export function openShadowTrees(body: HTMLElement): void {
  const SHADOW = 'template[shadowrootmode], template[shadowroot]';
  const open = Array.from(body.querySelectorAll(SHADOW));
  for (let template = open.pop(); template !== undefined; template = open.pop()) {
    const host = template.parentElement;
    const { content } = template as HTMLTemplateElement;
    if (host === null) continue;
    open.push(...Array.from(content.querySelectorAll(SHADOW)));
    template.remove();
    const slots = new Map<string, Element>();
    for (const slot of Array.from(content.querySelectorAll('slot'))) {
      const name = slot.getAttribute('name') ?? '';
      if (!slots.has(name)) slots.set(name, slot);
    }
    const shadow = Array.from(content.childNodes);
    const filled = new Set<Element>();
    for (const child of Array.from(host.childNodes)) {
      const name = child.nodeType === 1 ? ((child as Element).getAttribute('slot') ?? '') : '';
      const slot = slots.get(name);
      if (slot === undefined || (child.nodeType !== 1 && (child.nodeValue ?? '').trim() === '')) continue;
      // What a slot holds stands for the case that nothing fills it.
      if (!filled.has(slot)) slot.textContent = '';
      filled.add(slot);
      slot.appendChild(child);
    }
    // What no slot takes follows, so that it is not lost.
    const first = host.firstChild;
    for (const node of shadow) host.insertBefore(node, first);
  }
}

/** The sentences that only ask for scripts (characters). */
const REQUEST = 300;

/** Replaces `<noscript>` by its contents when they say more than to switch scripts on. */
function keepNoscript(body: HTMLElement): void {
  for (const element of Array.from(body.querySelectorAll('noscript'))) {
    const text = (element.textContent ?? '').trim();
    const isRequest = text.length < REQUEST && /java\s?script|\bscripts?\b|cookies?\b|browser/i.test(text);
    if (text === '' || isRequest) continue;
    const box = element.ownerDocument.createElement('div');
    for (const child of Array.from(element.childNodes)) box.appendChild(child);
    element.parentNode?.replaceChild(box, element);
  }
}

/** Replaces formulas in MathML, `<script type="math/tex">` and KaTeX by elements that hold TeX. */
function markMath(body: HTMLElement): void {
  // Both programs show a formula a second time, for the eye alone.
  for (const copy of Array.from(
    body.querySelectorAll(
      '.katex-html, .MathJax_Preview, .MathJax, .MathJax_Display, mjx-container, .mwe-math-fallback-image-inline, .mwe-math-fallback-image-display',
    ),
  ))
    if (copy.getElementsByTagName('math').length === 0 || copy.nextElementSibling?.nodeName === 'SCRIPT')
      copy.remove();
  for (const math of Array.from(body.querySelectorAll('math')))
    replaceByTex(
      math,
      texOf(math),
      math.getAttribute('display') === 'block' || Boolean(math.closest('.katex-display')),
    );
  for (const script of Array.from(body.querySelectorAll('script[type^="math/tex"]'))) {
    const isBlock = /mode\s*=\s*display/i.test(script.getAttribute('type') ?? '');
    replaceByTex(script, tidy((script.textContent ?? '').replace(/% <!\[CDATA\[|%\]\]>/g, '')), isBlock);
  }
}

function replaceByTex(element: Element, tex: string, isBlock: boolean): void {
  const marked = element.ownerDocument.createElement(isBlock ? 'div' : 'span');
  marked.setAttribute(MATH, isBlock ? 'block' : 'inline');
  marked.textContent = tex;
  if (tex !== '') element.parentNode?.replaceChild(marked, element);
  else element.remove();
}

/** Marks items that begin with a check box, and writes other check boxes as characters. */
function markTasks(body: HTMLElement): void {
  for (const box of Array.from(body.querySelectorAll('input[type="checkbox" i], input[type="radio" i]'))) {
    const isChecked = box.hasAttribute('checked');
    const item = box.closest('li');
    if (item && !item.hasAttribute(TASK) && isFirst(box, item)) {
      item.setAttribute(TASK, isChecked ? 'x' : ' ');
      box.remove();
    } else box.parentNode?.replaceChild(box.ownerDocument.createTextNode(isChecked ? '☑ ' : '☐ '), box);
  }
  for (const item of Array.from(body.querySelectorAll('li[role="checkbox"], li[aria-checked]')))
    item.setAttribute(TASK, item.getAttribute('aria-checked') === 'true' ? 'x' : ' ');
}

/** Returns true when no text comes before an element within an item. */
function isFirst(element: Element, item: Element): boolean {
  for (let at: Node = element; at !== item; at = at.parentNode ?? item)
    for (let before = at.previousSibling; before !== null; before = before.previousSibling)
      if ((before.textContent ?? '').trim() !== '') return false;
  return true;
}

/** Moves each link around headings into the headings: Markdown has no link around a block. */
function moveLinksIntoHeadings(body: HTMLElement): void {
  for (const link of Array.from(body.querySelectorAll('a[href]'))) {
    const headings = Array.from(link.querySelectorAll('h1, h2, h3, h4, h5, h6'));
    if (headings.length === 0) continue;
    for (const heading of headings) {
      const inner = link.ownerDocument.createElement('a');
      inner.setAttribute('href', link.getAttribute('href') ?? '');
      for (const child of Array.from(heading.childNodes)) inner.appendChild(child);
      heading.appendChild(inner);
    }
    const box = link.ownerDocument.createElement('div');
    for (const child of Array.from(link.childNodes)) box.appendChild(child);
    link.parentNode?.replaceChild(box, link);
  }
}

/** The text of a link that leads to the heading which holds it. */
const PERMALINK = /^[\s\u200b¶#§⚓🔗∞]*$/u;

/** Removes the links of headings to themselves, and those that edit what is below them. */
function removeHeadingTools(body: HTMLElement): void {
  const links = 'h1 a, h2 a, h3 a, h4 a, h5 a, h6 a';
  for (const element of Array.from(body.querySelectorAll(`.mw-editsection, ${links}`))) {
    const isToItself = /^$|#/.test(element.getAttribute('href') ?? '');
    const isMark = PERMALINK.test(element.textContent ?? '') && !element.querySelector('img');
    if (element.nodeName !== 'A' || (isToItself && isMark)) element.remove();
  }
}
