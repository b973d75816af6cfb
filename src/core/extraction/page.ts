import type { Flat } from '../frontmatter/yaml';

/** A page that is to become a note, before it has an address (service part 2.7). */
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

/** A page that the pipeline took from a document by itself. */
export interface ExtractedPage extends RawPage {
  /** The page of the document, from 1, on which it begins; absent when the document has none. */
  readonly page?: number | undefined;
  /** True when none of the quotes that were to bear it out stands in the document. */
  readonly unverified: boolean;
  /** Set when it is the text of the document as it stands: all of it, or a part of which no page could be made. */
  readonly verbatim?: 'whole' | 'part' | undefined;
}

/** What was taken from a document, and how. */
export interface Extraction {
  readonly by: 'llm' | 'passthrough';
  /** The model's name; absent for a passthrough. */
  readonly model?: string | undefined;
  readonly pages: readonly ExtractedPage[];
  readonly warnings: readonly string[];
}
