import { hasCode } from '../../src/adapters/files/file-system';
import type { Host } from '../obsidian/index';
import type { FileSystemStorage } from '../obsidian/storage/on-file-system';
import { appHost } from './app-host';
import type { TypingHost } from './lost-updates';
import { ROOT } from './world';

/** An open app, and the files that it is about to replace by what it makes of them. */
interface OpenApp {
  readonly host: Host;
  readonly storage: FileSystemStorage;
  readonly replacing: string[];
}

function watched(host: Host, storage: FileSystemStorage): OpenApp {
  const { vault } = host.app;
  const replacing: string[] = [];
  const process = vault.process.bind(vault);
  vault.process = async (file, change) => {
    replacing.push(file.path);
    try {
      return await process(file, change);
    } finally {
      replacing.splice(replacing.indexOf(file.path), 1);
    }
  };
  return { host, storage, replacing };
}

/**
 * An app whose vault others use as well. It moves what is removed into the vault's own trash.
 * @param isHeard whether it hears at once of what others save, or only when all is over
 */
export function sharedApp(isHeard: boolean): TypingHost {
  let open: OpenApp | null = null;
  return {
    start: appHost({ trash: 'local', opened: (host, storage) => void (open = watched(host, storage)) }),
    // The app reads a note and writes it in place: from the reading on it cannot know what it writes over.
    isTooLate: (_call, path) =>
      open !== null &&
      [open.storage.writing, ...open.replacing].some((at) => at !== null && `${ROOT}/${at}` === path),
    saved(path) {
      open?.host.noticed(path);
      if (isHeard) void open?.host.settle();
    },
    async type(path, change) {
      const vault = open?.host.app.vault;
      const file = vault?.getFileByPath(path) ?? null;
      if (file === null) return;
      try {
        await vault?.process(file, change);
      } catch (error) {
        // Deleted by someone else before the app has heard of it.
        if (!hasCode(error, 'ENOENT')) throw error;
      }
    },
  };
}
