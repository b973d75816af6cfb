import type { Brain } from '../brain';
import { inputPath, type VaultPath, vaultPath } from '../rules/paths';

/** Looks up which files are known. */
type Known = { readonly catalog: Pick<Brain['catalog'], 'taken'> };

/**
 * The vault path that a caller means, as `inputPath` has it. One that is refused there for the names in it alone is taken all
 * the same when a file is known at exactly this path: no service would make such a name, but a person has.
 * @throws BrainError `path_not_allowed`.
 */
export function givenPath({ catalog }: Known, text: string, rootNote?: string): VaultPath {
  return inputPath(text, rootNote, (path) => catalog.taken(path) === path);
}

/** The same for a note, whose path may lack its `.md`. */
export function givenNotePath({ catalog }: Known, text: string, rootNote?: string): VaultPath {
  const stands = (path: VaultPath): boolean => catalog.taken(notePathOf(path)) === notePathOf(path);
  return notePathOf(inputPath(text, rootNote, stands));
}

function notePathOf(path: VaultPath): VaultPath {
  return /\.md$/i.test(path) ? path : vaultPath(`${path}.md`);
}
