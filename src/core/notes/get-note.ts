import * as z from 'zod';
import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { hashField, offsetField } from '../fields';
import { operation } from '../operation';
import { isStale } from '../rules/envelope';
import { parseNote } from '../rules/frontmatter/parse-note';
import { isSha, sha256 } from '../rules/hash';
import { addressOf, wingOfPath } from '../rules/address';
import { isHall } from '../rules/hall';
import { resolveLink } from '../rules/links';
import { factSteps } from '../rules/markdown';
import { zoneOf, type VaultPath } from '../rules/paths';
import { compareText } from '../rules/text';
import { lastWritten } from '../rules/time';
import { titleOf } from '../rules/title';
import { countShape, hallShape, hashShape, pathShape, timeShape } from '../shapes';
import { inSlices } from '../steps';
import { linkTargets } from './link-targets';
import { rootNotePath } from './root-note';
import { tagNeighbours, tagNeighbourShape } from './tag-neighbours';
import { targetFields, targetPath } from './target';
import { findVersion } from './versions';

/** A body longer than this many characters is cut unless the caller asks for more. */
export const DEFAULT_MAX_CHARS = 40_000;

const input = z.strictObject({
  ...targetFields,
  hash: hashField.optional().describe('Content hash of the note or of one of its older versions'),
  max_chars: z.number().int().min(1).max(1_000_000).default(DEFAULT_MAX_CHARS),
  offset: offsetField.describe('Character of the body to start at, from next_offset'),
});

/** What a note's front matter may hold once read: text as written, lists and maps of it. */
const frontmatterShape = z.record(z.string(), z.unknown());

const output = z.object({
  path: pathShape,
  title: z.string(),
  wing: z.string().optional(),
  hall: hallShape.optional(),
  status: z.enum(['wiki', 'knowledge', 'raw', 'root']),
  frontmatter: frontmatterShape,
  body: z.string(),
  content_hash: hashShape,
  origin: z.string().optional(),
  written_by: z.string().optional(),
  updated_at: timeShape.optional(),
  stale: z.boolean(),
  supersedes: hashShape.optional(),
  history: countShape.describe('Number of older versions'),
  outgoing: z.array(pathShape),
  backlinks: z.array(pathShape),
  same_tags: z.array(tagNeighbourShape).describe('Reviewed notes that share tags, rarest first'),
  truncated: z.boolean(),
  next_offset: countShape.optional(),
});

/**
 * Reads one note with its hash, its provenance and its neighbourhood; by hash also an older version.
 * Fails with `note_not_found`, or with `path_not_allowed` for what is not a note of this vault.
 */
export const getNote = operation({
  name: 'note',
  scope: 'read',
  mutates: false,
  input,
  output,
  async run(brain, { hash, max_chars, offset, ...target }) {
    const { path, text } =
      hash === undefined
        ? await readTarget(brain, targetPath(brain, target))
        : await findVersion(brain, hash);
    const { frontmatter, body } = parseNote(text);
    const facts = await inSlices(factSteps(body), brain.pace);
    const address = addressOf(path);
    const wing = wingOfPath(path) ?? asText(frontmatter.wing);
    const hall = address?.hall ?? (isHall(frontmatter.hall) ? frontmatter.hall : undefined);
    const outgoing = new Set<VaultPath>();
    const from = { path, wing: wing ?? null, hall: hall ?? null };
    const targets = await linkTargets(brain, body, from);
    for (const { target: link, kind } of facts.links) {
      const resolution = resolveLink(link, from, targets, kind === 'mdlink' || kind === 'image');
      if (resolution.status === 'resolved') outgoing.add(resolution.path);
    }
    const origin = asText(frontmatter.origin);
    const writtenBy = asText(frontmatter.written_by);
    const updatedAt = lastWritten(frontmatter);
    const page = cutBody(body, offset, max_chars);
    return {
      path,
      title: titleOf(frontmatter, facts, path),
      ...(wing !== undefined && { wing }),
      ...(hall !== undefined && { hall }),
      status: statusOf(path, frontmatter),
      frontmatter: { ...frontmatter },
      body: page.text,
      content_hash: sha256(text),
      ...(origin !== undefined && { origin }),
      ...(writtenBy !== undefined && { written_by: writtenBy }),
      ...(updatedAt !== undefined && { updated_at: updatedAt }),
      stale: isStale(frontmatter, brain.clock.now()),
      ...(isSha(frontmatter.supersedes) && { supersedes: frontmatter.supersedes }),
      history: await brain.versions.older(brain.state, frontmatter.supersedes),
      outgoing: [...outgoing].sort(compareText),
      backlinks: brain.catalog.backlinks(path),
      same_tags: tagNeighbours(brain, path),
      truncated: page.next !== undefined,
      ...(page.next !== undefined && { next_offset: page.next }),
    };
  },
});

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function statusOf(
  path: VaultPath,
  frontmatter: Readonly<Record<string, unknown>>,
): 'wiki' | 'knowledge' | 'raw' | 'root' {
  const zone = zoneOf(path);
  if (zone === 'wiki' || zone === 'knowledge' || zone === 'raw') return zone;
  if (zone !== 'hidden') return 'root';
  // A version that only the history has: what it was is what it says of itself.
  return isHall(frontmatter.hall) && asText(frontmatter.wing) !== undefined ? 'wiki' : 'raw';
}

async function readTarget(brain: Brain, path: VaultPath): Promise<{ path: VaultPath; text: string }> {
  const zone = zoneOf(path);
  const readable =
    zone === 'wiki' || zone === 'knowledge' || zone === 'raw' || path === (await rootNotePath(brain));
  if (!readable) {
    throw new BrainError(
      'path_not_allowed',
      'Only notes in wiki/, knowledge/ and raw/ (not raw/rejected/) and the root note can be read.',
      { path },
    );
  }
  const text = await brain.vault.read(path);
  if (text === null) {
    throw new BrainError('note_not_found', `There is no note at ${path}. Search for it with a query.`, {
      path,
    });
  }
  return { path, text };
}

/** A page of the body that ends between paragraphs when one is near, and never inside a code point. */
function cutBody(body: string, offset: number, max: number): { text: string; next?: number } {
  const start = Math.min(startOfCharacter(body, offset), body.length);
  if (body.length - start <= max) return { text: body.slice(start) };
  const paragraph = body.lastIndexOf('\n\n', start + max - 2);
  let end = paragraph > start + max / 2 ? paragraph + 2 : start + max;
  const code = body.charCodeAt(end - 1);
  // A character of two halves stays whole, also where there is room for one.
  if (code >= 0xd800 && code < 0xdc00) end += end - 1 > start ? -1 : 1;
  return { text: body.slice(start, end), ...(end < body.length && { next: end }) };
}

/** The same place, or the one before it when a character of two halves stands around it. */
function startOfCharacter(body: string, at: number): number {
  return (body.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
