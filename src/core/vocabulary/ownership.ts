import { ORIGINS } from '../access/tokens';
import { isPersonStamp } from './envelope';
import { zoneOf } from './paths';

/** What is asked of a note to tell whose it is. */
export interface OwnedNote {
  readonly path: string;
  /** The front matter, every scalar as text. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/** A stamp of the service: the name of a token, the client that it claims in brackets, the maker of the text after "via". */
const SERVICE_STAMP = /^[a-z0-9][a-z0-9-]{0,31}(?: \([^()]*\))?(?: via .+)?$/;

const origins: ReadonlySet<unknown> = new Set(ORIGINS);

/**
 * Returns true for a note that belongs to the owner of the vault: one outside the folders of the service, and one inside them
 * that the service has not written for an agent. Every text that the service writes for an agent has `origin` and `written_by`
 * in the form of its stamps, and no caller can set them. So the owner's are: a note without these stamps, with others
 * (`written_by: Jane`), and one that a person wrote or edited on a screen (`human:…`). An adoption leaves no such stamps.
 */
export function isOwners({ path, frontmatter }: OwnedNote): boolean {
  if (zoneOf(path) === 'other') return true;
  const { origin, written_by: writer } = frontmatter;
  if (isPersonStamp(writer)) return true;
  return !origins.has(origin) || typeof writer !== 'string' || !SERVICE_STAMP.test(writer);
}
