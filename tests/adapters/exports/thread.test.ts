import { randomBytes } from 'node:crypto';
import { nodeThreads } from '../../../src/adapters/documents/node-thread';
import { DocumentThreads } from '../../../src/adapters/documents/threads';
import { zip } from './archives';

it('unpacks an entry that is read and written in many pieces, in a real thread', async () => {
  const bytes = randomBytes(3 * 1024 * 1024);
  const archive = zip([{ name: 'a.bin', bytes }]);
  const written: Uint8Array[] = [];
  const threads = new DocumentThreads({
    startThread: nodeThreads(null),
    used: () => 0,
    sleep: () => new Promise(() => undefined),
  });
  const { files, left } = await threads.expand(
    {
      came: [{ id: 0, place: 'a.zip', size: archive.length }],
      read: (_, from, to) => Promise.resolve(new Uint8Array(archive.subarray(from, to))),
      create: () => Promise.resolve(1),
      append: (_, piece) => Promise.resolve(void written.push(piece)),
    },
    {},
  );
  threads.close();
  expect(left).toEqual([]);
  expect(files.map(({ place }) => place)).toEqual(['a.bin']);
  expect(Buffer.concat(written).equals(bytes)).toBe(true);
}, 30_000);
