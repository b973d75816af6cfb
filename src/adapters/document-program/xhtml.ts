/** The elements that have no end tag in HTML. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/** What begins text that is no markup, and templates; a tag of more characters is none of a page that people read. */
const PARTS =
  /<!--|<!\[CDATA\[|<(script|style|title|textarea|iframe|xmp|noembed|noframes|plaintext|template)(?![\w-])([^<>]{0,4000})>|<\/template(?![\w-])/gi;
/** What ends code that nothing ends: a tag of the page. */
const PAGE =
  /<\/?(?:head|body|html|link|meta|script|style|title|div|p|h[1-6]|table|ul|ol|dl|main|article|section|header|nav|form|center|font|span|a|br|hr|img)(?=[\s/>])/gi;

/**
 * Returns a page whose text HTML finds whole. In XHTML (by its name, its XML declaration or its namespace) `<script/>` and
 * `<a id="x"/>` get an end tag, and character data becomes text. In each page the mark of a comment, of character data, or of an
 * element whose contents are no markup ends early where its own end is missing: it would take the rest of the page.
 */
export function asHtml(text: string, name = ''): string {
  const isXhtml =
    /\.xht(?:ml)?$/i.test(name) ||
    /^\s*<\?xml\s/.test(text) ||
    /<html\s[^<>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml/i.test(text.slice(0, 4096));
  return withEnds(text, isXhtml);
}

function withEnds(text: string, isXhtml: boolean): string {
  const find = finder(text);
  const pieces: string[] = [];
  const templates: number[] = [];
  let done = 0;
  /** Writes markup up to a place, then other text in place of what follows up to another one. */
  const write = (to: number, other: string, next: number) => {
    const markup = text.slice(done, to);
    pieces.push(isXhtml ? withEndTags(markup) : markup, other);
    done = next;
  };
  for (const part = new RegExp(PARTS); ;) {
    part.lastIndex = done;
    const found = part.exec(text);
    if (found === null) break;
    const [mark, element = '', attributes = ''] = found;
    const [at, from] = [found.index, found.index + mark.length];
    if (mark === '<!--') {
      const end = /^-?>/.test(text.slice(from, from + 2)) ? from : find('-->', from);
      // Without an end it is a comment of one tag or line.
      if (end < 0) write(at, '', Math.min(endOf(find('>', from), text), endOf(find('\n', from), text)));
      else write(at, text.slice(at, end), end);
    } else if (mark.startsWith('<![')) {
      const end = find(']]>', from);
      const data = text.slice(from, Math.max(from, end));
      if (end < 0 || data.includes('<![CDATA[')) write(at, '', from);
      else write(at, isXhtml ? escaped(data) : data, end + ']]>'.length);
    } else if (element.toLowerCase() === 'template') {
      write(at, mark, from);
      if (!isXhtml || !attributes.endsWith('/')) templates.push(pieces.length - 1);
      else pieces.push('</template>');
    } else if (element === '') {
      templates.pop();
      write(at, mark, from);
    } else if (isXhtml && attributes.endsWith('/')) {
      write(at, `<${element}${attributes.slice(0, -1)}></${element}>`, from);
    } else {
      const { other, next } = rawText(text, find, mark, element.toLowerCase(), at);
      write(at, other, next);
    }
  }
  write(text.length, '', text.length);
  // A template that nothing ends would hide what follows.
  for (const at of templates) pieces[at] = '';
  return pieces.join('');
}

type Find = (what: string, from: number) => number;

/** Returns what stands for an element whose contents are no markup, and where the page goes on. */
function rawText(
  text: string,
  find: Find,
  mark: string,
  element: string,
  at: number,
): { readonly other: string; readonly next: number } {
  const from = at + mark.length;
  const end = element === 'plaintext' ? -1 : find(`</${element}`, from);
  const isOwn = end >= 0 && (element === 'script' || !ownEnd(element).test(text.slice(from, end)));
  if (isOwn) return { other: text.slice(at, end), next: end };
  if (element === 'script' || element === 'style') {
    const page = new RegExp(PAGE);
    page.lastIndex = from;
    const next = page.exec(text)?.index ?? text.length;
    return { other: `${text.slice(at, next)}</${element}>`, next };
  }
  if (element !== 'title') return { other: '', next: from };
  const next = endOf(find('<', from) - 1, text);
  return { other: `${text.slice(at, next)}</title>`, next };
}

/** Matches what stands before the end of another element of the same name. */
function ownEnd(element: string): RegExp {
  return element === 'title' || element === 'style'
    ? /<(?:body|title|style|\/head)(?=[\s>])/i
    : new RegExp(`<${element}(?=[\\s>])`, 'i');
}

/** Returns the place behind what was found there, or the end of the text. */
function endOf(found: number, text: string): number {
  return found < 0 ? text.length : found + 1;
}

/** Returns a function that finds a text in another one, whatever its case. Each part is searched once for each text. */
function finder(text: string): Find {
  const small = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const known = new Map<string, number>();
  return (what, from) => {
    const last = known.get(what);
    if (last !== undefined && (last < 0 || last >= from)) return last;
    const found = small.indexOf(what, from);
    known.set(what, found);
    return found;
  };
}

/** Gives elements that end at once in XHTML the end tag that HTML would look for. */
function withEndTags(markup: string): string {
  return markup.replace(
    /<([a-z][\w.-]*)((?:\s[^<>]*["'\s])?)\/>/gi,
    (tag, element: string, attributes: string) =>
      VOID.has(element.toLowerCase()) ? tag : `<${element}${attributes}></${element}>`,
  );
}

function escaped(data: string): string {
  return data.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}
