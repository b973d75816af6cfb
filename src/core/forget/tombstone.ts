import { pbkdf2Async } from '@noble/hashes/pbkdf2.js';
import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Brain } from '../operation/context';
import type { EventData } from '../storage/event-data';
import type { VaultPath } from '../vocabulary/paths';
import type { Named } from './redact';

/** The rounds that make the hash of a path slow: some 20 ms each on a small machine. */
const ROUNDS = 10_000;
/** How long the hash of a path holds the thread (ms). */
const TICK_MS = 10;

/** That a note is forgotten, as the past has it: hashes of its texts, and slow ones of its paths. */
type Forgotten = NonNullable<EventData['forgotten']>;
type Tombstone = Forgotten & {
  /** The id of the event. */
  readonly id: string;
  /** Its time (ms since the epoch). */
  readonly at: number;
};

/** Returns what the past keeps of a note that is forgotten. */
export async function tombstoneOf({ hashes, paths, lines }: Named): Promise<Forgotten> {
  const salt = bytesToHex(randomBytes(16));
  const hidden: string[] = [];
  for (const path of paths) hidden.push(await slowHash(path, salt));
  return { salt, paths: hidden, hashes: [...hashes], lines: [...lines] };
}

/** Returns those of the paths that the forgotten note had. Ends with the last one, so that likely ones come first. */
export async function pathsAmong(
  { salt, paths }: Tombstone,
  candidates: Iterable<VaultPath>,
  pace: Pick<Brain['pace'], 'run'>,
): Promise<VaultPath[]> {
  const found: VaultPath[] = [];
  for (const path of candidates) {
    if (found.length === paths.length) break;
    // It ends here when the vault is closed.
    await pace.run(() => undefined);
    if (paths.includes(await slowHash(path, salt))) found.push(path);
  }
  return found;
}

/** Resolves with the notes that were forgotten, on any device. */
export async function tombstones({ past }: Pick<Brain, 'past'>): Promise<Tombstone[]> {
  const changes = await (await past.read()).telling('forgotten');
  return changes.flatMap(({ id, at, data }) =>
    id === undefined || data?.forgotten === undefined ? [] : [{ id, at, ...data.forgotten }],
  );
}

async function slowHash(path: VaultPath, salt: string): Promise<string> {
  const as = { c: ROUNDS, dkLen: 32, asyncTick: TICK_MS };
  return bytesToHex(await pbkdf2Async(digest, utf8ToBytes(path), hexToBytes(salt), as));
}
