import { isRecord } from '../base/json';
import { MAX_TEXT, type DocumentText, type PageStart } from '../documents/ports';
import { extensionOf } from '../documents/formats';
import { type VaultPath, zoneOf } from '../vocabulary/paths';

/** The words of an attachment: Markdown from an untrusted source, and where its pages begin, if it has pages. */
export type AttachmentText = Required<Pick<DocumentText, 'markdown' | 'pages'>>;

/** Returns true for a file of the vault whose words are searched though it is no note: a PDF file or a canvas. */
export function isAttachment(path: VaultPath): boolean {
  const extension = extensionOf(path);
  return (extension === 'pdf' || extension === 'canvas') && SEARCHED.has(zoneOf(path));
}

/** The files of the inbox became notes, or will. */
const SEARCHED: ReadonlySet<string> = new Set(['wiki', 'knowledge', 'other']);

/** A part of an attachment, which is found by itself: a page, or a piece of a long one. `to` is exclusive. */
export interface Part {
  readonly from: number;
  readonly to: number;
  /** Absent where there are no pages. */
  readonly page?: number;
}

/** The longest part (UTF-16 units): a close page, or a screen of cards. */
const MAX_PART = 8000;

/** Returns the parts of a text with a visible character, in order. Parts end between paragraphs where they can. */
export function partsOf({ markdown, pages }: AttachmentText): Part[] {
  const starts: readonly (PageStart | { readonly from: number; readonly page?: undefined })[] =
    pages.length === 0 ? [{ from: 0 }] : pages;
  return starts.flatMap(({ from, page }, at) => {
    const end = starts[at + 1]?.from ?? markdown.length;
    const parts: Part[] = [];
    for (let start = from; start < end;) {
      const to = partEnd(markdown, start, end);
      if (/\S/.test(markdown.slice(start, to)))
        parts.push({ from: start, to, ...(page !== undefined && { page }) });
      start = to;
    }
    return parts;
  });
}

function partEnd(text: string, start: number, end: number): number {
  if (end - start <= MAX_PART) return end;
  for (const gap of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(gap, start + MAX_PART - gap.length);
    if (at > start + MAX_PART / 2) return at + gap.length;
  }
  const code = text.charCodeAt(start + MAX_PART - 1);
  return start + MAX_PART - (code >= 0xd800 && code < 0xdc00 ? 1 : 0);
}

/** Returns the words of an attachment from what was kept of it; null for anything else, as after a power cut. */
export function keptText(value: unknown): AttachmentText | null {
  if (!isRecord(value) || typeof value.markdown !== 'string' || !Array.isArray(value.pages)) return null;
  const { markdown } = value;
  const all: readonly unknown[] = value.pages;
  const pages = all.filter(isPageStart);
  let last = -1;
  const isInOrder = pages.every(({ from }) => from >= last && (last = from) <= markdown.length);
  return markdown.length <= MAX_TEXT && pages.length === all.length && isInOrder ? { markdown, pages } : null;
}

function isPageStart(value: unknown): value is PageStart {
  return isRecord(value) && Number.isInteger(value.page) && Number.isInteger(value.from);
}
