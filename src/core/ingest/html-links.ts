import type { Steps } from '../base/steps';
import { readAddress } from '../markdown/address';
import { changeLines, outsideCode } from './dialect';

const HOLDS_LINK = /<(?:a|img)\s/i;
const TAG = /<(\/?)(a|img)\b([^<>]*)>/gi;
/** The beginning of a block of HTML, in which Markdown is text until the next blank line (CommonMark, HTML block 6). */
const BLOCK =
  /^ {0,3}<\/?(?:address|article|aside|blockquote|body|center|details|dialog|d[dlt]|div|fieldset|fig(?:caption|ure)|footer|form|h[1-6]|header|html|legend|li|main|menu|nav|ol|p|section|summary|table|t(?:body|d|foot|h|head|r)|ul)\b/i;
const INDENTED_CODE = /^(?: {4}|\t)/;

/**
 * Returns a Markdown text with its HTML links and pictures that lead to files as Markdown ones, in steps, so that they follow
 * these files. Addresses of the web, places in the same text, and code stay.
 */
export function* withMarkdownLinks(markdown: string): Steps<string> {
  if (!HOLDS_LINK.test(markdown)) return markdown;
  let inBlock = false;
  return yield* changeLines(markdown, (line) => {
    inBlock = line.trim() !== '' && (inBlock || BLOCK.test(line));
    if (!HOLDS_LINK.test(line) || (!inBlock && INDENTED_CODE.test(line))) return line;
    // A blank line ends a block of HTML, and Markdown begins.
    const [before, after] = inBlock ? ['\n\n', '\n\n'] : ['', ''];
    return outsideCode(line, (prose) => convert(prose, (link) => before + link + after));
  });
}

/** Converts the links and pictures of a part of a line; `place` gets each outermost one. */
function convert(prose: string, place: (link: string) => string): string {
  let result = '';
  let end = 0;
  /** The link that is open: its address, and where its words begin in the result. */
  let open: { readonly href: string; readonly from: number } | null = null;
  for (const { 0: tag, 1: slash, 2: name = '', 3: attributes = '', index } of prose.matchAll(TAG)) {
    result += prose.slice(end, index);
    end = index + tag.length;
    if (name.toLowerCase() === 'img') {
      const picture = pictureOf(attributes);
      result += picture === null ? tag : open === null ? place(picture) : picture;
    } else if (slash === '') {
      const href = fileIn(attributes, 'href');
      if (href === null || open !== null) result += tag;
      else open = { href, from: result.length };
    } else if (open === null) {
      result += tag;
    } else {
      const words = result.slice(open.from).trim();
      const isPlain = !words.includes('](');
      const link = `[${isPlain ? words.replace(/[[\]]/g, '\\$&') : words}](<${open.href}>)`;
      result = result.slice(0, open.from) + place(link);
      open = null;
    }
  }
  // A link that ends on another line stays.
  return open === null ? result + prose.slice(end) : prose;
}

function pictureOf(attributes: string): string | null {
  const source = fileIn(attributes, 'src');
  if (source === null) return null;
  const words = (valueIn(attributes, 'alt') ?? '').replace(/[[\]|]/g, ' ').trim();
  const width = /^\d{1,5}/.exec(valueIn(attributes, 'width') ?? '')?.[0];
  return `![${words}${width === undefined ? '' : `|${width}`}](<${source}>)`;
}

/** Returns the address of a file in an attribute; null for any other address. */
function fileIn(attributes: string, name: string): string | null {
  const value = valueIn(attributes, name)?.trim() ?? '';
  return value === '' || /^[#?]/.test(value) || readAddress(value).kind !== 'internal' ? null : value;
}

function valueIn(attributes: string, name: string): string | null {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, 'i').exec(
    attributes,
  );
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
}
