import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon';
import type { IconName } from '../parts/icons';
import { linkTarget, wikilinkParts } from './link-target';
import { type NoteRef, reasonWords } from './note-links';
import { childrenOf, labelKey, type Reader, textOf } from './reader';

/** `[[target|words]]`. */
export function renderWikilink(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { target, words } = wikilinkParts(reader.body.slice(node.from + 2, node.to - 2));
  return internalLink(reader, target, words);
}

/** `![[target]]`: named, never loaded. */
export function renderEmbed(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { target, words } = wikilinkParts(reader.body.slice(node.from + 3, node.to - 2));
  const leads = linkTarget(target);
  if (leads.kind === 'external') return externalLink(leads.href, words, 'image-off');
  return embedChip(target, words);
}

/** `![words](address)`: a remote image is a link to it, a local one is named. Neither is loaded. */
export function renderImage(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { inside, address } = linkParts(reader, node);
  const words = reader.body.slice(inside.from, inside.to);
  const leads = address === null ? null : linkTarget(address);
  const shown = words.trim() === '' ? (address ?? textOf(reader, node)) : words;
  if (leads === null || leads.kind === 'unsafe') return textOf(reader, node);
  if (leads.kind === 'external') return externalLink(leads.href, shown, 'image-off');
  return embedChip(leads.target, shown);
}

/** `[words](address)` and `[words][label]`; `content` renders the words. */
export function renderLink(
  reader: Reader,
  node: SyntaxNode,
  content: (range: { from: number; to: number }) => ComponentChildren,
): ComponentChildren {
  const { inside, address, label } = linkParts(reader, node);
  // Brackets without an address are words in brackets.
  if (address === null) return ['[', content(inside), ']', label === '' ? '' : `[${label}]`];
  const leads = linkTarget(address);
  if (leads.kind === 'external') return externalLink(leads.href, content(inside));
  if (leads.kind === 'internal') return internalLink(reader, leads.target, content(inside));
  return removed(content(inside), 'unlink', 'An address that could run something');
}

/** A bare address, or one in angle brackets. */
export function renderAddress(reader: Reader, node: SyntaxNode): ComponentChildren {
  const written = textOf(reader, node).replace(/^<|>$/g, '');
  const whole = /^www\./i.test(written) ? `https://${written}` : written;
  const leads = linkTarget(/^[^\s:/]+@[^\s:/]+$/.test(whole) ? `mailto:${whole}` : whole);
  return leads.kind === 'external' ? externalLink(leads.href, written) : written;
}

function externalLink(href: string, children: ComponentChildren, icon?: IconName): ComponentChildren {
  return (
    <a class="external-link" href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      {icon !== undefined && <Icon name={icon} />}
    </a>
  );
}

function internalLink(reader: Reader, target: string, children: ComponentChildren): ComponentChildren {
  const ref = reader.links.find(target);
  if (ref?.reason !== undefined && ref.unlinked) return removed(children, 'unlink', reasonOf(ref));
  const path = ref?.resolved;
  const { open } = reader;
  if (path === undefined || open === undefined) {
    return (
      <span class="brain-notelink" title={target}>
        {children}
      </span>
    );
  }
  return (
    <button type="button" class="brain-notelink" title={path} onClick={() => open(path)}>
      {children}
    </button>
  );
}

function reasonOf(ref: NoteRef): string {
  return `Leads nowhere: ${reasonWords(ref).toLowerCase()}`;
}

function removed(children: ComponentChildren, icon: IconName, title: string): ComponentChildren {
  return (
    <span class="brain-removed" title={title}>
      {children}
      <Icon name={icon} />
      <span class="brain-sr"> ({title})</span>
    </span>
  );
}

function embedChip(target: string, words: string): ComponentChildren {
  const image = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i.test(target);
  return (
    <span class="brain-embed" title={`Embedded: ${target}`}>
      <Icon name={image ? 'image' : 'file-text'} />
      {words}
      <span class="brain-sr"> (embedded, not shown here)</span>
    </span>
  );
}

/** Where the words of a link stand, its address or null, and its label or ''. */
function linkParts(reader: Reader, node: SyntaxNode) {
  const children = childrenOf(node);
  const marks = children.filter(({ name }) => name === 'LinkMark');
  const from = marks[0]?.to ?? node.from;
  const to = marks[1]?.from ?? node.to;
  const url = children.find(({ name, from: at }) => name === 'URL' && at >= to);
  const labelNode = children.find(({ name }) => name === 'LinkLabel');
  const label = labelNode === undefined ? '' : textOf(reader, labelNode).slice(1, -1);
  const defined = reader.definitions.get(labelKey(label === '' ? reader.body.slice(from, to) : label));
  return {
    inside: { from, to },
    address: url === undefined ? (defined ?? null) : textOf(reader, url),
    label,
  };
}
