import fc from 'fast-check';
import { untar } from '../../../src/adapters/exports/tar';
import { expand, gzip, type Made, tar, zip } from './archives';

const GOOD: Made = { name: 'good.md', bytes: '# Good\n' };

it('gives the bytes of any tree that was packed', async () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const tree = fc.uniqueArray(
    fc.record({
      name: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join('/')}.x`),
      bytes: fc.uint8Array({ maxLength: 3000 }),
    }),
    { selector: (each) => each.name, maxLength: 8, minLength: 1 },
  );
  await fc.assert(
    fc.asyncProperty(tree, fc.boolean(), async (files, isStored) => {
      const entries = files.map((each) => ({
        name: each.name,
        bytes: Buffer.from(each.bytes),
        method: isStored ? 0 : 8,
      }));
      const wanted = Object.fromEntries(entries.map((each) => [each.name, each.bytes.toString('latin1')]));
      expect((await expand({ 'a.zip': zip(entries) })).files).toEqual(wanted);
      expect((await expand({ 'a.tar': tar(entries) })).files).toEqual(wanted);
      expect((await expand({ 'a.tgz': gzip(tar(entries)) })).files).toEqual(wanted);
    }),
    { numRuns: 40 },
  );
});

it('unpacks archives in archives, and names what systems leave', async () => {
  const inner = zip([{ name: 'Deep/ü.md', bytes: 'deep' }]);
  const { files, left } = await expand({
    'all.zip': zip([
      { name: 'x/', bytes: '' },
      { name: 'inner.zip', bytes: inner, method: 0 },
      { name: '__MACOSX/._a', bytes: 'j' },
      { name: 'x/.DS_Store', bytes: 'j' },
      GOOD,
    ]),
  });
  expect(files).toEqual({ 'inner/Deep/ü.md': 'deep', 'good.md': '# Good\n' });
  expect(Object.keys(left)).toEqual(['all.zip/__MACOSX/_a', 'all.zip/x/DS_Store']);
});

it('reads names that are no UTF-8, and zip64', async () => {
  const cp437 = Buffer.from([0x47, 0x72, 0x81, 0xe1, 0x65, 0x2e, 0x6d, 0x64]);
  expect(
    Object.keys((await expand({ 'a.zip': zip([{ name: cp437, flags: 0, bytes: 'x' }]) })).files),
  ).toEqual(['Grüße.md']);
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(5n, 4);
  const big = zip([{ name: 'big.md', bytes: 'Hello', size: 0xffffffff, extra }]);
  expect((await expand({ 'a.zip': big })).files).toEqual({ 'big.md': 'Hello' });
});

it('asks for a large archive in pieces, and gives it in pieces', async () => {
  const bytes = Buffer.alloc(20 * 1024 * 1024, 'abcdefgh');
  const { largest, written } = await expand({ 'a.zip': zip([{ name: 'a.txt', bytes, method: 0 }]) });
  expect(written).toBe(bytes.length);
  expect(largest).toBeLessThanOrEqual(1024 * 1024);
});

const deflateBomb = (): Buffer => zip([{ name: 'bomb.bin', bytes: Buffer.alloc(80 * 1024 * 1024) }, GOOD]);
const nested = (depth: number): Buffer =>
  depth === 0
    ? Buffer.from('deepest')
    : zip([{ name: depth === 1 ? 'd.md' : 'd.zip', bytes: nested(depth - 1) }]);

/** Archives that are hostile or broken: what is said, and whether the file beside the fault still comes. */
const BOMBS: Readonly<
  Record<string, { made: () => Buffer | string; says: RegExp; keeps?: boolean; as?: string }>
> = {
  'a name with dots': {
    made: () => zip([{ name: '../../up.md', bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'an absolute name': {
    made: () => zip([{ name: '/etc/passwd', bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'a drive letter': {
    made: () => zip([{ name: 'C:\\Windows\\a.md', bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'backslashes that lead up': {
    made: () => zip([{ name: '..\\..\\a.md', bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'a name with NUL': { made: () => zip([{ name: 'a\0b.md', bytes: 'x' }, GOOD]), says: /^$/, keeps: true },
  'an empty name': { made: () => zip([{ name: '', bytes: 'x' }, GOOD]), says: /^$/, keeps: true },
  'a device of Windows': { made: () => zip([{ name: 'con.md', bytes: 'x' }, GOOD]), says: /^$/, keeps: true },
  'the same name twice': {
    made: () => zip([{ name: 'a.md', bytes: '1' }, { name: 'A.md', bytes: '2' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'a hidden folder of git': {
    made: () => zip([{ name: '.git/hooks/x', bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'a very deep place': {
    made: () => zip([{ name: `${'a/'.repeat(300)}x.md`, bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'a very long name': {
    made: () => zip([{ name: `${'a'.repeat(3000)}.md`, bytes: 'x' }, GOOD]),
    says: /^$/,
    keeps: true,
  },
  'a name beyond every limit': {
    made: () => zip([{ name: 'a'.repeat(5000), bytes: 'x' }, GOOD]),
    says: /damaged/,
  },
  'a password': {
    made: () => zip([{ name: 's.md', bytes: 'x', flags: 0x801 }, GOOD]),
    says: /password/,
    keeps: true,
  },
  'an unknown method': {
    made: () => zip([{ name: 's.md', bytes: 'x', method: 99 }, GOOD]),
    says: /not known \(99\)/,
    keeps: true,
  },
  'a wrong sum': {
    made: () => zip([{ name: 's.md', bytes: 'x', crc: 1 }, GOOD]),
    says: /not those that were packed/,
    keeps: true,
  },
  'a size too large': {
    made: () => zip([{ name: 's.md', bytes: 'x', size: 9 }, GOOD]),
    says: /not those that were packed/,
    keeps: true,
  },
  'a size too small': {
    made: () => zip([{ name: 's.md', bytes: 'xyz', size: 1 }, GOOD]),
    says: /more than the archive says/,
    keeps: true,
  },
  'bytes that are not packed': {
    made: () => zip([{ name: 's.md', bytes: 'x', packed: Buffer.from('not deflate at all') }, GOOD]),
    says: /damaged/,
    keeps: true,
  },
  'entries over one another': {
    made: () =>
      zip([
        { name: 'a.md', bytes: 'x'.repeat(500), method: 0, at: 0 },
        { name: 'b.md', bytes: 'y', at: 10 },
      ]),
    says: /over one another/,
  },
  'an entry beyond the end': {
    made: () => zip([{ name: 'a.md', bytes: 'x', at: 4_000_000_000 }, GOOD]),
    says: /damaged|beginning is missing/,
    keeps: true,
  },
  'a header that is none': {
    made: () => zip([GOOD, { name: 'a.md', bytes: 'x', at: 3 }].slice(1)),
    says: /beginning is missing/,
  },
  'more entries than it has': { made: () => zip([GOOD], { count: 50_000 }), says: /^$/, keeps: true },
  'a long comment': { made: () => zip([GOOD], { comment: 'c'.repeat(65_000) }), says: /^$/, keeps: true },
  'a program before it': { made: () => zip([GOOD], { prefix: 'MZ'.repeat(500) }), says: /^$/, keeps: true },
  'no archive at all': { made: () => 'This is no archive.', says: /no whole zip archive/ },
  'an archive that unpacks to 80 MiB of nothing': { made: deflateBomb, says: /200 times/ },
  'archives in archives': { made: () => nested(7), says: /more than 4 archives/ },
  'a link in a tar': {
    made: () =>
      tar([
        { name: 'l', kind: '2', link: '/etc/passwd' },
        { name: 'good.md', bytes: '# Good\n' },
      ]),
    says: /link/,
    keeps: true,
    as: 'a.tar',
  },
  'a hard link in a tar': {
    made: () =>
      tar([
        { name: 'l', kind: '1', link: 'x' },
        { name: 'good.md', bytes: '# Good\n' },
      ]),
    says: /link/,
    keeps: true,
    as: 'a.tar',
  },
  'a device in a tar': {
    made: () =>
      tar([
        { name: 'd', kind: '3' },
        { name: 'good.md', bytes: '# Good\n' },
      ]),
    says: /device/,
    keeps: true,
    as: 'a.tar',
  },
  'a pipe in a tar': {
    made: () =>
      tar([
        { name: 'p', kind: '6' },
        { name: 'good.md', bytes: '# Good\n' },
      ]),
    says: /pipe/,
    keeps: true,
    as: 'a.tar',
  },
  'dots in a tar': {
    made: () =>
      tar([
        { name: '../../up.md', bytes: 'x' },
        { name: 'good.md', bytes: '# Good\n' },
      ]),
    says: /^$/,
    keeps: true,
    as: 'a.tar',
  },
  'a negative size in a tar': {
    made: () =>
      tar([
        { name: 'good.md', bytes: '# Good\n' },
        { name: 'n', size: `\u00ff${'\u00ff'.repeat(11)}` },
      ]),
    says: /no size/,
    keeps: true,
    as: 'a.tar',
  },
  'a size beyond all in a tar': {
    made: () =>
      tar([
        { name: 'good.md', bytes: '# Good\n' },
        { name: 'n', bytes: 'x', size: '77777777777' },
      ]),
    says: /cut off/,
    keeps: true,
    as: 'a.tar',
  },
  'a tar that is cut off': {
    made: () =>
      tar(
        [
          { name: 'good.md', bytes: '# Good\n' },
          { name: 'b', bytes: 'x'.repeat(2000) },
        ],
        false,
      ).subarray(0, 2100),
    says: /cut off/,
    keeps: true,
    as: 'a.tar',
  },
  'nonsense behind a file of a tar': {
    made: () => Buffer.concat([tar([{ name: 'good.md', bytes: '# Good\n' }], false), Buffer.alloc(512, 'x')]),
    says: /no file of the archive/,
    keeps: true,
    as: 'a.tar',
  },
  'a gz that is cut off': {
    made: () => gzip(Buffer.from('x'.repeat(5000))).subarray(0, 20),
    says: /damaged/,
    as: 'a.txt.gz',
  },
  'a gz of nothing but zeros': {
    made: () => gzip(Buffer.alloc(80 * 1024 * 1024)),
    says: /200 times/,
    as: 'a.bin.gz',
  },
  'entities in an Evernote export': {
    made: () =>
      '<?xml version="1.0"?><!DOCTYPE en-export [<!ENTITY a "b">]><en-export><note><title>&a;</title></note></en-export>',
    says: /entities of its own/,
    as: 'a.enex',
  },
  'an Evernote export that is cut off': {
    made: () => '<?xml version="1.0"?><en-export><note><title>A',
    says: /no end/,
    as: 'a.enex',
  },
  'an Evernote export that is none': {
    made: () => '<html><note>x</note></html>',
    says: /no Evernote export/,
    as: 'a.enex',
  },
  'a zip64 place beyond every number': {
    made: () => {
      const extra = Buffer.alloc(12);
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(8, 2);
      extra.writeBigUInt64LE(0xffffffffffffffffn, 4);
      return zip([GOOD, { name: 'a.md', bytes: 'x', at: 0xffffffff, extra }]);
    },
    says: /beyond the archive/,
    keeps: true,
  },
  'a zip64 list beyond every number': {
    made: () => {
      const whole = zip([GOOD]);
      const locator = Buffer.alloc(20);
      locator.writeUInt32LE(0x07064b50, 0);
      locator.writeBigUInt64LE(0xffffffffffffffffn, 8);
      return Buffer.concat([whole.subarray(0, -22), locator, whole.subarray(-22)]);
    },
    says: /list of files is damaged/,
  },
  'a name in a tar that a pax header gives dots': {
    made: () =>
      tar([
        { name: 'h', kind: 'x', bytes: '21 path=../../../x.md\n' },
        { name: 'x.md', bytes: 'x' },
        { name: 'good.md', bytes: '# Good\n' },
      ]),
    says: /^$/,
    keeps: true,
    as: 'a.tar',
  },
  'a pax header of 2 MiB': {
    made: () =>
      tar([
        { name: 'good.md', bytes: '# Good\n' },
        { name: 'h', kind: 'x', bytes: Buffer.alloc(2 * 1024 * 1024, 'x') },
      ]),
    says: /name is too long/,
    keeps: true,
    as: 'a.tar',
  },
  'a gz of a gz of a gz': {
    made: () => [0, 1, 2, 3, 4].reduce((bytes) => gzip(bytes), Buffer.from('x') as Buffer),
    says: /more than 4 archives/,
    as: 'a.gz.gz.gz.gz.gz',
  },
  'resources of an Evernote export that end nowhere': {
    made: () =>
      `<?xml version="1.0"?><en-export><note><title>A</title>${'<resource>'.repeat(300_000)}</note></en-export>`,
    says: /^$/,
    as: 'a.enex',
  },
  'an empty archive': { made: () => '', says: /^$/ },
};

it.each(Object.entries(BOMBS))('meets %s', async (_, { made, says, keeps = false, as = 'a.zip' }) => {
  const { files, left, written } = await expand({ [as]: made() });
  const said = Object.values(left).join(' ');
  if (says.source === '^$') expect(said).toBe('');
  else expect(said).toMatch(says);
  expect(Object.values(files).includes('# Good\n')).toBe(keeps);
  for (const place of Object.keys(files)) {
    expect(place).not.toMatch(/^\/|\\|:|(?:^|\/)\.|[<>"|?*\p{Cc}]/u);
    expect(place.split('/').every((name) => name !== '' && Buffer.byteLength(name) <= 255)).toBe(true);
  }
  expect(written).toBeLessThan(70 * 1024 * 1024);
});

it('takes a time of a tar that no date can hold as none', async () => {
  const modified: (number | undefined)[] = [];
  const bytes = tar([
    { name: 'far.md', time: `\u0080${'\u00ff'.repeat(11)}` },
    { name: 'near.md', time: '00000000012' },
  ]);
  for await (const entry of untar(only(bytes))) modified.push(entry.modified);
  expect(modified).toEqual([undefined, 10_000]);
});

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

it('loses no other file to an archive that is cut anywhere', async () => {
  const whole = zip([GOOD, { name: 'b.md', bytes: 'b'.repeat(1000) }]);
  for (let part = 1; part < 8; part += 1) {
    const cut = whole.subarray(0, Math.floor((whole.length * part) / 8));
    const { files, left } = await expand({ 'cut.zip': cut, 'beside.md': 'beside' });
    expect(files).toEqual({ 'beside.md': 'beside' });
    expect(Object.keys(left)).toEqual(['cut.zip']);
  }
});

it('refuses an archive of more files than one import takes', async () => {
  const many = Array.from({ length: 200_001 }, (_, n) => ({ name: `${n}`, bytes: '', method: 0 }));
  const { files, left } = await expand({ 'a.zip': zip(many), 'beside.md': 'x' });
  expect(Object.keys(files)).toEqual(['beside.md']);
  expect(Object.values(left)).toEqual([expect.stringContaining('200000')]);
});
