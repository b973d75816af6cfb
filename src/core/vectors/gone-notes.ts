import type { Store } from '../ports';
import type { VaultPath } from '../rules/paths';
import type { SyncError } from './sync-outcome';

/** Files that are asked for at the same time. */
const AT_ONCE = 16;

/** `wiki/` looks as if it were empty, which is far more often a folder that is not there now than a wiki without notes. */
export class NothingListed extends Error {
  override readonly name = 'NothingListed';

  constructor(rows: number) {
    super(
      `The folder wiki/ is not there or holds no file, yet ${rows} ${rows === 1 ? 'note has a vector' : 'notes have vectors'}, so nothing was removed. See that the whole vault is in its place and that every folder in wiki/ can be read. If the notes are gone for good, see that the folder wiki/ stands and run backfill-embeddings, which removes their vectors.`,
    );
  }
}

export interface Gone {
  /** Paths where no file stands, as the vault itself has said of each. */
  readonly gone: readonly VaultPath[];
  /** Tells of those that could not be looked at, once for all of them, with the path of one. */
  readonly errors: readonly SyncError[];
}

/**
 * Which of the files that a listing did not show are really gone: it passes over folders that cannot be read, whose notes
 * must not lose their vectors for that.
 * @param outcome what becomes of the vectors of those that could not be looked at, for the error that tells of them
 */
export async function goneNotes(
  { vault, log }: Pick<Store, 'vault' | 'log'>,
  unlisted: readonly VaultPath[],
  outcome = 'the vectors were kept',
): Promise<Gone> {
  const gone: VaultPath[] = [];
  const hidden: { readonly path: VaultPath; readonly message: string }[] = [];
  for (let from = 0; from < unlisted.length; from += AT_ONCE) {
    const paths = unlisted.slice(from, from + AT_ONCE);
    await Promise.all(
      paths.map(async (path) => {
        try {
          if ((await vault.stat(path)) === null) gone.push(path);
        } catch (error) {
          hidden.push({ path, message: String(error) });
        }
      }),
    );
  }
  const [first] = hidden;
  if (first === undefined) return { gone, errors: [] };
  log.warn('embed.hidden', { ...first, notes: hidden.length });
  const what = hidden.length === 1 ? '1 note' : `${hidden.length} notes`;
  const error = `${what} in wiki/ could not be looked at and may be gone or not; ${outcome}. See that every folder there can be read.`;
  return { gone, errors: [{ path: first.path, error }] };
}
