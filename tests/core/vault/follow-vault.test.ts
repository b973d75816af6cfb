import * as fc from 'fast-check';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { followVault } from '../../../src/core/vault/follow';
import { indexWings, listWings } from '../../../src/core/wings/operations';
import type { VaultMutation } from '../../support/memory-vault';
import { openTestBrain } from '../../support/test-brain';
import { alone } from '../../../src/core/ports/ports';

const MTU = 'wiki/net/facts/mtu.md';
const mtu = { wing: 'net', hall: 'facts', slug: 'mtu', content: '# MTU\n\nUse 1420.\n' };

/** A followed vault whose waits end when the test says so, and that notes every change the service makes. */
async function openFollowed(
  files: Readonly<Record<string, string>> = {},
  settings = {},
  duty?: () => Promise<boolean>,
) {
  const opened = await openTestBrain(files, settings);
  const { brain, vault } = opened;
  const ours: string[] = [];
  vault.intercept = (call: VaultMutation, path) => {
    ours.push(`${call} ${path}`);
  };
  const sleeping: (() => void)[] = [];
  const following = followVault(
    duty ? { ...brain, servers: { ...alone, duty, maps: 'after' } } : brain,
    () => new Promise((resolve) => sleeping.push(resolve)),
  );
  const drain = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    ...opened,
    following,
    ours,
    /** Lets the quiet time pass until nothing waits for it any more; says how often. */
    async pass(limit = 50): Promise<number> {
      let passed = 0;
      for (await drain(); sleeping.length > 0 && passed < limit; passed += 1) {
        for (const wake of sleeping.splice(0)) wake();
        await drain();
        await brain.writer.idle();
        await drain();
      }
      return passed;
    },
    /** Moves a file as a file manager does: removed here, changed there. */
    move(from: string, to: string): void {
      const text = vault.files.get(from);
      if (text === undefined) throw new Error(`No such file: ${from}`);
      vault.outside(from, null);
      vault.outside(to, text);
    },
  };
}

const map = (files: ReadonlyMap<string, string>, wing: string) => files.get(`wiki/${wing}/_index.md`) ?? '';

describe('a note that is moved by hand', () => {
  it('gets the wing and hall of its new place, and nothing else, and both maps follow', async () => {
    const { run, files, move, pass, state } = await openFollowed();
    await run(writeNote, mtu);
    await run(writeNote, { ...mtu, slug: 'dns', content: '# DNS\n' });
    const before = files.get(MTU) ?? '';
    move(MTU, 'wiki/lab/failures/mtu.md');
    await pass();
    expect(files.get('wiki/lab/failures/mtu.md')).toBe(
      before.replace('wing: net', 'wing: lab').replace('hall: facts', 'hall: failures'),
    );
    expect(map(files, 'lab')).toContain('## Failures (1)\n- [[wiki/lab/failures/mtu|MTU]]');
    expect(map(files, 'net')).not.toContain('MTU');
    expect(await state.list('local.testtest/journal')).toEqual([]);
  });

  it('is left alone when `followMoves` is off, but for the maps', async () => {
    const { run, files, move, pass } = await openFollowed({}, { followMoves: false });
    await run(writeNote, mtu);
    const before = files.get(MTU);
    move(MTU, 'wiki/lab/failures/mtu.md');
    await pass();
    expect(files.get('wiki/lab/failures/mtu.md')).toBe(before);
    expect(map(files, 'lab')).toContain('MTU');
    expect(map(files, 'net')).toContain('_No notes yet._');
  });

  it.each([
    ['that names neither wing nor hall', '---\ntags: [a]\n---\n# Mine\n'],
    ['without front matter', '# Mine\n'],
    ['that is locked', '---\nwing: net\nhall: facts\nlocked: true\n---\n# Mine\n'],
    ['whose front matter cannot be edited', '---\nwing: net\n? [a]\n: b\n---\n# Mine\n'],
    ['that is right already', '---\nwing: lab\nhall: facts\n---\n# Mine\n'],
  ])('keeps every byte of a note %s', async (_, text) => {
    const { files, vault, pass, ours } = await openFollowed({ [MTU]: text });
    vault.outside(MTU, null);
    vault.outside('wiki/lab/facts/mtu.md', text);
    await pass();
    expect(files.get('wiki/lab/facts/mtu.md')).toBe(text);
    expect(ours).toEqual([]);
  });

  it('keeps its hall where the folder names none', async () => {
    const { run, files, move, pass } = await openFollowed();
    await run(writeNote, mtu);
    move(MTU, 'wiki/lab/mtu.md');
    await pass();
    expect(parseNote(files.get('wiki/lab/mtu.md') ?? '').frontmatter).toMatchObject({
      wing: 'lab',
      hall: 'facts',
    });
  });

  it('takes its whole wing with it when the folder is renamed; the old map is not made again', async () => {
    const { run, files, move, pass } = await openFollowed();
    await run(writeNote, mtu);
    await run(writeNote, { ...mtu, slug: 'dns', content: '# DNS\n' });
    for (const path of [...files.keys()].filter((each) => each.startsWith('wiki/net/'))) {
      move(path, path.replace('wiki/net/', 'wiki/network/'));
    }
    await pass();
    expect([...files.keys()].filter((path) => path.startsWith('wiki/net/'))).toEqual([]);
    expect(map(files, 'network')).toMatch(/^---\ntype: index\nwing: network\n---\n# network\n/);
    expect(map(files, 'network')).toContain('[[wiki/network/facts/mtu|MTU]]');
    expect(files.get('wiki/network/facts/dns.md')).toContain('wing: network');
  });

  it('keeps the words that a person wrote into the head of a map that is moved', async () => {
    const { run, files, vault, move, pass } = await openFollowed();
    await run(writeNote, mtu);
    vault.outside('wiki/net/_index.md', map(files, 'net').replace('# net', '# All about nets'));
    for (const path of ['_index.md', 'facts/mtu.md']) move(`wiki/net/${path}`, `wiki/network/${path}`);
    await pass();
    expect(map(files, 'network')).toContain('# All about nets\n');
    expect(map(files, 'network')).toContain('[[wiki/network/facts/mtu|MTU]]');
  });
});

describe('the maps', () => {
  it('follow a deletion and a new title', async () => {
    const { run, files, vault, pass } = await openFollowed();
    await run(writeNote, mtu);
    await run(writeNote, { ...mtu, slug: 'dns', content: '# DNS\n' });
    vault.outside(MTU, (files.get(MTU) ?? '').replace('# MTU', '# Packet size'));
    vault.outside('wiki/net/facts/dns.md', null);
    await pass();
    expect(map(files, 'net')).toContain('## Facts (1)\n- [[wiki/net/facts/mtu|Packet size]]');
    expect(files.get(MTU)).not.toMatch(/updated_at|supersedes/);
  });

  it('are not made in a wing that the service has never written to', async () => {
    const { files, vault, pass, ours } = await openFollowed({ 'wiki/diary/facts/a.md': '# A\n' });
    vault.outside('wiki/diary/facts/a.md', '# B\n');
    vault.outside('wiki/diary/facts/b.md', '# B\n');
    await pass();
    expect([ours, files.has('wiki/diary/_index.md')]).toEqual([[], false]);
  });

  it('of a wing that a tunnel joins follow the note at its other end', async () => {
    const { run, files, vault, pass } = await openFollowed({ 'raw/mtu.md': '# MTU\n\nAgain.\n' });
    await run(writeNote, mtu);
    await run(promoteNote, { path: 'raw/mtu.md', wing: 'lab', hall: 'facts' });
    expect(map(files, 'lab')).toContain('[[wiki/net/_index|net]] (1)');
    vault.outside(MTU, null);
    await pass();
    expect(map(files, 'lab')).not.toContain('Tunnels');
  });
});

describe('following', () => {
  it('waits until the vault is quiet, but not for ever', async () => {
    const { run, files, vault, ours, pass } = await openFollowed();
    await run(writeNote, mtu);
    ours.splice(0);
    const type = (n: number) => vault.outside(MTU, (files.get(MTU) ?? '').replace(/# .*/, `# Title ${n}`));
    let n = 0;
    for (type(n); ours.length === 0 && n < 40; await pass(1)) type((n += 1));
    expect(n).toBeGreaterThan(5);
    expect(n).toBeLessThan(40);
    expect(map(files, 'net')).toContain(`Title ${n}`);
  });

  it('does nothing about what the service writes itself, however often it is told of it', async () => {
    const { run, vault, files, ours, pass } = await openFollowed({ 'raw/dns.md': '# DNS\n' });
    await run(writeNote, mtu);
    await run(promoteNote, { path: 'raw/dns.md', wing: 'net', hall: 'facts' });
    await run(indexWings);
    ours.splice(0);
    for (const path of files.keys()) vault.touch(path);
    const rounds = await pass();
    expect(ours).toEqual([]);
    expect(rounds).toBeLessThan(4);
  });

  it('leaves what stood there when the vault was opened as it is', async () => {
    const { run, ours, vault, pass } = await openFollowed({
      'wiki/net/facts/a.md': '---\nwing: other\nhall: sources\n---\n# A\n',
    });
    await run(listWings);
    vault.touch('wiki/net/facts/a.md');
    vault.outside('wiki/net/facts/a.md', '---\nwing: other\nhall: sources\n---\n# Edited\n');
    await pass();
    expect(ours).toEqual([]);
  });

  it('sees a change that a reader has met with first', async () => {
    const { run, files, move, pass } = await openFollowed();
    await run(writeNote, mtu);
    move(MTU, 'wiki/lab/facts/mtu.md');
    await run(listWings);
    await pass();
    expect(files.get('wiki/lab/facts/mtu.md')).toContain('wing: lab');
  });

  it('does nothing more once it is closed', async () => {
    const { run, move, pass, ours, following } = await openFollowed();
    await run(writeNote, mtu);
    ours.splice(0);
    move(MTU, 'wiki/lab/facts/mtu.md');
    await following.close();
    await pass();
    expect(ours).toEqual([]);
  });

  it('goes on when a map or a note cannot be written', async () => {
    const { run, vault, files, move, pass, brain } = await openFollowed();
    await run(writeNote, mtu);
    const intercept = vault.intercept;
    vault.intercept = () => {
      throw new Error('EIO');
    };
    move(MTU, 'wiki/lab/facts/mtu.md');
    await pass();
    vault.intercept = intercept;
    expect(files.get('wiki/lab/facts/mtu.md')).toContain('wing: net');
    vault.outside('wiki/lab/facts/mtu.md', '---\nwing: lab\n---\n# Third\n');
    vault.outside('wiki/net/facts/new.md', '---\nwing: lab\nhall: sources\nwritten_by: me\n---\n# New\n');
    await pass();
    expect(map(files, 'net')).toContain('New');
    expect(brain.recovery.attention).toEqual([]);
  });

  it('makes a map that could not be written with the next change, of whatever wing', async () => {
    const { run, vault, files, pass } = await openFollowed();
    await run(writeNote, mtu);
    const { intercept } = vault;
    vault.intercept = () => {
      throw new Error('EIO');
    };
    vault.outside(MTU, `${files.get(MTU) ?? ''}`.replace('# MTU', '# Frames'));
    await pass();
    vault.intercept = intercept;
    expect(map(files, 'net')).toContain('MTU');
    vault.outside('wiki/lab/facts/mine.md', '# Mine\n');
    await pass();
    expect(map(files, 'net')).toContain('Frames');
  });

  it('makes every map again once it learns that it still has the duty', async () => {
    let answer = async (): Promise<boolean> => true;
    const { run, vault, files, pass } = await openFollowed({}, {}, () => answer());
    await run(writeNote, mtu);
    await run(writeNote, { ...mtu, wing: 'home' });
    await pass();
    // No event of this wing comes: what was lost is only found by making every map.
    const lost = map(files, 'home').replace('MTU', 'Lost');
    files.set('wiki/home/_index.md', lost);
    answer = () => Promise.reject(new Error('The database does not answer.'));
    vault.outside(MTU, `${files.get(MTU) ?? ''}`.replace('# MTU', '# Frames'));
    await pass();
    expect(map(files, 'net')).toContain('MTU');
    answer = async () => true;
    vault.outside('wiki/lab/facts/mine.md', '# Mine\n');
    await pass();
    expect(map(files, 'net')).toContain('Frames');
    expect(map(files, 'home')).toContain('MTU');
  });
});

/** What someone does to the vault, by hand or through the service. */
type Act = readonly [
  'write' | 'move' | 'delete' | 'retitle' | 'update' | 'unpromote' | 'pass',
  number,
  number,
];

it('ends, whatever is done in whatever order, where a fresh start finds nothing to do', async () => {
  const places = ['net', 'lab', 'home'].flatMap((wing) =>
    ['facts', 'sources'].flatMap((hall) => ['a', 'b', 'c'].map((slug) => ({ wing, hall, slug }))),
  );
  const act = fc.tuple(
    fc.constantFrom('write', 'move', 'delete', 'retitle', 'update', 'unpromote', 'pass'),
    fc.nat(places.length - 1),
    fc.nat(places.length - 1),
  ) satisfies fc.Arbitrary<Act>;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 20 }), async (acts) => {
      const { run, files, vault, move, pass } = await openFollowed();
      const pathOf = (n: number) => `wiki/${places[n]?.wing}/${places[n]?.hall}/${places[n]?.slug}.md`;
      const moved = new Set<string>();
      for (const [what, from, to] of acts) {
        const [path, target] = [pathOf(from), pathOf(to)];
        const text = files.get(path);
        if (what === 'pass') await pass();
        else if (what === 'write' && text === undefined)
          await run(writeNote, { ...places[from], content: `# T${to}\n\n[[${pathOf(to)}]]\n` });
        else if (text === undefined) continue;
        else if (what === 'move' && !files.has(target)) {
          move(path, target);
          moved.add(target);
        } else if (what === 'delete') vault.outside(path, null);
        else if (what === 'retitle') vault.outside(path, text.replace(/^# .*/m, `# T${to}`));
        else if (what === 'update') await run(updateNote, { path, content: `# U${to}\n`, reason: 'x' });
        else if (what === 'unpromote') await run(unpromoteNote, { path }).catch(() => undefined);
      }
      await pass();
      const settled = new Map(files);
      await pass();
      await openTestBrain(Object.fromEntries(settled)).then((fresh) => expect(fresh.files).toEqual(settled));
      expect(files).toEqual(settled);
      for (const path of moved) {
        const text = files.get(path);
        const [, wing, hall] = path.split('/');
        if (text !== undefined) expect(parseNote(text).frontmatter).toMatchObject({ wing, hall });
      }
    }),
    { numRuns: 150 },
  );
});
