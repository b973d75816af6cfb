import { Notice } from 'obsidian';

/**
 * Tells that the note which guides every agent was rewritten by one; stays until it is closed, and leads to the changes.
 * Returns how to close it.
 */
export function tellOfRootEdit(path: string, show: () => void): () => void {
  const notice: Notice = new Notice(
    createFragment((content) => {
      content.createEl('p', { text: `${path}, which guides every agent, was changed through the server.` });
      const button = content.createEl('button', { text: 'Show changes', attr: { type: 'button' } });
      button.onClickEvent(() => {
        notice.hide();
        show();
      });
    }),
    0,
  );
  return () => notice.hide();
}
