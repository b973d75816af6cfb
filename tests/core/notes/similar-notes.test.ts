import * as fc from 'fast-check';
import { ingestPages, ingestText } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { writeNote } from '../../../src/core/notes/write';
import { callerWith, openTestBrain } from '../../support/test-brain';

const VAULT = {
  'wiki/net/facts/wireguard-mtu.md':
    '# WireGuard MTU\n\nThe tunnel wants an MTU of 1420, or packets vanish.\n',
  'wiki/net/facts/wireguard-keys.md': '# WireGuard keys\n\nEach peer of the tunnel has a key pair.\n',
  'wiki/net/failures/tunnel-drops.md': '# Tunnel drops\n\nBig packets vanish behind PPPoE.\n',
  'wiki/net/decisions/tunnel-port.md': '# Tunnel port\n\nThe tunnel listens on 51820.\n',
  'wiki/kitchen/facts/bread.md': '# Bread\n\nFlour, water, salt.\n',
  'raw/2026-11-01-wireguard-mtu-again.md': '# WireGuard MTU again\n\nThe tunnel wants an MTU of 1420.\n',
  'raw/rejected/wireguard-mtu.md': '# WireGuard MTU\n\nThe tunnel wants an MTU of 1420.\n',
};
const content = '# MTU of the tunnel\n\nWireGuard needs an MTU of 1420, else packets vanish.\n';

describe('similar notes', () => {
  it('are told to whoever writes, best first, three at most, reviewed ones alone', async () => {
    const { run } = await openTestBrain(VAULT);
    const { similar } = await run(writeNote, { wing: 'net', hall: 'facts', slug: 'mtu', content });
    expect(similar).toHaveLength(3);
    expect(similar[0]).toEqual({
      path: 'wiki/net/facts/wireguard-mtu.md',
      title: 'WireGuard MTU',
      stale: false,
      shared: ['MTU', '1420', 'packets', 'vanish', 'WireGuard'],
    });
    expect(similar.map(({ path }) => path).filter((path) => !path.startsWith('wiki/net/'))).toEqual([]);
  });

  it('are told to whoever captures a thought, by the title that the caller gives', async () => {
    const { run } = await openTestBrain(VAULT);
    const { similar } = await run(capture, { text: 'Too dense yesterday.', title: 'Bread' });
    expect(similar).toEqual([
      { path: 'wiki/kitchen/facts/bread.md', title: 'Bread', stale: false, shared: ['Bread'] },
    ]);
  });

  it('are not told to who may not read, at any door that writes', async () => {
    for (const scopes of [['propose'], ['write']] as const) {
      const { run } = await openTestBrain(VAULT);
      const caller = callerWith(scopes);
      const link = 'See [[wireguard-mtu]].';
      const answers = [
        await run(writeNote, { wing: 'net', hall: 'facts', slug: 'mtu', content: content + link }, caller),
        await run(capture, { text: 'Too dense today.', title: 'Bread' }, caller),
        await run(ingestText, { text: `${content}And fewer.`, wing: 'net' }, caller),
        await run(
          ingestPages,
          { pages: [{ title: 'Bread', hall: 'facts', wing: 'kitchen', content: 'Too much salt.' }] },
          caller,
        ),
      ];
      expect(answers[0]).toMatchObject({ refs: [{ target: 'wireguard-mtu', reason: 'missing' }] });
      const similar = JSON.stringify(answers).matchAll(/"similar":\[([^\]]*)/g);
      for (const [, notes = ''] of similar)
        for (const path of Object.keys(VAULT)) expect(notes).not.toContain(path);
    }
  });

  it('never hold the note itself, written anew or repeated, and are none where nothing is alike', async () => {
    const { run } = await openTestBrain(VAULT);
    const place = { wing: 'net', hall: 'facts', slug: 'mtu' };
    const { path } = await run(writeNote, { ...place, content });
    for (const again of [{ content }, { content: `${content}\nAnd more.\n`, overwrite: true }]) {
      const { similar } = await run(writeNote, { ...place, ...again });
      expect(similar).toHaveLength(3);
      expect(similar.map((note) => note.path)).not.toContain(path);
    }
    const { similar } = await run(writeNote, { wing: 'music', hall: 'facts', content: 'Xylophone.' });
    expect(similar).toEqual([]);
  });

  it('are told of a dry run too', async () => {
    const { run } = await openTestBrain(VAULT);
    const { similar } = await run(writeNote, { wing: 'net', hall: 'facts', content, dry_run: true });
    expect(similar).toHaveLength(3);
  });

  it('need a rare word that both have: one in many notes says nothing', async () => {
    const service = (n: number) => [`wiki/net/facts/s${n}.md`, `# S${n}\n\nThe service has a port.\n`];
    const { run } = await openTestBrain({
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => service(n))),
      'wiki/net/facts/clock.md': '# Clock\n\nThe Grandmaster of PTP is the service of the rack.\n',
    });
    const text = { wing: 'net', hall: 'facts', dry_run: true } as const;
    const common = await run(writeNote, { ...text, content: '# Printer\n\nThe service has a port.\n' });
    expect(common.similar).toEqual([]);
    const rare = await run(writeNote, {
      ...text,
      content: '# Time\n\nA service with the port of our ptp grandmaster.\n',
    });
    expect(rare.similar).toEqual([
      { path: 'wiki/net/facts/clock.md', title: 'Clock', stale: false, shared: ['grandmaster', 'ptp'] },
    ]);
  });
});

describe('the words that similar notes share', () => {
  const written = async (mine: string, theirs: string) => {
    const { run, close } = await openTestBrain({ 'wiki/net/facts/other.md': theirs });
    const asked = { wing: 'net', hall: 'facts', dry_run: true, content: mine } as const;
    const { similar } = await run(writeNote, asked);
    await close();
    return similar.map(({ shared }) => shared);
  };

  it.each<[string, string, string, string[]]>([
    ['a part of a name', 'Set `innoDbBufferPool`.', 'The buffer of the cooker.', []],
    ['parts of two names', 'Call getUserName.', 'See setUserName.', []],
    ['the same name', 'Call getUserName.', 'See getUserName.', ['getUserName']],
    ['forms of a word', 'Two quokkas sleep.', 'A quokka sleeps.', []],
    ['a name and its part that stands alone', 'userName, or name.', 'A name.', ['name']],
    ['a word in another case', 'WIREGUARD here.', 'WireGuard there.', ['WIREGUARD']],
  ])('are told of %s as they stand in both', async (_, mine, theirs, shared) => {
    for (const told of await written(mine, theirs)) expect(told).toEqual(shared);
  });

  it('stand in both notes as written, whatever these say', async () => {
    const part = fc.constantFrom(
      'quokka',
      'quokkas',
      'budget',
      'budgets',
      'Gate',
      'pool',
      'Élan',
      '4711',
      'x9',
    );
    const name = fc.oneof(
      part,
      fc.tuple(part, part).map((parts) => parts.join('_')),
      fc.tuple(part, part).map((parts) => parts.join('-')),
      fc.tuple(part, part).map(([one, two]) => `${one}${two.charAt(0).toUpperCase()}${two.slice(1)}`),
    );
    const text = fc.array(name, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
    let told = 0;
    await fc.assert(
      fc.asyncProperty(text, text, async (mine, theirs) => {
        for (const word of (await written(mine, theirs)).flat()) {
          told += 1;
          for (const each of [mine, theirs])
            expect(each.toLowerCase().split(' ')).toContain(word.toLowerCase());
        }
      }),
      { numRuns: 60 },
    );
    expect(told).toBeGreaterThan(10);
  });
});
