import { type Sha, sha256 } from '../base/hash';
import type { StateStore } from '../ports/ports';

/** Returns the path of the text with this hash, below `.brain/`. */
export function historyPath(sha: Sha): string {
  return `history/${sha.slice(0, 2)}/${sha}.md`;
}

/** Returns the text with this hash; null when it was never archived or its file is damaged. */
export async function readHistory(state: Pick<StateStore, 'read'>, sha: Sha): Promise<string | null> {
  const text = await state.read(historyPath(sha));
  return text !== null && sha256(text) === sha ? text : null;
}

/** Archives `text`, whose hash is `sha`; durable when it resolves. Idempotent; a damaged file is replaced. */
export async function archive(
  state: Pick<StateStore, 'read' | 'create' | 'write'>,
  sha: Sha,
  text: string,
): Promise<void> {
  const path = historyPath(sha);
  if (await state.create(path, text)) return;
  const kept = await state.read(path);
  if (kept === null || sha256(kept) !== sha) await state.write(path, text);
}
