import type { Brain } from '../brain';
import type { Caller } from '../caller';
import { BrainError } from '../errors';
import type { Watch } from '../progress';
import type { Hall } from '../rules/hall';
import { sha256 } from '../rules/hash';
import { readDocument } from './document';
import type { FileAnswer } from './ingest-answers';
import { ingestSource } from './ingest-source';
import type { SourceFile, SourceFiles } from './source-files';
import { sourceReference } from './source-reference';

/** What is asked of every file of a call. */
export interface FileOptions {
  readonly wing?: string | undefined;
  readonly hall?: Hall | undefined;
  readonly destination: 'raw' | 'wiki';
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** @throws BrainError `path_not_allowed` where the vault is on no disk, so that no path leads to a file. */
export function sourcesOf({ sources }: Brain): SourceFiles {
  if (sources !== undefined) return sources;
  throw new BrainError(
    'path_not_allowed',
    'This vault is not in a folder of this machine, so no file can be named. Send its text instead.',
  );
}

/**
 * Turns one file into pages. The file stays where it is: inside the vault its pages link to it, of one outside they keep the
 * name.
 * @throws BrainError like `ingestSource`, and what reading the file or its text fails with.
 */
export function ingestFile(
  brain: Brain,
  source: SourceFile,
  options: FileOptions,
  caller: Caller,
  watch: Watch,
): Promise<FileAnswer> {
  return brain.fileTurns.run(async () => {
    const { name, path, file } = source;
    const { signal } = watch;
    const bytes = await sourcesOf(brain).read(source);
    let converted = false;
    const answer = await ingestSource(
      brain,
      {
        hash: sha256(bytes),
        name,
        label: null,
        reference: () => sourceReference(path, name),
        original: path === null ? { kind: 'none' } : { kind: 'stands', path },
        async read() {
          const text = await readDocument(brain.documents, { name, bytes }, path, signal);
          converted = text.converted;
          return text;
        },
        ...options,
        ...watch,
      },
      caller,
    );
    return { ...answer, file, converted };
  });
}
