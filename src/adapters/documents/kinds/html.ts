import domino from '@mixmark-io/domino';
import type { ReadText } from '../protocol';
import { markdownOf } from './html-rules';
import { prune, unwrapMisnamed } from './html-prune';
import { CUT_WARNING, within } from './limits';
import { decodeAs, decodeText, tryDecode } from './decode';

/** So much of a file is searched for the encoding that it names (WHATWG HTML, 13.2.3.2). */
const HEAD_BYTES = 1024;
const MAX_TITLE = 300;

/** A web page as Markdown: its text without scripts, styles and navigation. Nothing that it names is fetched. */
export function readHtml(html: string): ReadText {
  const document = domino.createDocument(html, true);
  const title = document.title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? null;
  const root = mainPart(document);
  prune(root);
  unwrapMisnamed(root);
  const whole = markdownOf(root, base);
  const markdown = within(whole);
  return {
    markdown,
    ...(title !== '' && { title }),
    warnings: markdown.length < whole.length ? [CUT_WARNING] : [],
  };
}

/**
 * The text of an HTML file, which may name another encoding than UTF-8 in its head.
 * @throws BrainError `unsupported_type` when it is no text
 */
export function decodeHtml(bytes: Uint8Array, name: string): string {
  const text = tryDecode(bytes);
  if (text !== null) return text;
  const head = decodeAs(bytes.subarray(0, HEAD_BYTES), 'latin1') ?? '';
  const encoding = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1];
  const declared = encoding === undefined ? null : decodeAs(bytes, encoding);
  return declared === null || declared.includes('\0') ? decodeText(bytes, name) : declared;
}

/** The one part that a page calls its main one, or all of it. */
function mainPart(document: Document): HTMLElement {
  for (const selector of ['main, [role=main]', 'article']) {
    const [first, second] = Array.from(document.querySelectorAll<HTMLElement>(selector));
    if (first !== undefined && second === undefined && (first.textContent ?? '').trim() !== '') return first;
  }
  return document.body;
}
