import { MATH } from './html-repair';
import { literal, literalStart, type TextContext } from './markup';

/** The elements that begin and end a line of Markdown. */
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU NAV OL OUTPUT P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'.split(
    ' ',
  ),
);
/** The elements for which marks are written before and after their text. */
const MARKED = new Set(['B', 'STRONG', 'I', 'EM', 'DEL', 'S', 'SUP', 'SUB']);
/** Two characters that are markup together, each of another element. */
const PAIR = /^(?:<[A-Za-z/!?%]|#[\p{L}\p{N}_/-]|\[\[|\][[(:]|!\[|==|~~|%%)/u;

/**
 * Escapes the text of a page outside of code and formulas, in id, so that Markdown shows its letters. Its depth must be limited.
 * @param isCell returns true for an element whose text is that of a cell in a table of Markdown
 */
export function escapeTexts(root: Element, isCell: (element: Element) => boolean): void {
  const whole = root.textContent ?? '';
  const hasMath = whole.indexOf('$') !== whole.lastIndexOf('$') || Boolean(root.querySelector(`[${MATH}]`));
  /** True where a line of Markdown begins. */
  let isStart = true;
  /** The text before, when the next one follows it without a mark. */
  let last: ChildNode | null = null;

  /** Escapes the end of the last text where it makes markup with what follows. */
  const meet = (next: string) => {
    const text = last?.nodeValue ?? '';
    if (last !== null && PAIR.test(text.slice(-1) + next) && text.at(-2) !== '\\')
      last.nodeValue = `${text.slice(0, -1)}\\${text.slice(-1)}`;
    last = null;
  };
  const escapeText = (node: ChildNode, place: TextContext, inCell: boolean) => {
    const text = (node.nodeValue ?? '').replace(/[ \t\r\n]+/g, ' ');
    if (text === '') return;
    if (text === ' ') {
      last = null;
      return;
    }
    const [lead, rest] = text.startsWith(' ') ? [' ', text.slice(1)] : ['', text];
    meet(text.charAt(0));
    node.nodeValue = lead + (isStart && !inCell ? literalStart(rest, place) : literal(rest, place));
    isStart = false;
    last = node;
  };
  const walk = (element: Element, place: TextContext, inCell: boolean) => {
    for (let child = element.firstChild; child !== null; child = child.nextSibling)
      if (child.nodeType === 3) escapeText(child, place, inCell);
      else if (child.nodeType === 1) walkElement(child as Element, place, inCell);
  };
  const walkElement = (element: Element, place: TextContext, inCell: boolean) => {
    const { nodeName } = element;
    if (nodeName === 'A' || nodeName === 'IMG') meet('[');
    if (nodeName === 'BR') [isStart, last] = [true, null];
    else if (nodeName === 'IMG' || nodeName === 'CODE' || element.hasAttribute(MATH))
      [isStart, last] = [false, null];
    else if (nodeName === 'A') {
      walk(element, { ...place, isLink: true }, inCell);
      last = null;
    } else if (BLOCKS.has(nodeName)) {
      [isStart, last] = [true, null];
      if (nodeName !== 'PRE') walk(element, place, inCell || isCell(element));
      [isStart, last] = [true, null];
    } else {
      if (MARKED.has(nodeName)) last = null;
      walk(element, place, inCell);
      if (MARKED.has(nodeName)) last = null;
    }
  };
  walkElement(root, { hasMath }, false);
}
