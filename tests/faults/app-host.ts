import { createHost, type Host } from '../obsidian/index';
import { openStores } from '../support/obsidian-subject';
import { FileSystemStorage } from '../obsidian/storage/on-file-system';
import { ROOT, type Start, startOn } from './world';

/** The app notices nothing by itself, in milliseconds: a test says when, so that each run is like the other. */
const NEVER = 2_000_000_000;

export interface AppOptions {
  /** Where removed notes go. */
  readonly trash?: 'system' | 'local' | 'none';
  /** Told of the app as soon as it has loaded its files, with what they lie on. */
  readonly opened?: (host: Host, storage: FileSystemStorage) => void;
}

const open = new Set<Host>();

/** Closes the apps that failed tests have left open: what they would do later keeps the process alive. */
export function closeApps(): void {
  for (const host of open) host.dispose();
  open.clear();
}

/** The plugin inside the fake app: the app's own calls to the file system may fail as well as ours. */
export function appHost({ trash = 'system', opened }: AppOptions = {}): Start {
  return startOn(async (fs, arm) => {
    const storage = new FileSystemStorage(fs, ROOT);
    const host = await createHost({
      storage,
      settings: { outsideDelay: NEVER, trash },
    });
    open.add(host);
    const dispose = (): void => {
      open.delete(host);
      host.dispose();
    };
    try {
      await host.layoutReady();
      opened?.(host, storage);
      arm();
      return {
        ...(await openStores(host, fs)),
        heard: () => host.settle(),
        close: async () => dispose(),
        abandon: dispose,
      };
    } catch (error) {
      dispose();
      throw error;
    }
  });
}

export const startApp = appHost();
