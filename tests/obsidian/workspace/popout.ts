import type { HostState } from '../core/host-state';
import { documentWindow } from '../dom/define';
import { installDomHelpers } from '../dom/install';
import { WorkspaceWindow } from './items';
import type { Layout } from './layout';

/** Opens a window of its own for leaves, dressed like the main one. An iframe stands for it unless the test brings a window. */
export function openPopout(layout: Layout, state: HostState): WorkspaceWindow {
  const main = state.document;
  const { document: doc } = state.openWindow === null ? frameWindow(main) : state.openWindow();
  const win = documentWindow(doc);
  installDomHelpers(win);
  for (const style of Array.from(main.querySelectorAll('style, link[rel="stylesheet"]'))) {
    doc.head.appendChild(doc.importNode(style, true));
  }
  doc.body.className = `${main.body.className} is-popout-window`.trim();
  doc.addEventListener('keydown', (event) => {
    state.handleKey(event);
  });
  state.watchWindow(win);
  return new WorkspaceWindow(layout.floating, win);
}

/** Closes the popout's window. */
export function closePopout(layout: Layout, popout: WorkspaceWindow): void {
  layout.floating.children = layout.floating.children.filter((child) => child !== popout);
  const frame = popout.win.frameElement;
  if (frame !== null) frame.remove();
  else popout.win.close();
}

function frameWindow(main: Document): Window {
  const frame = main.body.createEl('iframe', { cls: 'fake-popout', attr: { title: 'Popout window' } });
  const win = frame.contentWindow;
  if (win === null) throw new Error('This document opens no frames.');
  return win;
}
