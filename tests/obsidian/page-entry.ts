import { ItemView, Modal, Notice, Plugin, Setting, TFile, type WorkspaceLeaf } from 'obsidian';
import { createHost, type Host } from './index';
import { MANIFEST } from './manifest';

class PageView extends ItemView {
  getViewType(): string {
    return 'page-view';
  }

  getDisplayText(): string {
    return 'Page';
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.createEl('button', { text: 'Press' }, (button) => {
      this.registerDomEvent(
        button,
        'click',
        () => new Notice(`Pressed in ${this.contentEl.doc.title || 'a popout'}`),
      );
    });
  }
}

class PagePlugin extends Plugin {
  override onload(): void {
    this.registerView('page-view', (leaf: WorkspaceLeaf) => new PageView(leaf));
    this.addRibbonIcon('inbox', 'Open', () => void this.app.workspace.ensureSideLeaf('page-view', 'right'));
    this.addCommand({
      id: 'ask',
      name: 'Ask',
      callback: () => {
        const modal = new Modal(this.app);
        new Setting(modal.contentEl).setName('Title').addText((text) => text.setValue('x'));
        modal.open();
      },
    });
  }
}

declare global {
  interface Window {
    fakeHost: (popout: 'frame' | 'window') => Promise<Host>;
    isNote: (file: unknown) => boolean;
  }
}

window.fakeHost = async (popout) => {
  const openWindow = (): Window => {
    const opened = window.open('about:blank');
    if (opened === null) throw new Error('The browser opened no window.');
    return opened;
  };
  const host = await createHost({
    document,
    files: { 'a.md': '# A' },
    ...(popout === 'window' && { openWindow }),
  });
  await host.loadPlugin(PagePlugin, MANIFEST);
  await host.layoutReady();
  return host;
};
window.isNote = (file) => file instanceof TFile;
