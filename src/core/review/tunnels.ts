import type { Brain } from '../brain';
import { addressOf, wingOfPath } from '../rules/address';
import { titleKey } from '../rules/links';
import { linkPath, stemOf, type VaultPath } from '../rules/paths';
import { compareText } from '../rules/text';

/** At most this many tunnels are dug for one note; a hundred links say nothing. */
const MAX_TUNNELS = 5;
/** A phrase of the prose is compared with titles of at most this many words. */
const MAX_PHRASE_WORDS = 8;
/** Longer words, and longer phrases, are no titles. In UTF-16 units. */
const MAX_WORD = 100;
const MAX_PHRASE = 200;
/** A title of one word names its note in prose only from this many letters on. */
const MIN_SINGLE_WORD = 6;

/** A link between wings: the same room (slug, title or alias) in both, or a mention in the prose. */
export interface Tunnel {
  readonly path: VaultPath;
  readonly reason: 'room' | 'mention';
}

/** The note that tunnels are dug from. */
export interface TunnelSource {
  readonly path: VaultPath;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly plain: string;
}

/**
 * Notes of other wings that belong with this one, same rooms first, then mentions, each by path; at most five. Notes
 * that say `auto_tunnel: false` are left alone.
 */
export function findTunnels(brain: Pick<Brain, 'catalog'>, source: TunnelSource): Tunnel[] {
  const { catalog } = brain;
  const wing = wingOfPath(source.path);
  const rooms = new Set<VaultPath>();
  const mentions = new Set<VaultPath>();
  const eligible = (path: VaultPath) => {
    const record = catalog.record(path);
    const other = wingOfPath(path);
    return record !== undefined && record.autoTunnel && addressOf(path) !== null && other !== null && other !== wing;
  };
  const named = (key: string) => [...catalog.candidates('title', key), ...catalog.candidates('alias', key)];

  for (const path of catalog.candidates('basename', stemOf(source.path))) if (eligible(path)) rooms.add(path);
  for (const name of [source.title, ...source.aliases]) {
    for (const path of named(titleKey(name))) if (eligible(path)) rooms.add(path);
  }
  for (const phrase of phrasesOf(source.plain)) {
    for (const path of named(phrase)) if (!rooms.has(path) && eligible(path)) mentions.add(path);
  }
  const sorted = (paths: ReadonlySet<VaultPath>) => [...paths].sort(compareText);
  return [
    ...sorted(rooms).map((path) => ({ path, reason: 'room' as const })),
    ...sorted(mentions).map((path) => ({ path, reason: 'mention' as const })),
  ].slice(0, MAX_TUNNELS);
}

/** The value of the `tunnels` property: one quoted full-path link a tunnel, sorted. */
export function tunnelLinks(brain: Pick<Brain, 'catalog'>, tunnels: readonly Tunnel[]): string[] {
  return tunnels
    .map(({ path }) => {
      const title = (brain.catalog.record(path)?.title ?? stemOf(path)).replace(/[[\]|"\\]/g, ' ').replace(/\s+/g, ' ').trim();
      return `[[${linkPath(path)}|${title}]]`;
    })
    .sort(compareText);
}

/** Every run of up to eight words of the prose that could be a title, folded as titles are. */
function phrasesOf(plain: string): Set<string> {
  const folded = foldInPieces(plain);
  const words = [...folded.matchAll(/[\p{L}\p{M}\p{N}]+/gu)];
  const phrases = new Set<string>();
  for (let first = 0; first < words.length; first += 1) {
    const start = words[first]?.index ?? 0;
    for (let count = 1; count <= MAX_PHRASE_WORDS; count += 1) {
      const last = words[first + count - 1];
      if (last === undefined) break;
      const end = last.index + last[0].length;
      if (end - start > MAX_PHRASE) break;
      if (count === 1 && Array.from(last[0]).length < MIN_SINGLE_WORD) continue;
      phrases.add(folded.slice(start, end));
    }
  }
  return phrases;
}

/** The prose folded word by word: normalising a long run of combining marks at once takes quadratic time. */
function foldInPieces(plain: string): string {
  return plain
    .split(/[\s_-]+/)
    .map((word) => (word.length > MAX_WORD ? '' : titleKey(word)))
    .join(' ');
}
