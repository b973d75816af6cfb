import { setTimeout as wait } from 'node:timers/promises';
import type { OpenFile } from '../../../src/adapters/files/file-system';
import { decode, ownMemory, retryWhileBusy, readAll, writeAll } from '../../../src/adapters/files/whole-file';

/** An open file over a buffer that gives and takes at most `most` bytes a call. */
function fileOf(bytes: Buffer, most: number): OpenFile & { written: Buffer } {
  const never = (): Promise<never> => Promise.reject(new Error('not called'));
  const file = {
    written: Buffer.alloc(0),
    read: async (buffer: Uint8Array, offset: number, length: number, position: number) => {
      const part = bytes.subarray(position, position + Math.min(length, most));
      buffer.set(part, offset);
      return { bytesRead: part.length };
    },
    write: async (buffer: Uint8Array, offset: number, length: number) => {
      const part = buffer.subarray(offset, offset + Math.min(length, most));
      file.written = Buffer.concat([file.written, part]);
      return { bytesWritten: part.length };
    },
    stat: never,
    chmod: never,
    truncate: never,
    utimes: never,
    sync: never,
    close: never,
  };
  return file;
}

const bytes = Buffer.from('0123456789'.repeat(100));

describe('whole files', () => {
  it.each([
    [1000, 1000],
    [1000, 7],
    [0, 1000],
    [10, 64],
    [2000, 1000],
  ])(
    'are read to their end when %i bytes were expected and a call gives %i at most',
    async (expected, most) => {
      const read = await readAll(fileOf(bytes, most), expected, 'a.md');
      expect(read.toString()).toBe(bytes.toString());
    },
  );

  const large = Buffer.from(Uint32Array.from({ length: 2_500_001 }, (_, at) => at).buffer);
  it.each([
    [large.length, large.length],
    [large.length, 300_007],
    [large.length - 1_000_000, 300_007],
    [large.length - 1, large.length],
    [large.length + 5_000_000, large.length],
    [3 * large.length, 300_007],
  ])(
    'of many bytes are read to their end when %i were expected and a call gives %i',
    async (expected, most) => {
      const read = await readAll(fileOf(large, most), expected, 'a.md');
      expect(read.equals(large)).toBe(true);
    },
  );

  it('of many bytes may not have grown beyond what the caller takes', async () => {
    const most = large.length - 1;
    const length = readAll(fileOf(large, large.length), most, 'a.md', most).then((read) => read.length);
    await expect(length).rejects.toMatchObject({ code: 'unsupported_type' });
  });

  it('are not given up before the last part that is read has been read', async () => {
    const file = fileOf(large, large.length);
    let open = 0;
    const read: OpenFile['read'] = async (buffer, offset, length, position) => {
      open += 1;
      await wait(position === 0 ? 0 : 20);
      open -= 1;
      if (position === 0) throw new Error('EIO');
      return file.read(buffer, offset, length, position);
    };
    await expect(readAll({ ...file, read }, large.length, 'a.md')).rejects.toThrow('EIO');
    expect(open).toBe(0);
  });

  it.each([1000, 999, 7, 1])('are written to their end when a call takes %i bytes at most', async (most) => {
    const file = fileOf(bytes, most);
    await writeAll(file, bytes);
    expect(file.written).toEqual(bytes);
  });

  it('are given up when a call takes nothing', async () => {
    await expect(writeAll(fileOf(bytes, 0), bytes)).rejects.toThrow('no more bytes');
  });

  it('are no note beyond the size that fits into a string', async () => {
    await expect(readAll(fileOf(bytes, 1000), 300 * 1024 * 1024, 'a.md')).rejects.toMatchObject({
      code: 'unsupported_type',
    });
  });

  it('are more than a note may have where the caller can take them', async () => {
    const size = 257 * 1024 * 1024;
    const large = fileOf(Buffer.alloc(size), size);
    await expect(readAll(large, size, 'catalog.bin')).rejects.toMatchObject({ code: 'unsupported_type' });
    expect(await readAll(large, size, 'catalog.bin', size)).toHaveLength(size);
    await expect(readAll(large, size, 'catalog.bin', size - 1)).rejects.toMatchObject({
      code: 'unsupported_type',
    });
  });

  it.each([0, 10, 2_000_000])(
    'of %i bytes are handed out in a memory that nobody else uses',
    async (size) => {
      const content = Buffer.alloc(size, 'ab');
      const read = await readAll(fileOf(content, size + 1), size, 'a.pdf');
      const own = ownMemory(read);
      expect(Buffer.from(own).equals(content)).toBe(true);
      expect(own.constructor).toBe(Uint8Array);
      expect(own.buffer.byteLength).toBeLessThanOrEqual(size + 1);
      // A large one is not copied.
      expect(own.buffer === read.buffer).toBe(size > 1_000_000);
    },
  );

  it('are text only in UTF-8', () => {
    expect(decode(Buffer.from('\uFEFFß'), 'a.md')).toBe('\uFEFFß');
    expect(() => decode(Buffer.from([0xff]), 'a.md')).toThrow('not UTF-8');
  });
});

describe('patiently', () => {
  const failing = (code: string, times: number) => {
    let calls = 0;
    return async () => {
      if ((calls += 1) <= times) throw Object.assign(new Error(code), { code });
      return calls;
    };
  };

  it('tries again on Windows while another program holds the file', async () => {
    expect(await retryWhileBusy(failing('EBUSY', 3), 'win32')).toBe(4);
  });

  it('says that it is busy when that does not end', async () => {
    await expect(retryWhileBusy(failing('EPERM', 1000), 'win32')).rejects.toMatchObject({ code: 'busy' });
  });

  it.each([
    ['win32', 'ENOSPC'],
    ['linux', 'EBUSY'],
  ])('passes on at once on %s: %s', async (platform, code) => {
    await expect(retryWhileBusy(failing(code, 1), platform)).rejects.toMatchObject({ code });
  });
});
