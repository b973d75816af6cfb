import { firstPoints } from '../base/text';
import type { Steps } from '../base/steps';
import { inertLine } from '../frontmatter/block';
import { oneLine } from '../frontmatter/yaml';
import { foldLink } from '../links/resolve';
import { closedFence } from './chunks';
import { type ExtractedPage, linkToPage } from './page';
import { ingestVerbatim, PART_KEY } from './passthrough';
import { type SourceText, withFacts } from './source';

/** The longest title of an attachment (code points): the list of all of them has room on one page. */
const MAX_TITLE = 100;

/** The first page of a document, for links to it. */
interface TitledPage {
  readonly index: number;
  readonly title: string;
}

/**
 * Adds the pages of the attachments of a document to its own pages: each has the text of its attachment as it is, with a link to
 * the document that it is attached to, whose first page has a list of links to them. Without attachments the pages are returned
 * as they are.
 * @param pages the pages of the document itself
 */
export function* withAttachments(
  source: SourceText,
  pages: readonly ExtractedPage[],
): Steps<ExtractedPage[]> {
  const { attachments = [] } = source.text;
  if (attachments.length === 0) return [...pages];
  const own = pages.map((page): ExtractedPage =>
    // The text of such a page is no longer that of its document.
    page.verbatim === 'whole'
      ? {
          ...page,
          verbatim: 'part',
          frontmatter: { ...page.frontmatter, [PART_KEY]: inertLine(source.name) },
        }
      : page,
  );
  const all = [...own];
  yield* addAttached(all, source, new Set(own.map(({ title }) => foldLink(title))));
  return all;
}

/** Adds the pages of what is attached to a document, whose own pages are the last of `all`. */
function* addAttached(
  all: ExtractedPage[],
  { text }: SourceText,
  titles: Set<string>,
  first = 0,
): Steps<void> {
  const holder: TitledPage = { index: first, title: all[first]?.title ?? '' };
  const places: TitledPage[] = [];
  for (const { name, text: attached } of text.attachments ?? []) {
    const source = { text: attached, title: null, name, source: null };
    const { pages } = yield* ingestVerbatim(source);
    const index = all.length;
    for (const [at, page] of pages.entries()) {
      const title = unusedTitle(oneLine(page.title), titles);
      const part = pages.length === 1 ? name : `${name}, ${at + 1} of ${pages.length}`;
      const content = `${yield* closedFence(page.content.trimEnd())}\n\nAttached to ${linkToPage(holder.index, holder.title)}.\n`;
      const frontmatter = { ...page.frontmatter, [PART_KEY]: inertLine(part) };
      // A page number of the attachment is none of the mail.
      all.push(
        withFacts({ ...page, title, content, frontmatter, page: undefined, verbatim: 'part' }, source),
      );
    }
    places.push({ index, title: all[index]?.title ?? name });
    yield* addAttached(all, source, titles, index);
  }
  const page = all[first];
  if (page === undefined || places.length === 0) return;
  const list = places.map(({ index, title }) => `- ${linkToPage(index, title)}\n`).join('');
  const content = yield* closedFence(page.content.trimEnd());
  all[first] = { ...page, content: `${content}\n\n## Attachments\n\n${list}` };
}

/** Returns a title that no other page has, with a number when it is taken. */
function unusedTitle(title: string, titles: Set<string>): string {
  const short = firstPoints(title, MAX_TITLE);
  let unused = short;
  for (let n = 2; titles.has(foldLink(unused)); n += 1) unused = `${short} (${n})`;
  titles.add(foldLink(unused));
  return unused;
}
