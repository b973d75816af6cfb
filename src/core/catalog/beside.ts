import type { Values } from '../frontmatter/yaml';
import { linksInValue } from '../links/properties';
import type { LinkUse } from '../markdown/address';
import type { MarkdownFacts } from '../markdown/facts';
import { isOwners } from '../vocabulary/ownership';
import { fileName, isMarkdown, stemOf } from '../vocabulary/paths';
import { PROTECTED_KEYS } from '../vocabulary/envelope';

/** What a note says beside its text. */
export interface Beside {
  /** The property that says it; null for the name of an embed and for a comment. */
  readonly key: string | null;
  /** Its words, a link by its own and by the name of its target. */
  readonly text: string;
}

/** What is asked of a record. */
interface Note {
  readonly path: string;
  readonly status: string;
  readonly frontmatter: Values;
  readonly links: readonly Pick<LinkUse, 'target' | 'kind'>[];
}

/** Names and tags, which are fields of their own. */
const NAMES: ReadonlySet<string> = new Set(['title', 'aliases', 'alias', 'tags', 'tag']);

/** The keys of the service, which say nothing that a person looks for by words. */
const SERVICE: ReadonlySet<string> = new Set([
  ...PROTECTED_KEYS,
  ...['source_type', 'source_hash', 'sources', 'extracted_by', 'evidence', 'locked'],
  ...['half_life', 'applies', 'claim_provenance', 'tunnels', 'auto_tunnel'],
]);

/**
 * Returns what a note says beside its text: the values of its properties, the names of the files that it shows, and the comments of
 * an owner's note. In the folders of the service its own keys are left out.
 */
export function besideText(record: Note, comments: string): Beside[] {
  const leftOut = (key: string) => NAMES.has(key) || (record.status !== 'vault' && SERVICE.has(key));
  const properties = Object.entries(record.frontmatter).flatMap(([key, value]) =>
    leftOut(key) ? [] : valueTexts(value).map((text) => ({ key, text })),
  );
  const embeds = record.links.flatMap(({ kind, target }) =>
    kind === 'embed' || kind === 'image' ? [{ key: null, text: nameOf(target) }] : [],
  );
  const said = comments !== '' && isOwners(record) ? [{ key: null, text: comments }] : [];
  return [...properties, ...embeds, ...said];
}

/** Returns what the comments of a note say, on one line: those of a block without properties, and those of its body. */
export function commentsOf(block: string | undefined, { comments }: Pick<MarkdownFacts, 'comments'>): string {
  return block === undefined ? comments : `${block.replace(/^\s*#+|\s+/gm, ' ')} ${comments}`.trim();
}

/** Returns the texts of a value of the front matter, those in lists and maps included. */
export function valueTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [shown(value)];
  return typeof value === 'object' && value !== null
    ? Object.values(value as Values).flatMap(valueTexts)
    : [];
}

/** Returns a value with the words of its links in place of them. */
function shown(value: string): string {
  if (!value.includes('[')) return value;
  let result = '';
  let end = 0;
  for (const { target, text, start, end: stop } of linksInValue(value)) {
    const name = nameOf(target);
    result += value.slice(end, start) + (text === null || text === name ? name : `${text} (${name})`);
    end = stop;
  }
  return result + value.slice(end);
}

/** Returns the last part of a link's target, that of a note without its ending. */
function nameOf(target: string): string {
  return isMarkdown(target) ? stemOf(target) : fileName(target);
}
