import path from 'node:path';

/** How a person starts this program again: `brain` when it was installed under that name, else `node` with its path. */
export function startedAs(script: string): string {
  if (path.basename(script) === 'brain') return 'brain';
  const near = path.relative('', script);
  const shortest = near.startsWith('..') ? script : near;
  return `node ${shellWord(shortest)}`;
}

/**
 * What another program starts to start this one: the program and its first arguments as whole paths, since it starts them
 * from a folder of its own and may know no other place to look for Node.
 */
export function startedByOthers(script: string, node: string): readonly string[] {
  return [node, path.resolve(script)];
}

/** The same as a command that can be pasted in any folder. */
export function startedAnywhere({
  command,
  program,
}: {
  command: string;
  program: readonly string[];
}): string {
  return command === 'brain' ? command : program.map(shellWord).join(' ');
}

/**
 * What a client that starts programs is told of this server, as one line of JSON. `token` is sent in place of the token
 * "bridge".
 */
export function bridgeEntry(program: readonly string[], url: string, token?: string): string {
  const [command, ...args] = program;
  const env = { BRAIN_URL: url, ...(token !== undefined && { BRAIN_TOKEN: token }) };
  return JSON.stringify({ command, args: [...args, 'mcp'], env });
}

/** Text as one word of a command that can be pasted. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
