import { BrainError } from '../../src/core/base/errors';
import { MAX_FILE_BYTES, type SourceFile, type SourceFiles } from '../../src/core/documents/ports';
import type { VaultStore } from '../../src/core/ports/ports';
import { fileName, type VaultPath, vaultPath } from '../../src/core/vocabulary/paths';

/** The files of the inbox of a vault, as callers name them, read through the vault itself. */
export function sourceFilesIn(vault: VaultStore): SourceFiles {
  const fileAt = (path: VaultPath): SourceFile => ({
    kind: 'file',
    file: path,
    name: fileName(path),
    path,
    full: `/vault/${path}`,
  });
  const missing = (path: string): BrainError =>
    new BrainError('source_missing', `There is nothing at ${path}.`, { path });
  return {
    async locate(path) {
      if (path === 'inbox') return { kind: 'folder', file: path, full: `/vault/${path}` };
      if ((await vault.stat(vaultPath(path))) === null) throw missing(path);
      return fileAt(vaultPath(path));
    },
    async read({ file, path }) {
      const bytes = path && (await vault.readBytes(path, MAX_FILE_BYTES));
      if (bytes === null) throw missing(file);
      return bytes;
    },
    async list(folder) {
      const found: VaultPath[] = [];
      for await (const { path } of vault.list(folder.file)) found.push(path);
      return found
        .filter((path) => !path.startsWith('inbox/processed/'))
        .sort()
        .map(fileAt);
    },
  };
}
