import type { App } from 'obsidian';

/**
 * The files and folders of this vault that a dragged text names. The file explorer drags addresses of the app, one a line:
 * `obsidian://open?vault=Brain&file=papers%2Freport.pdf`, a note without its extension.
 */
export function draggedPaths({ vault }: Pick<App, 'vault'>, text: string): readonly string[] {
  const found = text.split(/\r?\n/).flatMap((line) => {
    const file = fileIn(line.trim(), vault.getName());
    if (file === null) return [];
    const stands = vault.getAbstractFileByPath(file) ?? vault.getAbstractFileByPath(`${file}.md`);
    return stands === null ? [] : [stands.path];
  });
  return [...new Set(found)];
}

function fileIn(line: string, vault: string): string | null {
  if (!line.startsWith('obsidian://open?')) return null;
  try {
    const { searchParams } = new URL(line);
    return searchParams.get('vault') === vault ? searchParams.get('file') : null;
  } catch {
    return null; // Something else was dragged.
  }
}
