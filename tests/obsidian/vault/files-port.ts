import type { PathQueue } from '../core/path-queue';
import type { Scheduler } from '../core/scheduler';
import type { HostSettings } from '../core/settings';
import type { Storage } from '../storage/storage';
import type { TAbstractFile } from './files';

export type VaultEvent = 'create' | 'modify' | 'delete' | 'rename';
export type VaultHook = (kind: VaultEvent, file: TAbstractFile, oldPath: string) => void;

/** What the adapter and the vault share of one host. */
export interface FilesPort {
  readonly storage: Storage;
  readonly queue: PathQueue;
  readonly scheduler: Scheduler;
  readonly settings: HostSettings;
  /** Paths that went into the system's trash, in order. */
  readonly systemTrash: string[];
  readonly vaultName: string;
  /** Parts of the host that follow what happens in the vault; plugins hear of it first. */
  readonly vaultHooks: Set<VaultHook>;
  /** Something happened to a path that the vault did not do itself; the host will look at it a little later. */
  noticeLater(path: string): void;
}
