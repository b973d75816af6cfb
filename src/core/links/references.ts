import { linkWords, UNLINKABLE } from '../markdown/link-words';
import { linkPath, type VaultPath, vaultPath } from '../vocabulary/paths';
import { type LinkTargets, NOWHERE, resolveLink } from './resolve';

/** A parsed element of `sources`: a single wikilink, a web address, or words. */
type Reference =
  | {
      readonly kind: 'link';
      readonly target: string;
      readonly fragment: string;
      readonly text: string | null;
    }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'words'; readonly words: string };

const WIKILINK = /^\[\[([^\][|#\n]+)(#[^\][|\n]*)?(?:\|([^\][\n]*))?\]\]$/;
const ADDRESS = /^https?:\/\/[^\s"<>\\^`{|}]+$/i;

/** Returns a wikilink to a file; null when no wikilink can have its path. */
export function linkTo(path: string, text: string, fragment = ''): string | null {
  const target = linkPath(path);
  if (UNLINKABLE.test(target)) return null;
  const words = linkWords(text);
  return `[[${target}${fragment}${words === '' ? '' : `|${words}`}]]`;
}

/** Parses an element of `sources`, or a caller's text about a source. Never throws. */
export function readReference(element: string): Reference {
  const plain = element.trim();
  const [, target = '', fragment = '', text = null] = WIKILINK.exec(plain) ?? [];
  if (target.trim() !== '') return { kind: 'link', target: target.trim(), fragment, text };
  return ADDRESS.test(plain) ? { kind: 'address', address: plain } : { kind: 'words', words: plain };
}

/**
 * Returns a key that is equal for two references to one source: to one file, with any page and any words, or to one address
 * without its fragment and its tracking parameters (`utm_…`).
 * @param targets the possible targets of links; a link without a target is identified by its path
 */
export function referenceKey(element: string, targets: LinkTargets): string {
  const reference = readReference(element);
  if (reference.kind === 'address') return addressKey(reference.address);
  if (reference.kind === 'words')
    return `words:${reference.words.replace(/#page=\d+$/, '').normalize('NFC')}`;
  const found = resolveLink(reference.target, NOWHERE, targets);
  const path = found.status === 'resolved' ? found.path : vaultPath(reference.target);
  return `file:${linkPath(path)}`;
}

function addressKey(address: string): string {
  const [, scheme = '', host = '', path = '', query = ''] =
    /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(address) ?? [];
  const kept = query.split('&').filter((part) => part !== '' && !/^utm_/i.test(part));
  const asked = kept.length === 0 ? '' : `?${kept.join('&')}`;
  return `${scheme.toLowerCase()}://${host.toLowerCase()}${path === '' ? '/' : path}${asked}`;
}

/** Adds a page (`#page=3`, as Obsidian opens it) to a link without a fragment; any other element stays. */
export function withPage(element: string, page: number | undefined): string {
  if (page === undefined) return element;
  const reference = readReference(element);
  if (reference.kind !== 'link' || reference.fragment !== '') return element;
  const bar = reference.text === null ? '' : `|${reference.text}`;
  return `[[${reference.target}#page=${page}${bar}]]`;
}

/** Retargets a reference to a moved file; any other element stays. */
export function movedReference(element: string, from: VaultPath, to: VaultPath): string {
  const reference = readReference(element);
  if (reference.kind !== 'link' || linkPath(vaultPath(reference.target)) !== linkPath(from)) return element;
  return linkTo(to, reference.text ?? '', reference.fragment) ?? element;
}

/** Returns the references to sources that neither `existing` nor an earlier reference names, in order. */
export function newReferences(
  existing: readonly string[],
  references: readonly string[],
  targets: LinkTargets,
): string[] {
  const known = new Set(existing.map((element) => referenceKey(element, targets)));
  return references.filter((element) => {
    const key = referenceKey(element, targets);
    return !known.has(key) && known.add(key);
  });
}
