import { createHash } from 'node:crypto';
import { useDigest } from '../../core/rules/hash';

/** Lets the core hash with Node's own SHA-256. */
export function useNodeDigest(): void {
  useDigest((bytes) => createHash('sha256').update(bytes).digest('hex'));
}
