import type { HostState, OpenedLink } from '../core/host-state';
import { getLinkpath } from '../metadata/link-target';

/** Follows a link as a click would, and records it: a note that is not there is made. */
export async function openLink(state: HostState, asked: Omit<OpenedLink, 'path' | 'made'>): Promise<void> {
  const { vault, metadataCache, workspace } = state.app;
  const { linktext, sourcePath, newLeaf } = asked;
  const linkpath = getLinkpath(linktext);
  const found = metadataCache.getFirstLinkpathDest(linkpath, sourcePath);
  const file = found ?? (await vault.create(/\.[^./]+$/.test(linkpath) ? linkpath : `${linkpath}.md`, ''));
  state.openedLinks.push({ ...asked, path: file.path, made: found === null });
  if (!state.hasDocument) return;
  const opened = vault.getFileByPath(file.path);
  if (opened !== null) await workspace.getLeaf(newLeaf).openFile(opened, asked.state);
}
