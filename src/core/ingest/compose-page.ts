import type { Brain } from '../brain';
import type { Caller } from '../caller';
import { composeWrite, type Composed, type OwnedValue, setKeys } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { holdsTemplate, inertLine, madeInert, templateInField, visible } from '../rules/frontmatter/inert';
import type { Gated } from '../rules/gate';
import { stampOf } from '../rules/provenance';
import { newReferences } from '../rules/references';
import { timestamp } from '../rules/time';
import { listOf } from './back-references';
import type { BatchPage, BatchTerms, ExtractedBy } from './batch-page';

/** What a page says of its source. */
export interface PageSource {
  /** Elements of `sources`, in their order. */
  readonly references: readonly string[];
  /** What the source is called where that is no reference. */
  readonly name: string | null;
  /** True when it comes from a file or from the web. */
  readonly external: boolean;
}

/**
 * The whole text of a page: front matter with stamps, back-references and what the pipeline knows of it, then the gated body.
 * @throws BrainError as `composeWrite`.
 */
export function composePage(
  brain: Pick<Brain, 'clock' | 'catalog'>,
  { page: batchPage, gated }: { readonly page: BatchPage; readonly gated: Pick<Gated, 'body'> },
  terms: BatchTerms,
  source: PageSource,
  caller: Caller,
): Composed {
  const { page, opened, wing, hall } = batchPage;
  const by = madeBy(batchPage, terms);
  const said = { tags: page.tags, aliases: page.aliases, summary: page.summary, source: page.source };
  if (by === 'structured') {
    // What a caller has structured can be sent anew; a document is taken in whatever its words are.
    const live = Object.entries(said).find(([, value]) => holdsTemplate(visible(value)));
    if (live !== undefined) throw templateInField(live[0]);
  }
  const composed = composeWrite(opened, gated.body, {
    address:
      wing === undefined && hall === undefined
        ? null
        : { ...(wing !== undefined && { wing }), ...(hall !== undefined && { hall }) },
    created_at: timestamp(brain.clock.now()),
    ...stampOf(caller, by === 'structured' ? undefined : by === 'llm' ? (terms.model ?? by) : by),
    options: {
      type: page.type,
      domain: page.domain,
      source_type: page.source_type ?? (source.external ? 'external' : undefined),
      half_life: page.half_life,
      applies: page.applies,
      claim_provenance: page.claim_provenance,
    },
    frontmatter: page.frontmatter,
  });
  const own = parseNote(composed.text).frontmatter;
  const standing = listOf(own.sources);
  const sources = [...standing, ...newReferences(standing, source.references, brain.catalog)];
  const aliases = union(listOf(own.aliases), [batchPage.title, ...(page.aliases ?? [])].map(inertLine));
  const tags = union(listOf(own.tags).flatMap(eachTag), (page.tags ?? []).map(tagOf));
  const summary = inertLine(page.summary ?? '');
  const set: Record<string, OwnedValue> = {
    aliases,
    // What the text says of itself is left as it is written, as long as there is nothing to add.
    ...(page.tags !== undefined && tags.length > 0 && { tags }),
    ...(summary !== '' && isBlank(own.description) && { description: summary }),
    ...(source.name !== null && isBlank(own.source) && { source: inertLine(source.name) }),
    ...(sources.length > 0 && { sources }),
    ...(terms.sourceHash !== null && { source_hash: terms.sourceHash }),
    extracted_by: by,
    ...(page.unverified === true && { evidence: 'unverified' }),
  };
  const { text, warnings } = setKeys(composed.text, set);
  const words = Object.entries({
    title: batchPage.title,
    ...said,
    source: [source.name ?? '', ...source.references],
  });
  const inert = words.flatMap(([key, value = []]) =>
    [value].flat().flatMap((each) => madeInert(`"${key}"`, each)),
  );
  return { text, warnings: [...composed.warnings, ...new Set(inert), ...warnings] };
}

/** A page that holds the text as it stands was made by nobody, whoever made the others. */
function madeBy({ page }: BatchPage, { by }: BatchTerms): ExtractedBy {
  return by === 'llm' && page.verbatim !== undefined ? 'passthrough' : by;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The tags of one property; people also write several in one text. */
function eachTag(text: string): string[] {
  return text.split(/[\s,]+/).map(tagOf);
}

/** A tag as a list of properties has it: no number sign, no space. */
function tagOf(text: string): string {
  return inertLine(text).replace(/^#+/, '').replace(/\s+/g, '-');
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other].filter((item) => item !== ''))];
}
