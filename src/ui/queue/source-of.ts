import { linkTarget, wikilinkParts } from '../preview/link-target';

/** What a note names as its source, as far as a screen can lead there. */
export type Source =
  | { readonly kind: 'address'; readonly href: string; readonly words: string }
  /** A note of the vault, by its path. */
  | { readonly kind: 'note'; readonly path: string; readonly words: string }
  /** Another file of the vault, and the page of it that is meant, from 1. */
  | { readonly kind: 'file'; readonly path: string; readonly page?: number; readonly words: string }
  | { readonly kind: 'words'; readonly words: string };

/** Kinds of documents: a link with one of these at its end leads to a file wherever that stands. */
const FILES = new Set(
  'pdf html htm csv tsv json jsonl eml org rst log txt docx xlsx pptx png jpg jpeg'.split(' '),
);
/** The last pages of documents have numbers of so many digits at most. */
const PAGE = /#page=(\d{1,6})\b/;

/**
 * Reads an element of `sources`: an address, `[[inbox/processed/…/report.pdf#page=3|report.pdf]]`, `file:report.pdf`, or
 * words.
 */
export function sourceOf(written: string): Source {
  const inside = /^\[\[([^[\]]+)\]\]$/.exec(written.trim())?.[1];
  if (inside !== undefined) return inVault(inside);
  const outside = /^file:(?!\/)(.+)$/s.exec(written)?.[1];
  if (outside !== undefined) return { kind: 'words', words: outside };
  const leads = linkTarget(written);
  if (leads.kind !== 'external') return { kind: 'words', words: written };
  return {
    kind: 'address',
    href: leads.href,
    words: written.replace(/^[a-z]+:\/\/(?:www\.)?/i, ''),
  };
}

function inVault(inside: string): Source {
  const { target, words } = wikilinkParts(inside);
  if (target === '') return { kind: 'words', words: inside };
  const extension = /\.([^./]+)$/.exec(target)?.[1]?.toLowerCase();
  // A link to a note leaves its extension out, and a name may well have a dot in it.
  const isFile =
    extension !== undefined && extension !== 'md' && (FILES.has(extension) || target.startsWith('inbox/'));
  const shown = words === target || words === '' ? (target.split('/').at(-1) ?? target) : words;
  if (!isFile) return { kind: 'note', path: extension === 'md' ? target : `${target}.md`, words: shown };
  const page = Number(PAGE.exec(inside)?.[1] ?? 0);
  return { kind: 'file', path: target, words: shown, ...(page > 0 && { page }) };
}
