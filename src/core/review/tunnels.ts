import * as z from 'zod';
import type { Brain } from '../brain';
import { addressOf, wingOfPath } from '../rules/address';
import { aliasesOf, type NoteRecord } from '../catalog/note-record';
import { foldLink, titleKey } from '../rules/links';
import type { MarkdownFacts } from '../rules/markdown';
import { stemOf, type VaultPath } from '../rules/paths';
import { phrase } from '../rules/phrase';
import { linkTo } from '../rules/references';
import { compareText } from '../rules/text';
import { titleOf } from '../rules/title';
import { pathShape } from '../shapes';

/** At most this many tunnels are dug for one note; a hundred links say nothing. */
const MAX_TUNNELS = 5;
/** Mentions are looked for in the beginning of a long note, in UTF-16 units. */
const MAX_PROSE = 100_000;
/** A title of one word names its note in prose only from this many letters on. */
const MIN_SINGLE_WORD = 6;

/** A link between wings: the same room (slug, title or alias) in both, or a mention in the prose. */
export interface Tunnel {
  readonly path: VaultPath;
  readonly reason: 'room' | 'mention';
}

/** Tunnels as an answer lists them. */
export const tunnelsShape = z.array(z.object({ path: pathShape, reason: z.enum(['room', 'mention']) }));

/** The note that tunnels are dug from. */
export interface TunnelSource {
  readonly path: VaultPath;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly plain: string;
}

/** What tunnels are dug from, out of a note that stands at `path`, or is to stand there. */
export function tunnelSource(
  path: VaultPath,
  frontmatter: Readonly<Record<string, unknown>>,
  facts: MarkdownFacts,
): TunnelSource {
  return {
    path,
    title: titleOf(frontmatter, facts, path),
    aliases: aliasesOf(frontmatter),
    plain: facts.plain,
  };
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
    return (
      record !== undefined &&
      record.autoTunnel &&
      addressOf(path) !== null &&
      other !== null &&
      other !== wing
    );
  };
  const named = (key: string) => [...catalog.candidates('title', key), ...catalog.candidates('alias', key)];

  const room = foldLink(stemOf(source.path));
  for (const path of catalog.candidates('folded', room)) if (eligible(path)) rooms.add(path);
  for (const name of [source.title, ...source.aliases]) {
    for (const path of named(titleKey(name))) if (eligible(path)) rooms.add(path);
  }
  const prose = phrase(source.plain.slice(0, MAX_PROSE));
  for (const word of new Set(prose.split(' '))) {
    for (const path of catalog.opening(word)) {
      if (!rooms.has(path) && eligible(path) && isMentioned(catalog.record(path), prose)) mentions.add(path);
    }
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
    .flatMap(({ path }) => linkTo(path, brain.catalog.record(path)?.title ?? stemOf(path)) ?? [])
    .sort(compareText);
}

function isMentioned(note: NoteRecord | undefined, prose: string): boolean {
  if (note === undefined) return false;
  return [note.title, ...note.aliases].some((name) => {
    const words = phrase(name);
    const isTelling = words.includes(' ') || Array.from(words).length >= MIN_SINGLE_WORD;
    return isTelling && ` ${prose} `.includes(` ${words} `);
  });
}
