import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { Host } from '../../../src/adapters/exports/channel';
import { Expander } from '../../../src/adapters/exports/expand';

/** An entry of a made zip archive; what is given beside name and bytes is written as it is, however wrong. */
export interface Made {
  readonly name: string | Buffer;
  readonly bytes?: Buffer | string;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly packed?: Buffer;
  readonly extra?: Buffer;
  readonly at?: number;
}

/** Makes a zip archive. */
export function zip(
  entries: readonly Made[],
  { comment = '', count = entries.length, prefix = '' } = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from(prefix)];
  const list: Buffer[] = [];
  let at = parts[0]?.length ?? 0;
  for (const entry of entries) {
    const name = Buffer.isBuffer(entry.name) ? entry.name : Buffer.from(entry.name);
    const bytes = Buffer.from(entry.bytes ?? '');
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(bytes) : bytes);
    const crc = entry.crc ?? crc32(bytes);
    const size = entry.size ?? bytes.length;
    const flags = entry.flags ?? 0x800;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size >>> 0, 22);
    local.writeUInt16LE(name.length, 26);
    const extra = entry.extra ?? Buffer.alloc(0);
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(flags, 8);
    head.writeUInt16LE(method, 10);
    head.writeUInt32LE(crc, 16);
    head.writeUInt32LE(packed.length, 20);
    head.writeUInt32LE(size >>> 0, 24);
    head.writeUInt16LE(name.length, 28);
    head.writeUInt16LE(extra.length, 30);
    head.writeUInt32LE(entry.at ?? at, 42);
    list.push(head, name, extra);
    parts.push(local, name, packed);
    at += 30 + name.length + packed.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count & 0xffff, 8);
  end.writeUInt16LE(count & 0xffff, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, listed, end, Buffer.from(comment)]);
}

/** An entry of a made tar archive. */
export interface Tarred {
  readonly name: string;
  readonly bytes?: Buffer | string;
  readonly kind?: string;
  readonly size?: string;
  readonly link?: string;
  readonly time?: string;
}

/** Makes a tar archive of the ustar form. */
export function tar(entries: readonly Tarred[], end = true): Buffer {
  const parts = entries.flatMap(({ name, bytes = '', kind = '0', size, link = '', time = '14000000000' }) => {
    const body = Buffer.from(bytes);
    const head = Buffer.alloc(512);
    head.write(name.slice(0, 100), 0);
    head.write('0000644', 100);
    head.write(size ?? body.length.toString(8).padStart(11, '0'), 124, 'latin1');
    head.write(time, 136, 'latin1');
    head.write('        ', 148);
    head.write(kind, 156);
    head.write(link, 157);
    head.write('ustar\u000000', 257);
    head.write(
      `${head
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return [head, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(end ? 1024 : 0)]);
}

export { gzipSync as gzip };

/** What an export expands to, and what it cost the host. */
export interface Outcome {
  readonly files: Readonly<Record<string, string>>;
  readonly left: Readonly<Record<string, string>>;
  readonly told: readonly string[];
  /** By place, of the files that have some. */
  readonly warnings: Readonly<Record<string, readonly string[]>>;
  /** The bytes of the largest question or answer. */
  readonly largest: number;
  readonly written: number;
}

/** Expands files on a host in memory. */
export async function expand(came: Readonly<Record<string, Buffer | string>>): Promise<Outcome> {
  const stored: Buffer[][] = [];
  let largest = 0;
  let written = 0;
  const all = Object.entries(came).map(([place, bytes], id) => {
    stored.push([Buffer.from(bytes)]);
    return { id, place, size: Buffer.byteLength(bytes) };
  });
  const host: Host = {
    async read(id, from, to) {
      const bytes = Buffer.concat(stored[id] ?? []).subarray(from, to);
      largest = Math.max(largest, bytes.length);
      return new Uint8Array(bytes);
    },
    async create() {
      stored.push([]);
      return stored.length - 1;
    },
    async append(id, bytes) {
      stored[id]?.push(Buffer.from(bytes));
      largest = Math.max(largest, bytes.length);
      written += bytes.length;
    },
    progress: () => Promise.resolve(),
  };
  const { files, left, told } = await new Expander(host).expand(all);
  return {
    files: Object.fromEntries(
      files.map(({ id, place }) => [place, Buffer.concat(stored[id] ?? []).toString('latin1')]),
    ),
    left: Object.fromEntries(left.map(({ from, why }) => [from, why])),
    told,
    warnings: Object.fromEntries(
      files.flatMap(({ place, warnings }) => (warnings.length > 0 ? [[place, warnings]] : [])),
    ),
    largest,
    written,
  };
}
