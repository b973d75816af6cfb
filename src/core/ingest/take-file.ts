import type { Brain } from '../brain';
import type { Caller } from '../caller';
import { BrainError } from '../errors';
import { refreshCatalog } from '../catalog/load';
import type { StopSignal } from '../host';
import { sha256, type Sha } from '../rules/hash';
import { fileName, type VaultPath } from '../rules/paths';
import { ingestSource } from './ingest-source';
import { MAX_FILE_BYTES } from './source-files';
import { sourceReference } from './source-reference';

/** Who puts the pages of dropped files into the queue. A file does not say who dropped it. */
export const WATCHER: Caller = {
  origin: 'watcher',
  name: 'watcher',
  human: false,
  scopes: new Set(['read', 'write']),
};

/** A file could not be taken in. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  /**
   * What failed: the file, which will not be another when it is tried again; something outside it, which may pass; or nothing,
   * because the service is busy, which passes.
   */
  readonly fault: 'file' | 'outside' | 'busy';
  readonly sourceHash: Sha | null;
  /** For the log alone. */
  readonly cause: string;
}

/**
 * Makes pages of one file of the inbox, which then lies among the handled originals. Resolves with null when that is done or
 * the file is gone, else with what was in the way; then nothing has changed.
 */
export async function takeFile(brain: Brain, from: VaultPath, signal: StopSignal): Promise<Trouble | null> {
  let hash: Sha | null = null;
  try {
    const bytes = await brain.vault.readBytes(from, MAX_FILE_BYTES);
    if (bytes === null) return null;
    const known = await brain.pace.run(() => sha256(bytes));
    hash = known;
    const name = fileName(from);
    await brain.ready();
    await refreshCatalog(brain);
    const { warnings, pages } = await ingestSource(
      brain,
      {
        hash: known,
        name,
        label: null,
        reference: (original) => original && sourceReference(original, name),
        original: { kind: 'move', from },
        read: () => brain.documents.read({ name, bytes }, signal),
        destination: brain.config.ingestDestination,
        force: false,
        dryRun: false,
        unread: true,
        signal,
      },
      WATCHER,
    );
    brain.log.info('inbox.taken', { path: from });
    // Nobody waits for an answer here that could tell of them.
    for (const message of new Set([...warnings, ...pages.flatMap((page) => page.warnings)])) {
      brain.log.warn('inbox.warning', { path: from, message });
    }
    return null;
  } catch (error) {
    return troubleOf(error, hash);
  }
}

function troubleOf(error: unknown, sourceHash: Sha | null): Trouble {
  if (error instanceof BrainError) {
    const { code, message } = error;
    return { code, message, fault: faultOf(error), sourceHash, cause: message };
  }
  // The disk is full, or another program holds a file: no fault of this one. The log gets the words, the note does not.
  const message = 'The service failed while it took this file in. Its log says why.';
  return { code: 'internal', message, fault: 'outside', sourceHash, cause: String(error) };
}

/** A vault or a language model that is busy; a converter that cannot be reached, is overloaded or broken for now. */
function faultOf({ code, details }: BrainError): Trouble['fault'] {
  if (code === 'busy' || code === 'starting') return 'busy';
  if (code !== 'converter_error' || details?.lasting === true) return 'file';
  const status = details?.status;
  const mayPass = typeof status !== 'number' || status >= 500 || status === 408 || status === 429;
  return mayPass ? 'outside' : 'file';
}
