import { firstPoints } from '../base/text';
import type { Flat } from '../frontmatter/yaml';

/** A page that becomes a note, before it has an address (service part 2.7). */
export interface RawPage {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly wing?: string | undefined;
  readonly hall?: string | undefined;
  readonly slug?: string | undefined;
  readonly summary?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly aliases?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly domain?: string | undefined;
  readonly source_type?: string | undefined;
  readonly source?: string | undefined;
  readonly half_life?: string | undefined;
  readonly applies?: string | undefined;
  readonly claim_provenance?: string | undefined;
  readonly frontmatter?: Flat | undefined;
}

/** A page that the pipeline made from a document. */
export interface ExtractedPage extends RawPage {
  /** The page of the document on which it begins, from 1; absent when the document has no pages. */
  readonly page?: number | undefined;
  /** True when the document has none of the quotes that should prove it. */
  readonly unverified: boolean;
  /** Set for the unchanged text of the document: all of it, or a part that no page could be made of. */
  readonly verbatim?: 'whole' | 'part' | undefined;
}

/** The pages of a document, and how they were made. */
export interface Extraction {
  readonly by: 'llm' | 'passthrough';
  /** The name of the model; absent for a passthrough. */
  readonly model?: string | undefined;
  readonly pages: readonly ExtractedPage[];
  readonly warnings: readonly string[];
}

/** The folder of links between the pages of one extraction; no such folder exists. */
const SIBLINGS = 'pages-of-this-document/';
/** The longest text of such a link (code points). */
const MAX_SHOWN = 100;

/** Returns a link to another page of the same extraction by its position, from 0. It is resolved when the pages get their paths. */
export function linkToPage(index: number, title: string): string {
  const shown = firstPoints(title.replace(/[[\]|<>%`\\$\s]+/g, ' ').trim(), MAX_SHOWN);
  return `[[${SIBLINGS}${index}${shown === '' ? '' : `|${shown}`}]]`;
}

/** Returns the position in the target of a link that `linkToPage` made; null for any other target. */
export function linkedPage(target: string): number | null {
  if (!target.startsWith(SIBLINGS)) return null;
  const index = Number(target.slice(SIBLINGS.length));
  return Number.isSafeInteger(index) ? index : null;
}
