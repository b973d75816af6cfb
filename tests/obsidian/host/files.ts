import { isHidden, parentOf } from '../core/path';
import { toBytes, toText } from '../core/text';
import { HostRecords } from './records';

/** The files of the fake app, seen and changed from outside of it. */
export class HostFiles extends HostRecords {
  /**
   * Writes a file, or with null removes it, as another program does: the app notices later, or when the host is settled.
   * `mtime` is for what a copying program does, which keeps the time of the original.
   */
  async outside(path: string, content: string | Uint8Array | null, mtime?: number): Promise<void> {
    const { storage } = this;
    if (content !== null) {
      await storage.mkdir(parentOf(path));
      const bytes = typeof content === 'string' ? toBytes(content) : content;
      await storage.write(path, bytes, mtime === undefined ? {} : { mtime });
    } else {
      const found = await storage.stat(path);
      if (found?.type === 'folder') await storage.rmdir(path, true);
      else if (found !== null) await storage.remove(path);
    }
    this.state.noticeLater(path);
  }

  /** Moves a file or folder as another program does. */
  async moveOutside(from: string, to: string): Promise<void> {
    await this.storage.mkdir(parentOf(to));
    await this.storage.rename(from, to);
    this.state.noticeLater(from);
    this.state.noticeLater(to);
  }

  /** Another program has made, changed or removed the file: the app notices later, as after `outside`. */
  noticed(path: string): void {
    this.state.noticeLater(path);
  }

  /** The text of a file as it lies there, whatever the app knows; null when there is none. */
  async textOf(path: string): Promise<string | null> {
    const found = await this.storage.stat(path);
    return found === null ? null : toText(await this.storage.read(path));
  }

  /** The paths of all files as they lie there, sorted; those below a dot-folder only when asked for. */
  async paths(hidden = false, folder = ''): Promise<string[]> {
    const { files, folders } = await this.storage.list(folder);
    const below = await Promise.all(folders.map((one) => this.paths(hidden, one)));
    return [...files, ...below.flat()].filter((path) => hidden || !isHidden(path)).sort();
  }

  /** Resolves when the app has noticed, read and told everything that has happened so far. */
  async settle(): Promise<void> {
    while (this.state.scheduler.busy || this.state.queue.busy) {
      await this.state.queue.idle();
      await this.state.scheduler.flush();
    }
  }
}
