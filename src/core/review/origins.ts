import type { Brain } from '../brain';
import { asciiJson } from '../rules/ascii-json';
import type { VaultPath } from '../rules/paths';
import { vaultPath } from '../rules/paths';

const FOLDER = 'origins';

/**
 * Remembers the name a note had in the queue, so that its promotion or rejection can be taken back to it. Only a
 * convenience: without it the name is made anew from what the note is called now.
 */
export async function rememberOrigin(
  brain: Pick<Brain, 'state' | 'device'>,
  path: VaultPath,
  from: VaultPath,
): Promise<void> {
  // The leading line feed ends a line that a crash or a full disk left without its end.
  await brain.state.append(`${FOLDER}/${brain.device}.jsonl`, `\n${asciiJson({ path, from })}\n`, false);
}

/** The name in `raw/` that the note at `path` came from, as far as any device remembers. */
export async function originOf(brain: Pick<Brain, 'state'>, path: VaultPath): Promise<VaultPath | null> {
  return (await allOrigins(brain)).get(path) ?? null;
}

/** The same of all notes. */
export async function allOrigins(brain: Pick<Brain, 'state'>): Promise<Map<VaultPath, VaultPath>> {
  const origins = new Map<VaultPath, VaultPath>();
  for (const file of await brain.state.list(FOLDER)) {
    for (const line of ((await brain.state.read(file)) ?? '').split('\n')) {
      const entry = parseEntry(line);
      if (entry !== null) origins.set(vaultPath(entry.path), vaultPath(entry.from));
    }
  }
  return origins;
}

function parseEntry(line: string): { path: string; from: string } | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('path' in value) || !('from' in value)) return null;
    const { path, from } = value;
    return typeof path === 'string' && typeof from === 'string' && from.startsWith('raw/')
      ? { path, from }
      : null;
  } catch {
    return null; // A torn line of a file that is only a convenience.
  }
}
