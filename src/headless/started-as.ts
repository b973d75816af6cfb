import path from 'node:path';

/** How a person starts this program again: `brain` when it was installed under that name, else `node` with its path. */
export function startedAs(script: string): string {
  if (path.basename(script) === 'brain') return 'brain';
  const near = path.relative('', script);
  const shortest = near.startsWith('..') ? script : near;
  return `node ${shellWord(shortest)}`;
}

/** Text as one word of a command that can be pasted. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
