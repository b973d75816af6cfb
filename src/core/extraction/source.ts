import type { DocumentText } from '../documents/ports';
import { inertLine } from '../frontmatter/block';
import type { ExtractedPage } from './page';

/** A document that was read, with its names. */
export interface SourceText {
  readonly text: DocumentText;
  /** The title that the sender gave; null when there is none. */
  readonly title: string | null;
  /** The file name. */
  readonly name: string;
  /** The URL or label of the document. */
  readonly source: string | null;
}

/** Adds what the document says of itself to a page: its address, and its properties, made harmless. */
export function withFacts(page: ExtractedPage, { text }: SourceText): ExtractedPage {
  const { address, properties = {} } = text;
  const { aliases = [], tags = [], ...others } = properties;
  const values = Object.entries(others).map(
    ([key, value]) => [key, typeof value === 'string' ? inertLine(value) : value.map(inertLine)] as const,
  );
  const given = Object.fromEntries(values.filter(([, value]) => value.length > 0));
  return {
    ...page,
    ...(aliases.length > 0 && { aliases: [...(page.aliases ?? []), ...[aliases].flat()] }),
    ...(tags.length > 0 && { tags: [...(page.tags ?? []), ...[tags].flat()] }),
    ...(address !== undefined && { source: page.source ?? address }),
    ...(Object.keys(given).length > 0 && { frontmatter: { ...given, ...page.frontmatter } }),
  };
}
