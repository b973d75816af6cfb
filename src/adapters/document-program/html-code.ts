/** The elements that begin a line of their own inside of code. */
const LINES = new Set(['DIV', 'P', 'LI', 'TR', 'OL', 'UL', 'TABLE', 'TBODY', 'PRE', 'DT', 'DD']);
/** Classes of an element that is one line of code. */
const LINE = /(?:^|[\s_-])(?:line|code-?line|token-line|view-line|row|loc)(?=$|\s)/i;
/** Classes of the numbers beside lines of code. */
const GUTTER =
  /(?:^|[\s_-])(?:gutter|line-?nos?|line-?numbers?(?:-rows)?|line-?num|lnum|ln|linenodiv|blob-num|ln-numbers|hljs-ln-n|rouge-gutter)(?=$|[\s_])/i;
/** Classes of a cell that is one line of code. */
const CODE_CELL = /(?:^|[\s_-])(?:blob-code|code-line|hljs-ln-code|ln-code|line-code)(?=$|[\s_-])/i;

/** Returns an attribute of an element; '' without one. */
function attribute(element: Element, name: string): string {
  return element.getAttribute(name) ?? '';
}

/**
 * Makes `<pre>` of all elements that show code line by line: `<listing>` and `<xmp>`, boxes with `white-space: pre`, code with
 * line breaks, and tables with a cell for each line, with and without a cell of line numbers. Line breaks that
 * `white-space: pre-wrap` and `pre-line` show become `<br>`.
 */
export function markCode(body: HTMLElement): void {
  for (const element of Array.from(body.querySelectorAll('xmp, listing, plaintext'))) toPre(element);
  for (const element of Array.from(body.querySelectorAll('[style*="white-space"]'))) {
    const [, style = ''] = /(?:^|;)\s*white-space\s*:\s*([a-z-]+)/i.exec(attribute(element, 'style')) ?? [];
    if (/^pre$/i.test(style) && isLong(element)) toPre(element);
    else if (/^(?:pre-wrap|pre-line|break-spaces)$/i.test(style) && element.closest('pre') === null)
      breakLines(element);
  }
  for (const element of Array.from(body.querySelectorAll('code, samp, kbd, tt')))
    if (!element.closest('pre') && isAlone(element) && isLong(element)) toPre(element);
  for (const table of Array.from(body.querySelectorAll('table'))) markTable(table);
}

/** Returns true for numbers or signs beside lines of code; what holds letters is code, whatever its class. */
function isGutter(element: Element): boolean {
  return GUTTER.test(attribute(element, 'class')) && !/\p{L}/u.test(element.textContent ?? '');
}

/** Returns true for more than one line. */
function isLong(element: Element): boolean {
  return codeLines(element).trim().includes('\n');
}

/** Returns true when an element is all of its paragraph. */
function isAlone({ parentNode, nextSibling, previousSibling }: Node): boolean {
  const isBlank = (node: Node | null) =>
    node === null || (node.nodeType === 3 && (node.nodeValue ?? '').trim() === '');
  const isBlock = (node: Node | null) =>
    isBlank(node) || /^(?:P|DIV|H\d|UL|OL|TABLE|PRE|SECTION)$/.test(node?.nodeName ?? '');
  return (
    parentNode !== null && parentNode.nodeName !== 'PRE' && isBlock(nextSibling) && isBlock(previousSibling)
  );
}

function toPre(element: Element): void {
  if (element.closest('pre')) return;
  const pre = element.ownerDocument.createElement('pre');
  pre.setAttribute('class', attribute(element, 'class'));
  element.parentNode?.replaceChild(pre, element);
  pre.appendChild(element);
}

function breakLines(element: Element): void {
  const texts: Node[] = [];
  const collect = (node: Node): void => {
    for (let child = node.firstChild; child !== null; child = child.nextSibling)
      if (child.nodeType === 3 && (child.nodeValue ?? '').trim().includes('\n')) texts.push(child);
      else if (child.nodeType === 1 && child.nodeName !== 'PRE') collect(child);
  };
  collect(element);
  for (const text of texts) {
    const document = element.ownerDocument;
    const lines = (text.nodeValue ?? '').trim().split('\n');
    lines.forEach((line, at) => {
      if (at > 0) text.parentNode?.insertBefore(document.createElement('br'), text);
      text.parentNode?.insertBefore(document.createTextNode(line), text);
    });
    text.parentNode?.removeChild(text);
  }
}

/** Makes a block of code of a table that shows one, and takes the column of line numbers away. */
function markTable(table: Element): void {
  if (table.closest('pre')) return;
  const rows = Array.from(table.getElementsByTagName('tr'));
  const cells = rows.map((row) => Array.from(row.children));
  if (rows.length === 1) {
    // One cell has all the numbers, the other all the lines.
    const [[numbers, lines] = []] = cells;
    if (numbers === undefined || lines?.getElementsByTagName('pre').length !== 1) return;
    if (isGutter(numbers) || /^[\d\s]+$/.test(numbers.textContent ?? '')) numbers.remove();
    return;
  }
  const isCode = cells.every((row) => row.some((cell) => CODE_CELL.test(attribute(cell, 'class'))));
  if (isCode && rows.length > 0) toPre(table);
}

/**
 * Returns the lines of a block of code: as its text has them, and for each `<br>`, box, line element and row. Line numbers
 * beside the lines are left out.
 */
export function codeLines(pre: Element): string {
  const parts: string[] = [];
  let [hasText, isPending] = [false, false];
  const add = (text: string) => {
    if (text === '') return;
    // The line break after a line element may be in the text too.
    if (isPending && !text.startsWith('\n')) parts.push('\n');
    isPending = false;
    hasText = !text.endsWith('\n');
    parts.push(text);
  };
  const numbered = isNumbered(pre);
  const walk = (node: Node): void => {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.nodeType === 3) add(child.nodeValue ?? '');
      else if (child.nodeName === 'BR') {
        if (isPending) parts.push('\n');
        isPending = false;
        parts.push('\n');
        hasText = false;
      } else if (child.nodeType === 1) walkElement(child as Element);
    }
  };
  const walkElement = (element: Element) => {
    const isCell = element.nodeName === 'TD' || element.nodeName === 'TH';
    if (isGutter(element)) return;
    if (isCell && numbered && element.previousElementSibling === null) return;
    const isLine = isLineOf(element);
    if (isLine && (isPending || hasText)) {
      parts.push('\n');
      [isPending, hasText] = [false, false];
    }
    walk(element);
    if (isLine && (!LINES.has(element.nodeName) || element.children.length === 0 || hasText)) {
      isPending = true;
      hasText = false;
    }
  };
  walk(pre);
  return parts.join('');
}

function isLineOf(element: Element): boolean {
  if (LINES.has(element.nodeName)) return true;
  return LINE.test(attribute(element, 'class')) || /display\s*:\s*block/i.test(attribute(element, 'style'));
}

/** Returns true when the first cells of a block's rows count the lines. */
function isNumbered(pre: Element): boolean {
  const rows = Array.from(pre.getElementsByTagName('tr'));
  return (
    rows.length > 1 &&
    rows.every(({ children }) => children.length > 1 && /^\s*\d*\s*$/.test(children[0]?.textContent ?? ''))
  );
}
