import type { BrainClient } from '../client';
import type { Entry } from './entry';

const PAGE = 200;
/** A queue that keeps growing while it is read is taken as it stands after this many pages. */
const MAX_PAGES = 100;

/**
 * Reads the whole queue, page by page, without the notes that are similar: those are looked for only for the note that is shown. `onFirst` gets the beginning as soon as it is there. A note that moved between two
 * pages while they were read is listed once.
 * @throws CallError
 */
export async function readPending(
  client: BrainClient,
  onFirst: (entries: readonly Entry[]) => void,
): Promise<readonly Entry[]> {
  const found = new Map<string, Entry>();
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const { pending, total } = await client.call('pending', { limit: PAGE, offset, similar: false });
    for (const entry of pending) found.set(entry.path, entry);
    offset += pending.length;
    if (pending.length === 0 || offset >= total) break;
    if (page === 0) onFirst([...found.values()]);
  }
  return [...found.values()];
}
