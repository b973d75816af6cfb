import { linkWords, UNLINKABLE } from '../markdown/link-words';
import { linkPath, type VaultPath, vaultPath } from '../vocabulary/paths';
import { type LinkTargets, resolveLink } from './resolve';

/** What an element of `sources` is: a wikilink alone, an address of the web, or words. */
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

/** A link to a file, as an element of `sources` and anywhere else; null when its path cannot stand in a link. */
export function linkTo(path: string, text: string, fragment = ''): string | null {
  const target = linkPath(path);
  if (UNLINKABLE.test(target)) return null;
  const words = linkWords(text);
  return `[[${target}${fragment}${words === '' ? '' : `|${words}`}]]`;
}

/** Reads an element of `sources`, or what somebody says a source is. Never throws. */
export function readReference(element: string): Reference {
  const plain = element.trim();
  const [, target = '', fragment = '', text = null] = WIKILINK.exec(plain) ?? [];
  if (target.trim() !== '') return { kind: 'link', target: target.trim(), fragment, text };
  return ADDRESS.test(plain) ? { kind: 'address', address: plain } : { kind: 'words', words: plain };
}

/**
 * Equal for two references to the same source: to the same file, whatever page of it and whatever words are shown, or to the
 * same address without its fragment and without what only counts visitors (`utm_…`).
 * @param targets what links may lead to; a link that leads nowhere now is taken by its path
 */
export function referenceKey(element: string, targets: LinkTargets): string {
  const reference = readReference(element);
  if (reference.kind === 'address') return addressKey(reference.address);
  if (reference.kind === 'words')
    return `words:${reference.words.replace(/#page=\d+$/, '').normalize('NFC')}`;
  const found = resolveLink(reference.target, { path: null, wing: null, hall: null }, targets);
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

/** A link to a document with the page that is meant, as Obsidian opens it; what is no link is left as it is. */
export function onPage(element: string, page: number | undefined): string {
  if (page === undefined) return element;
  const reference = readReference(element);
  if (reference.kind !== 'link' || reference.fragment !== '') return element;
  const bar = reference.text === null ? '' : `|${reference.text}`;
  return `[[${reference.target}#page=${page}${bar}]]`;
}

/** The reference to a file that was moved; one to anything else is left as it is. */
export function movedReference(element: string, from: VaultPath, to: VaultPath): string {
  const reference = readReference(element);
  if (reference.kind !== 'link' || linkPath(vaultPath(reference.target)) !== linkPath(from)) return element;
  return linkTo(to, reference.text ?? '', reference.fragment) ?? element;
}

/** Those of the references that lead to nothing that is named before them or in `standing`; the order is kept. */
export function newReferences(
  standing: readonly string[],
  references: readonly string[],
  targets: LinkTargets,
): string[] {
  const known = new Set(standing.map((element) => referenceKey(element, targets)));
  return references.filter((element) => {
    const key = referenceKey(element, targets);
    return !known.has(key) && known.add(key);
  });
}
