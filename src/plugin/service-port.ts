import type { BrainClient } from '../ui/client';
import type { FileIngest, TokenAdmin } from '../ui/host';
import type { ServerState } from './server-state';

/** The service that opens the vault and its doors, as the rest of the plugin uses it. */
export interface Service {
  readonly state: Extract<ServerState, { kind: 'off' | 'starting' | 'running' | 'failed' }>;
  /** The way to the opened vault; null while it is not open. Another one after the vault was opened again. */
  readonly client: BrainClient | null;
  /** Whether search goes by meaning too; false while the vault is not open. */
  readonly hasHybrid: boolean;
  /** How far the sync of the embeddings is; null while none embeds. */
  readonly syncProgress: { readonly done: number; readonly total: number } | null;
  readonly tokens: TokenAdmin;
  /** Begins to ingest a file of any kind. Rejects with a CallError, also while the vault is not open. */
  ingestFile(name: string, bytes: Uint8Array): Promise<FileIngest>;
  /** Where agents reach the server, or would if it ran: `http://127.0.0.1:27246`. */
  readonly url: string;
  /** Resolves when the vault is open or that has failed; `state` says which. Does nothing while it runs. */
  start(): Promise<void>;
  /** Lets the running write end, then lets go of port and vault. */
  stop(): Promise<void>;
  /** Gives the port back before it returns; the vault follows. For the end of the plugin, which waits for nobody. */
  unload(): void;
  /** Stops and starts with the settings as they are now. */
  restart(): Promise<void>;
  /** Calls `listener` after every change of `state` or `client`. Returns how to stop that. */
  onChange(listener: () => void): () => void;
}
