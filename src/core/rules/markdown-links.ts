import { type Address, type LinkUse, percentDecoded, readAddress } from './links-address';
import { decodeEntities } from './markdown-html';
import type { Section } from './markdown-section';
import type { LinkSpan, Span, WikiSpan } from './markdown-spans';
import type { Markdown } from './markdown-parse';
import type { Steps } from '../steps';

type Internal = Pick<LinkUse, 'kind' | 'target' | 'fragment' | 'text'>;

/** So many spans are read in one step. */
const LINKS_PER_STEP = 256;

/** Widths and heights behind the bar of an embed are no words. */
export const SIZE = /^\s*\d+(?:\s*x\s*\d+)?\s*$/;

/** What a wikilink or an embed says; its target is '' for a place in the same note. */
export function readWikilink(body: string, span: WikiSpan): Internal {
  const [name = '', ...fragment] = body.slice(span.targetFrom, span.targetTo).split('#');
  const text = body.slice(span.textFrom, span.textTo).trim();
  return {
    kind: span.kind,
    target: name.trim(),
    fragment: fragment.length === 0 ? null : fragment.join('#').trim(),
    text: text === '' || (span.kind === 'embed' && SIZE.test(text)) ? null : text,
  };
}

/** The worst that the addresses of a link can be read as. */
export function linkAddress({ addresses }: LinkSpan): Address {
  const read = addresses.map(readAddress);
  return (
    read.find(({ kind }) => kind === 'unsafe') ??
    read.find(({ kind }) => kind === 'host') ??
    read.find(({ kind }) => kind === 'web') ??
    read[0] ?? { kind: 'internal', name: '', fragment: null }
  );
}

/** A link or an image that leads into the vault, or null. */
export function readLink(body: string, span: LinkSpan): Internal | null {
  if (span.loose) return null;
  const address = linkAddress(span);
  if (address.kind !== 'internal') return null;
  const text = body.slice(span.textFrom, span.textTo).trim();
  return {
    kind: span.kind === 'link' ? 'mdlink' : 'image',
    target: address.name,
    fragment: address.fragment,
    text: text === '' ? null : text,
  };
}

function isLink(span: Span): span is LinkSpan | WikiSpan {
  return span.kind === 'link' || span.kind === 'image' || span.kind === 'wikilink' || span.kind === 'embed';
}

/** What stands there is a link for one reader and none for another: only dangers count. */
export function isShadow({ kind }: Section): boolean {
  return kind === 'indented' || kind === 'overlay';
}

/** Calls `found` for every internal link outside comments, math and code, in order, some of them a step. */
export function* internalLinkSteps(
  { body, spans }: Markdown,
  isQuiet: (at: number) => boolean,
  found: (link: Internal, span: LinkSpan | WikiSpan) => void,
): Steps<void> {
  let looked = 0;
  for (const span of spans) {
    if ((looked += 1) % LINKS_PER_STEP === 0) yield;
    if (!isLink(span) || isShadow(span.section) || isQuiet(span.from)) continue;
    const link = 'targetFrom' in span ? readWikilink(body, span) : readLink(body, span);
    if (link !== null && link.target !== '') found(link, span);
  }
}

/** Of one text so many addresses are told … */
const MAX_ADDRESSES = 500;
/** … and so much of each, in UTF-16 units. */
const MAX_ADDRESS = 300;

/**
 * Where the links of a text lead that leave the vault, each once, for who remembers the site and not the words: without scheme
 * and fragment, escapes decoded. Images are left out, whose addresses nobody reads, and so is what stands in comments.
 */
export function* webAddressSteps({ spans }: Markdown, isQuiet: (at: number) => boolean): Steps<string[]> {
  const found = new Set<string>();
  let looked = 0;
  for (const span of spans) {
    if ((looked += 1) % LINKS_PER_STEP === 0) yield;
    if (span.kind !== 'link' || span.loose || isShadow(span.section) || isQuiet(span.from)) continue;
    for (const address of span.addresses)
      if (readAddress(address).kind === 'web') found.add(placeNamed(address));
    if (found.size >= MAX_ADDRESSES) break;
  }
  found.delete('');
  return [...found];
}

/** What a person would say of an address. */
function placeNamed(address: string): string {
  const bare = address.replace(/^<|>$/g, '').slice(0, MAX_ADDRESS);
  return percentDecoded(decodeEntities(bare))
    .replace(/^\s*[a-z]+:(?:\/\/)?/i, '')
    .replace(/#.*$/s, '');
}
