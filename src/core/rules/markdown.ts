import { finish, type Steps } from '../steps';
import type { LinkUse } from './links-address';
import { internalLinkSteps, webAddressSteps } from './markdown-links';
import { lineSteps, markdownSteps, within } from './markdown-parse';
import { collapsed, collapseSteps } from './markdown-space';
import { UNITS_PER_STEP } from './markdown-tokens';
import { BLOCK_ID, wordSteps } from './markdown-words';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** As it is written, on one line. */
  readonly source: string;
  /** Counted from 1. */
  readonly line: number;
}

/** A heading, or a part of the text below one: a paragraph, an item, a row, a block of code or of HTML. */
export interface TextBlock {
  readonly isHeading: boolean;
  /** Without the syntax of links and emphasis; lines as they stand. */
  readonly text: string;
}

/** What a body says about itself. */
export interface MarkdownFacts {
  /** Internal links in order; external ones, and a place in the same note, are left out. */
  readonly links: LinkUse[];
  /** Where links lead that leave the vault, each once, as a person would say it: `example.com/guide`. */
  readonly addresses: readonly string[];
  readonly headings: Heading[];
  /** Without the `^`. */
  readonly blockIds: string[];
  /** The first heading of level 1 that has words, or null. */
  readonly h1: string | null;
  /** Inline `#tags`, without the `#`, each once. */
  readonly tags: string[];
  /** The prose alone, on one line: no headings, code blocks, HTML, comments, and no link or emphasis syntax. */
  readonly plain: string;
  /** Everything a reader sees, headings, code and the words in HTML included, in order. */
  readonly blocks: readonly TextBlock[];
  /** The same on one line, for an index. */
  readonly searchText: string;
}

/** Reads a body once and tells everything that catalog, search and titles want to know. Never throws. */
export function markdownFacts(body: string): MarkdownFacts {
  return finish(factSteps(body));
}

/** What `markdownFacts` answers, a little of the text a step. */
export function* factSteps(body: string): Steps<MarkdownFacts> {
  const markdown = yield* markdownSteps(body);
  const lineOf = yield* lineSteps(body);
  const links: LinkUse[] = [];
  const isQuiet = within(markdown.quiet);
  yield* internalLinkSteps(markdown, isQuiet, ({ kind, target, fragment, text }, { from, to }) => {
    // Not spread: to add a field to what was spread takes the engine longer than all the others, each time.
    links.push({ kind, target, fragment, text, from, to, line: lineOf(from) });
  });
  const addresses = yield* webAddressSteps(markdown, isQuiet);

  const headings: Heading[] = [];
  const blockIds: string[] = [];
  const tags = new Set<string>();
  const plain: string[] = [];
  const blocks: TextBlock[] = [];
  const words = yield* wordSteps(markdown);
  let read = 0;
  for (const section of markdown.sections) {
    const { kind, from, to, level } = section;
    if ((read += to - from) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (kind === 'overlay' || kind === 'definition') continue;
    if (kind === 'html') {
      // What looks like a tag of a note there is none.
      blocks.push({ isHeading: false, text: yield* words(section, new Set()) });
      continue;
    }
    if (kind === 'fence' || kind === 'indented') {
      blocks.push({ isHeading: false, text: body.slice(section.code.from, section.code.to) });
      continue;
    }
    const id = BLOCK_ID.exec(section.text.slice(-200))?.[1];
    if (id !== undefined) blockIds.push(id);
    const text = yield* words(section, tags);
    blocks.push({ isHeading: kind === 'heading', text });
    if (kind !== 'heading') plain.push(text);
    else
      headings.push({
        level,
        text: collapsed(text),
        source: collapsed(section.text),
        line: lineOf(from < to ? from : to),
      });
  }
  return {
    links,
    addresses,
    headings,
    blockIds,
    h1: headings.find(({ level, text }) => level === 1 && text !== '')?.text ?? null,
    tags: [...tags],
    plain: yield* collapseSteps(plain),
    blocks,
    searchText: yield* collapseSteps(blocks.map(({ text }) => text)),
  };
}
