import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { parseNote } from '../frontmatter/parse';
import { isOwners, type OwnedNote } from '../vocabulary/ownership';
import type { VaultPath } from '../vocabulary/paths';

/** Returns the error for a change of a note of the owner. */
export function notOurs(path: VaultPath): BrainError {
  return new BrainError(
    'not_ours',
    `${path} is a note of the owner, which only the owner changes. Write a note of your own that links to it.`,
    { path },
  );
}

/**
 * Returns true when the caller may change this note: whoever acts for the owner may change all, others those that are not the
 * owner's.
 */
export function mayChange(caller: Caller, note: OwnedNote): boolean {
  return actsForOwner(caller) || !isOwners(note);
}

/** Returns true when the note with this text belongs to the owner of the vault, as `isOwners` says. */
export function isOwnersText(path: VaultPath, text: string): boolean {
  return isOwners({ path, frontmatter: parseNote(text).frontmatter });
}

/** Returns what `mayChange` says of the note with this text. */
export function mayChangeText(caller: Caller, path: VaultPath, text: string): boolean {
  return actsForOwner(caller) || !isOwnersText(path, text);
}

/**
 * Refuses the change of a note of the owner by a caller that does not act for the owner.
 * @throws BrainError `not_ours`; `invalid_frontmatter` for a note whose block cannot be read, so that nobody can tell whose it is
 */
export function refuseOwners(caller: Caller, path: VaultPath, text: string): void {
  if (mayChangeText(caller, path, text)) return;
  const { frontmatter, problem } = parseNote(text);
  if (problem === null || Object.keys(frontmatter).length > 0) throw notOurs(path);
  throw new BrainError('invalid_frontmatter', `It is unknown whose note ${path} is. ${problem}`, { path });
}

/** Says that a note of the owner was left as it is, and what was not done in it: `its link to the moved note`. */
export function ownersLeft(path: VaultPath, what: string): string {
  return `${path} is a note of the owner; ${what} was left as it is.`;
}
