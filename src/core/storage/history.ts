import { type Sha, sha256 } from '../base/hash';
import type { StateStore } from '../ports/ports';

/** Where the text with this hash is kept, below `.brain/`. */
export function historyPath(sha: Sha): string {
  return `history/${sha.slice(0, 2)}/${sha}.md`;
}

/** The text that had this hash, or null when it was never archived. A damaged one is not passed off as it. */
export async function readHistory(state: Pick<StateStore, 'read'>, sha: Sha): Promise<string | null> {
  const text = await state.read(historyPath(sha));
  return text !== null && sha256(text) === sha ? text : null;
}

/**
 * Keeps `text`, whose hash is `sha`, for ever; durable when it resolves. Doing it again changes nothing, unless what
 * stands there is damaged: then it is made whole.
 */
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
