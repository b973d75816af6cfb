import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Every folder (with a trailing slash) and file below `root`, with the files' texts. */
export async function diskImage(root: string): Promise<Record<string, string>> {
  const image: Record<string, string> = {};
  for (const name of await readdir(root, { recursive: true })) {
    const at = name.split(path.sep).join('/');
    const full = path.join(root, name);
    if ((await lstat(full)).isDirectory()) image[`${at}/`] = '';
    else image[at] = await readFile(full, 'utf8');
  }
  return image;
}

/** Writes files, and folders for names that end in a slash. */
export async function layOut(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [at, text] of Object.entries(files)) {
    const full = path.join(root, at);
    if (at.endsWith('/')) {
      await mkdir(full, { recursive: true });
    } else {
      await mkdir(path.dirname(full), { recursive: true });
      await writeFile(full, text);
    }
  }
}
