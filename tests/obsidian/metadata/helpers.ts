import type {
  BlockSubpathResult,
  CachedMetadata,
  FootnoteSubpathResult,
  HeadingSubpathResult,
  Reference,
  ReferenceCache,
} from 'obsidian';

/** A value of the front matter by its name, in any case, or by a pattern. */
export function parseFrontMatterEntry(frontmatter: unknown, key: string | RegExp): unknown {
  if (typeof frontmatter !== 'object' || frontmatter === null) return null;
  const fits = (name: string): boolean =>
    typeof key === 'string' ? name.toLowerCase() === key.toLowerCase() : key.test(name);
  const found = Object.entries(frontmatter).find(([name]) => fits(name));
  return found?.[1] ?? null;
}

/** A value as texts: a list's entries, or what stands between commas. */
export function parseFrontMatterStringArray(frontmatter: unknown, key: string | RegExp): string[] | null {
  const value = parseFrontMatterEntry(frontmatter, key);
  if (typeof value === 'string') return tidy(value.split(','));
  return Array.isArray(value) ? tidy(value.map(String)) : null;
}

export function parseFrontMatterAliases(frontmatter: unknown): string[] | null {
  return parseFrontMatterStringArray(frontmatter, /^alias(es)?$/i);
}

export function parseFrontMatterTags(frontmatter: unknown): string[] | null {
  const found = parseFrontMatterStringArray(frontmatter, /^tags?$/i);
  return found?.map((tag) => (tag.startsWith('#') ? tag : `#${tag}`)) ?? null;
}

/** The tags of the text and of the front matter. */
export function getAllTags(cache: CachedMetadata): string[] | null {
  return [...(cache.tags ?? []).map((one) => one.tag), ...(parseFrontMatterTags(cache.frontmatter) ?? [])];
}

/** Visits links and embeds until the callback returns true. */
export function iterateCacheRefs(
  cache: CachedMetadata,
  cb: (ref: ReferenceCache) => boolean | void,
): boolean {
  return [...(cache.links ?? []), ...(cache.embeds ?? [])].some((ref) => cb(ref) === true);
}

export function iterateRefs(refs: Reference[], cb: (ref: Reference) => boolean | void): boolean {
  return refs.some((ref) => cb(ref) === true);
}

/** A heading without the marks that a link to it cannot hold. */
export function stripHeadingForLink(heading: string): string {
  return heading
    .replace(/([#|^:]|%%|\[\[|\]\]|\\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export function stripHeading(heading: string): string {
  return heading
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Where the heading of a `#subpath` begins. Blocks and footnotes are not among what the fake reads. */
export function resolveSubpath(
  cache: CachedMetadata,
  subpath: string,
): HeadingSubpathResult | BlockSubpathResult | FootnoteSubpathResult | null {
  const wanted = stripHeading(subpath.split('#').at(-1) ?? '').toLowerCase();
  const headings = cache.headings ?? [];
  const at = headings.findIndex((one) => stripHeading(one.heading).toLowerCase() === wanted);
  const current = headings[at];
  if (current === undefined) return null;
  const next = headings.slice(at + 1).find((one) => one.level <= current.level) ?? current;
  const end = next === current ? null : next.position.start;
  return { type: 'heading', current, next, start: current.position.start, end };
}

function tidy(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}
