import type { BrainClient } from '../client';
import type { Entry } from './entry';

const PAGE = 200;
/** A queue that keeps growing while it is read is taken as it stands after this many pages. */
const MAX_PAGES = 100;
/** One that keeps shrinking is taken as it stands after it has been begun anew so often. */
const MAX_BEGINNINGS = 5;

/**
 * Reads the whole queue, page by page, without the notes that are similar: those are looked for only for the note that is
 * shown. `onFirst` gets the beginning as soon as it is there. A note that moved between two pages while they were read is
 * listed once, and none is passed over: each page begins with the last note of the one before, and when it does not, all is
 * read anew.
 * @throws CallError
 */
export async function readPending(
  client: BrainClient,
  onFirst: (entries: readonly Entry[]) => void,
): Promise<readonly Entry[]> {
  const found = new Map<string, Entry>();
  let isFirst = true;
  for (let beginnings = 1; ; beginnings += 1) {
    found.clear();
    const isWhole = await readPages(client, found, (entries) => {
      if (isFirst) onFirst(entries);
      isFirst = false;
    });
    if (isWhole || beginnings === MAX_BEGINNINGS) return [...found.values()];
  }
}

/** Resolves false, having read some, when notes before the page were taken out of the queue. */
async function readPages(
  client: BrainClient,
  found: Map<string, Entry>,
  onFirst: (entries: readonly Entry[]) => void,
): Promise<boolean> {
  let last: string | undefined;
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const { pending, total } = await client.call('pending', { limit: PAGE, offset, similar: false });
    if (last !== undefined && pending[0]?.path !== last) return false;
    for (const entry of pending) found.set(entry.path, entry);
    if (offset + pending.length >= total || pending.length === 0) return true;
    if (page === 0) onFirst([...found.values()]);
    offset += pending.length - 1;
    last = pending.at(-1)?.path;
  }
  return true;
}
