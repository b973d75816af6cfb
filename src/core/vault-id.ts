import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import type { StateStore } from './ports';

const FILE = 'vault-id';

/**
 * What tells this vault from every other one: 32 random hex digits in `.brain/vault-id`, made by whoever first opens it with vectors.
 * The file goes where the vault goes, so all its devices and copies share the id. One that cannot be read as an id is made anew.
 */
export async function vaultIdOf(state: Pick<StateStore, 'read' | 'write' | 'create'>): Promise<string> {
  const made = bytesToHex(randomBytes(16));
  const idIn = (text: string | null) => /^[0-9a-f]{32}$/.exec(text?.trim() ?? '')?.[0];
  const there = await state.read(FILE);
  if (there === null && (await state.create(FILE, `${made}\n`))) return made;
  const id = idIn(there ?? (await state.read(FILE)));
  if (id !== undefined) return id;
  await state.write(FILE, `${made}\n`);
  return made;
}
