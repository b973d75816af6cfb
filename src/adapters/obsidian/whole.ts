import type { DataAdapter } from 'obsidian';

type Files = Pick<DataAdapter, 'stat' | 'readBinary' | 'remove'>;

/**
 * Looks at a file that was written just now. @throws Error when it holds only the beginning of `ours`: a full disk must not
 * pass for a written file, whatever the calls before have said. Anything else that stands there is someone's since.
 */
export async function expectWhole(adapter: Files, at: string, ours: Uint8Array): Promise<void> {
  if ((await adapter.stat(at))?.size === ours.length) return;
  const stands = await beginningOf(adapter, at, ours);
  if (stands !== null && stands < ours.length) throw cut(at, stands, ours.length);
}

/** The same for a file to which `added` bytes were added when it had `before`; someone may have added more meanwhile. */
export async function expectLonger(
  adapter: Files,
  at: string,
  { before, added }: { readonly before: number; readonly added: number },
): Promise<void> {
  const size = (await adapter.stat(at))?.size ?? 0;
  if (size < before + added) throw cut(at, Math.max(0, size - before), added);
}

/**
 * Takes away what stands of a file that could not be made, all of it or its beginning. Nothing stood there before; the app
 * itself may not know of it yet. Resolves false, changing nothing, when somebody else has made a file there meanwhile.
 */
export async function takeAway(adapter: Files, at: string, ours: Uint8Array): Promise<boolean> {
  if ((await beginningOf(adapter, at, ours)) === null) return (await adapter.stat(at)) === null;
  await adapter.remove(at);
  return true;
}

/** So many bytes stand in the file, all of them or the first ones of `ours`; null when it is absent or holds anything else. */
async function beginningOf(adapter: Files, at: string, ours: Uint8Array): Promise<number | null> {
  if ((await adapter.stat(at))?.type !== 'file') return null;
  const stands = new Uint8Array(await adapter.readBinary(at));
  return stands.every((byte, index) => byte === ours[index]) ? stands.length : null;
}

function cut(at: string, written: number, wanted: number): Error {
  return new Error(`Only ${written} of ${wanted} bytes of ${at} were written.`);
}
