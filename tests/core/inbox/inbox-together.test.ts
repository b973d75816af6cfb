import { type InboxWorld, inboxWorld } from '../../support/inbox-world';
import { modelPage } from '../../support/model-page';

const DAY = '2026-11-20';
/** Two looks two seconds apart, with some room. */
const STILL = 2500;

let world: InboxWorld;
afterEach(() => world.stop());
beforeEach(async () => {
  world = inboxWorld();
  await world.start('on');
});

/** The page that has these words: its path without extension, as links name it, and its text. */
function page(words: string): { link: string; text: string } {
  const found = [...world.vault.files].find(
    ([path, text]) => path.startsWith('raw/') && text.includes(words),
  );
  return { link: (found?.[0] ?? 'absent').replace(/\.md$/, ''), text: found?.[1] ?? '' };
}

function dropFolder(folder: string): void {
  world.drop(`${folder}/start.md`, '# Start\n\nFirst words. See [[Plan]] and [site](pages/site.html).\n');
  world.drop(`${folder}/sub/Plan.md`, '# The plan\n\nGoal words. Back to [start](../start.md#Start).\n');
  world.drop(`${folder}/pages/site.html`, 'Site words.\n\n[[Plan]]\n');
}

function expectLinked(): void {
  const [start, plan, site] = [page('First words'), page('Goal words'), page('Site words')];
  expect(start.text).toContain(`See [[${plan.link}|Plan]] and [[${site.link}|site]].`);
  expect(plan.text).toContain(`Back to [[${start.link}`);
  expect(site.text).toContain(`[[${plan.link}|`);
}

it.each(['inbox', 'inbox/Export'])(
  'keeps the links between files that are dropped together into %s',
  async (folder) => {
    dropFolder(folder);
    await world.pass(2 * STILL);
    expectLinked();
    expect(world.paths('inbox').map((path) => path.replace(`inbox/processed/${DAY}/`, ''))).toEqual([
      'Plan.md.txt',
      'site.html',
      'start.md.txt',
    ]);
  },
);

it('waits for the files of a folder that still come, but not for ever, and holds up no other file', async () => {
  dropFolder('inbox/Export');
  await world.pass(STILL - 1000);
  world.drop('inbox/Export/late.md', '# Late\n\nLate words, see [[start]].\n');
  world.drop('inbox/alone.md', '# Alone\n\nLone words.\n');
  await world.pass(1500);
  expect(page('First words').link).toBe('absent');
  await world.pass(2 * STILL);
  expectLinked();
  expect(page('Late words').text).toContain(`[[${page('First words').link}|`);
  expect(page('Lone words').link).not.toBe('absent');
  world.drop('inbox/Next/a.md', '# A\n\nPatient words.\n');
  for (let n = 0; n < 70; n += 1) {
    world.drop('inbox/Next/growing.md', `# G\n\n${'x'.repeat(n)}\n`);
    await world.pass(1000);
  }
  expect(page('Patient words').link).not.toBe('absent');
});

it('links files that come a little later to those that came before', async () => {
  dropFolder('inbox/Export');
  await world.pass(2 * STILL);
  world.drop('inbox/Export/more.md', '# More\n\nMore words, see [[sub/Plan]].\n');
  await world.pass(2 * STILL);
  expect(page('More words').text).toContain(`[[${page('Goal words').link}|`);
});

it('keeps an embedded image beside the original of the note, and leaves others where they are', async () => {
  world.drop('inbox/Export/img/pump 1.png', 'PNG of the pump');
  world.drop('inbox/Export/img/tap.png', 'PNG of the tap');
  world.drop('inbox/Export/img/unused.png', 'PNG of nothing');
  await world.pass(STILL);
  world.drop(
    'inbox/Export/notes/pump.md',
    '# Pump\n\nPump words.\n\n![[pump 1.png]] ![the tap](../img/tap.png) ![[missing.png]]\n',
  );
  await world.pass(2 * STILL);
  const { text } = page('Pump words');
  expect(text).toContain(`![[inbox/processed/${DAY}/pump 1.png]]`);
  expect(text).toContain(`inbox/processed/${DAY}/tap.png`);
  expect(world.vault.files.get(`inbox/processed/${DAY}/pump 1.png`)).toBe('PNG of the pump');
  expect(world.vault.files.get(`inbox/processed/${DAY}/tap.png`)).toBe('PNG of the tap');
  expect(world.paths('inbox/Export')).toEqual(['inbox/Export/img/unused.png']);
});

it('moves an embedded image after a cut that came before its turn', async () => {
  world.drop('inbox/Export/pump.png', 'PNG of the pump');
  await world.pass(STILL);
  const move = world.vault.move.bind(world.vault);
  const cut = jest.spyOn(world.vault, 'move').mockImplementation((from, to, noted) => {
    if (from.endsWith('.png')) return Promise.reject(new Error('cut'));
    return move(from, to, noted);
  });
  world.drop('inbox/Export/pump.md', '# Pump\n\nPump words.\n\n![[pump.png]]\n');
  await world.pass(2 * STILL);
  const to = `inbox/processed/${DAY}/pump.png`;
  expect(page('Pump words').text).toContain(`![[${to}]]`);
  expect(world.vault.files.has(to)).toBe(false);
  cut.mockRestore();
  await world.stop();
  await world.start('on');
  await world.pass(2 * STILL);
  expect(world.vault.files.get(to)).toBe('PNG of the pump');
  expect(world.paths('inbox/Export')).toEqual([]);
});

it('keeps a file that is linked and not embedded', async () => {
  world.drop('inbox/Export/plan.canvas', '{}');
  await world.pass(STILL);
  world.drop('inbox/Export/pump.md', '# Pump\n\nPump words, see [the plan](plan.canvas).\n');
  await world.pass(2 * STILL);
  expect(page('Pump words').text).toContain(`[[inbox/processed/${DAY}/plan.canvas|the plan]]`);
  expect(world.paths('inbox/Export')).toEqual([]);
});

it('moves the images of a folder that is dropped again beside the first ones', async () => {
  const drop = async () => {
    world.drop('inbox/Export/pump.png', 'PNG of the pump');
    world.drop('inbox/Export/unused.png', 'PNG of nothing');
    await world.pass(STILL);
    world.drop('inbox/Export/pump.md', '# Pump\n\nPump words.\n\n![[pump.png]]\n');
    await world.pass(2 * STILL);
  };
  await drop();
  expect(world.paths('inbox/Export')).toEqual(['inbox/Export/unused.png']);
  await drop();
  expect(world.paths('inbox/Export')).toEqual(['inbox/Export/unused.png']);
  expect(world.vault.files.get(`inbox/processed/${DAY}/pump-2.png`)).toBe('PNG of the pump');
  world.drop('inbox/Export/more.md', '# More\n\nMore words.\n\n![[pump.png]]\n');
  world.drop('inbox/Export/pump.png', 'PNG of the pump');
  await world.pass(STILL);
  await world.pass(2 * STILL);
  expect(page('More words').text).toContain(`![[inbox/processed/${DAY}/pump`);
});

it('reads a file that stays in the inbox once, until it changes', async () => {
  world.drop('inbox/film.mkv', 'Frames');
  for (const name of ['a', 'b', 'c']) world.drop(`inbox/Export/${name}.png`, `PNG ${name}`);
  await world.pass(2 * STILL);
  const reads = jest.spyOn(world.vault, 'readBytes');
  const ingestWith = async (name: string): Promise<number> => {
    reads.mockClear();
    world.drop(`inbox/Export/${name}.md`, `# Note ${name}\n\nWords of ${name}. ![[${name}.png]]\n`);
    await world.pass(2 * STILL);
    expect(page(`Words of ${name}`).text).toContain(`![[inbox/processed/${DAY}/${name}.png`);
    return reads.mock.calls.filter(([path]) => path === 'inbox/film.mkv').length;
  };
  expect(await ingestWith('a')).toBe(1);
  expect(await ingestWith('b')).toBe(0);
  world.drop('inbox/film.mkv', 'Other frames');
  await world.pass(2 * STILL);
  expect(await ingestWith('c')).toBe(1);
});

it('makes the pages of each file as soon as a model has read it', async () => {
  await world.stop();
  const before: number[] = [];
  world = inboxWorld(
    {},
    {
      name: 'test',
      async complete() {
        const pages = [...world.vault.files.keys()].filter((path) => /^raw\/[^/]+\.md$/.test(path));
        before.push(pages.length);
        return {
          text: JSON.stringify({ pages: [modelPage({ title: `Page ${before.length}` })] }),
          truncated: false,
        };
      },
    },
  );
  await world.start('on');
  for (const name of ['a', 'b', 'c'])
    world.drop(`inbox/${name}.md`, `# ${name}\n\nan MTU of 1380 bytes, ${name}\n`);
  await world.pass(4 * STILL);
  expect(before).toEqual([0, 1, 2]);
});

it('keeps the links between files when the disk fails while they are read together', async () => {
  const read = world.vault.readBytes.bind(world.vault);
  let failures = 0;
  jest.spyOn(world.vault, 'readBytes').mockImplementation((path, most) => {
    if (!path.endsWith('Plan.md') || (failures += 1) > 1) return read(path, most);
    return Promise.reject(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }));
  });
  dropFolder('inbox/Export');
  await world.pass(2 * STILL);
  expect(page('First words').link).toBe('absent');
  await world.pass(12_000);
  expectLinked();
});

it('takes what can be read when the disk goes on failing for one file of a folder', async () => {
  const read = world.vault.readBytes.bind(world.vault);
  jest.spyOn(world.vault, 'readBytes').mockImplementation((path, most) => {
    if (!path.endsWith('Plan.md')) return read(path, most);
    return Promise.reject(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }));
  });
  dropFolder('inbox/Export');
  for (let n = 0; n < 50; n += 1) await world.pass(10_000);
  expect(page('First words').link).not.toBe('absent');
});

it('reads a graph of Logseq that is dropped, and keeps its settings out of the queue', async () => {
  const id = '65a0b1c2-0000-4000-8000-00000000abcd';
  world.drop('inbox/My graph/journals/2024_01_05.md', `- Day words of [[a/b]], ((${id}))\n`);
  world.drop('inbox/My graph/pages/a___b.md', `- Page words\n  id:: ${id}\n`);
  world.drop('inbox/My graph/logseq/bak/pages/a___b/old.md', '- Old words\n');
  await world.pass(2 * STILL);
  const { link } = page('- Page words');
  expect(page('Day words').text).toContain(`[[${link}|a/b]], [[${link}#^${id}|Page words]]`);
  expect(page('Old words').link).toBe('absent');
  expect(world.vault.files.get(`inbox/processed/${DAY}/old.md.txt`)).toBe('- Old words\n');
  expect(world.paths('inbox/My graph')).toEqual([]);
});
