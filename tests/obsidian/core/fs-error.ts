const WORDS = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
};

/** An error as the file system of the desktop app gives it: with a code, and words that name the path. */
export function fsError(code: keyof typeof WORDS, call: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${WORDS[code]}, ${call} '${path}'`), { code });
}
