import { type App, type EventRef, type TAbstractFile, TFile, TFolder } from 'obsidian';
import { isIgnoredName } from '../../core/rules/ignored-names';
import type { VaultChange } from '../../core/ports';
import type { Unsubscribe } from '../../core/host';
import { vaultPath } from '../../core/rules/paths';
import { filesBelow } from './files';

/**
 * Tells `listener` of every change of a file, from when the app has loaded its tree: before, it announces every file that
 * stands there. A change may be told several times, and our own are told as well: whoever listens compares contents, never
 * times.
 */
export function listenTo(
  { vault, workspace }: Pick<App, 'vault' | 'workspace'>,
  listener: (change: VaultChange) => void,
): Unsubscribe {
  const tell = (kind: VaultChange['kind'], path: string): void => {
    if (!path.split('/').some(isIgnoredName)) listener({ kind, path: vaultPath(path) });
  };
  const written = (file: TAbstractFile): void => {
    if (file instanceof TFile) tell('changed', file.path);
  };
  const removed = (file: TAbstractFile): void => {
    if (file instanceof TFile) tell('removed', file.path);
    else if (file instanceof TFolder) for (const each of filesBelow(file)) tell('removed', each.path);
  };
  const renamed = (file: TAbstractFile, oldPath: string): void => {
    const files = file instanceof TFolder ? [...filesBelow(file)] : file instanceof TFile ? [file] : [];
    for (const { path } of files) {
      // What does not lie there yet is told by itself when it does.
      if (!`${path}/`.startsWith(`${file.path}/`)) continue;
      tell('removed', oldPath + path.slice(file.path.length));
      tell('changed', path);
    }
  };
  let refs: EventRef[] | null = [];
  workspace.onLayoutReady(() => {
    refs?.push(
      vault.on('create', written),
      vault.on('modify', written),
      vault.on('delete', removed),
      vault.on('rename', renamed),
    );
  });
  return () => {
    for (const ref of refs ?? []) vault.offref(ref);
    refs = null;
  };
}
