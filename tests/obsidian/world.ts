import type { TAbstractFile } from 'obsidian';
import { createHost, type Host, type HostOptions } from './index';
import { openJsdom, type OpenWindow } from './jsdom';

const { setTimeout: realSetTimeout } = globalThis;

/** Runs `work` with a host without a window, ready unless said otherwise, and stops it afterwards. */
export async function withHost<T>(
  options: HostOptions & { readonly ready?: boolean },
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { ready = true, ...rest } = options;
  const host = await createHost(rest);
  try {
    if (ready) await host.layoutReady();
    return await work(host);
  } finally {
    host.dispose();
  }
}

/** The same with a window of jsdom. */
export async function withWindow<T>(
  options: HostOptions & { readonly ready?: boolean },
  work: (host: Host, opened: OpenWindow) => Promise<T>,
): Promise<T> {
  const opened = openJsdom();
  try {
    return await withHost({ ...options, document: opened.document }, (host) => work(host, opened));
  } finally {
    opened.close();
    // jsdom tells of a changed selection in a timer of its own; let it have its turn while the test still stands.
    await new Promise((resolve) => void realSetTimeout(resolve, 0));
  }
}

/** `Vault.delete` and `Vault.trash`, which plugins are kept from: a person's choice of trash goes before. */
export async function erase(host: Host, file: TAbstractFile, force = false): Promise<void> {
  await Reflect.apply(Reflect.get(host.app.vault, 'delete'), host.app.vault, [file, force]);
}

export async function trash(host: Host, file: TAbstractFile, system: boolean): Promise<void> {
  await Reflect.apply(Reflect.get(host.app.vault, 'trash'), host.app.vault, [file, system]);
}

/** Everything that the vault tells, in words: `create a.md`, `rename a.md > b.md`. */
export function listen(host: Host): string[] {
  const { vault } = host.app;
  const told: string[] = [];
  vault.on('create', (file) => told.push(`create ${file.path}`));
  vault.on('modify', (file) => told.push(`modify ${file.path}`));
  vault.on('delete', (file) => told.push(`delete ${file.path}`));
  vault.on('rename', (file, oldPath) => told.push(`rename ${oldPath} > ${file.path}`));
  return told;
}

/** The file at a path that must be there. */
export function fileAt(
  host: Host,
  path: string,
): NonNullable<ReturnType<Host['app']['vault']['getFileByPath']>> {
  const file = host.app.vault.getFileByPath(path);
  if (file === null) throw new Error(`There is no file ${path}.`);
  return file;
}
