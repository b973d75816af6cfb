import path from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

const NAME = 'brain-server';

/**
 * Returns the folder of the user's own files (tokens), outside every vault: `BRAIN_CONFIG_DIR` when set, else the
 * platform's place for configuration. A relative `XDG_CONFIG_HOME` is ignored, as its specification asks.
 */
export function configFolder(env: Environment, platform: NodeJS.Platform, home: string): string {
  if (env.BRAIN_CONFIG_DIR) return path.resolve(env.BRAIN_CONFIG_DIR);
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', NAME);
  if (platform === 'win32') return path.join(env.APPDATA || path.join(home, 'AppData', 'Roaming'), NAME);
  const xdg = env.XDG_CONFIG_HOME;
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.config'), NAME);
}
