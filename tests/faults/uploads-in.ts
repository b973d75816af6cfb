import { MAX_FILE_BYTES, type Uploads } from '../../src/core/documents/ports';
import { sha256 } from '../../src/core/base/hash';
import type { VaultStore } from '../../src/core/ports/ports';

/** The files that are sent to a vault: in memory until they are kept, then written through the vault itself. */
export function uploadsIn(vault: VaultStore): Uploads {
  return {
    async receive(pieces) {
      const all: Uint8Array[] = [];
      for await (const piece of pieces) all.push(piece);
      const bytes = new Uint8Array(Buffer.concat(all));
      return {
        hash: sha256(bytes),
        size: bytes.length,
        read: async (most) => bytes.slice(0, most),
        settle: async () => undefined,
        keepAt: (path) => vault.createBytes(path, bytes),
        discard: async () => undefined,
      };
    },
    async hashOf(path) {
      const bytes = await vault.readBytes(path, MAX_FILE_BYTES);
      return bytes === null ? null : sha256(bytes);
    },
  };
}
