import { asking } from './asking';

const EMPTY = { query: 'fan', mode: 'bm25', degraded: false, count: 0, searched: 1200, results: [] };
const FOUND = {
  query: 'fan',
  mode: 'bm25',
  degraded: false,
  count: 1,
  results: [
    {
      path: 'wiki/a/facts/fan.md',
      title: 'Fan\u001b[31m',
      excerpt: 'It rattles.',
      score: 1,
      status: 'wiki',
      stale: true,
    },
  ],
};
const reading = (done: number) => ({ done, total: 10_000 });

describe('while the vault is being read', () => {
  const early = { ...EMPTY, reading: reading(1200) };

  it('a search without results says so, with the number of notes so far', async () => {
    const { out, err, asked } = await asking([early], ['query', 'fan']);
    expect(out).toBe(
      'No notes match. 1200 notes were searched.\nstill reading: 1200 of 10000 notes so far; others may be found later.\n',
    );
    expect([err, asked]).toEqual(['', 1]);
  });

  it('a search with results says that others may be found later', async () => {
    const { out } = await asking([{ ...FOUND, reading: reading(5000) }], ['query', 'fan'], { tty: false });
    expect(out).toMatch(/\nstill reading: 5000 of 10000 notes so far/);
  });

  it('a terminal shows the progress and waits for the first result', async () => {
    const answers = [early, { ...early, reading: reading(6000) }, FOUND];
    const { out, err, asked } = await asking(answers, ['query', 'fan', '--no-color'], { tty: true });
    expect(out).toMatch(/^1\. Fan\[31m\n {3}wiki\/a\/facts\/fan\.md\n/);
    const drawn = err.replaceAll('\u001b[K', '$').split('\r');
    expect(drawn).toEqual([
      '',
      expect.stringMatching(/^reading the vault \[#+ +\] 1200\/10000\$$/),
      expect.stringMatching(/^reading the vault \[#+ +\] 6000\/10000\$$/),
      '$',
    ]);
    expect(asked).toBe(3);
  });

  it('a program gets the answer at once, as it is', async () => {
    const { out, asked } = await asking([early], ['query', 'fan', '--json'], { tty: true });
    expect([JSON.parse(out), asked]).toEqual([early, 1]);
  });

  it('the review queue and lists say so too', async () => {
    const queue = { count: 0, total: 0, pending: [], reading: reading(10) };
    expect((await asking([queue], ['pending'])).out).toMatch(
      /^Nothing awaits review\.\nstill reading: 10 of /,
    );
    const list = { count: 0, total: 0, notes: [], reading: reading(10) };
    expect((await asking([list], ['list', '--recent'])).out).toMatch(/\nstill reading: 10 of /);
  });
});

it('prints the warnings of an answer', async () => {
  const { out } = await asking([{ ...FOUND, warnings: ['No wing "fans".'] }], ['query', 'fan']);
  expect(out).toMatch(/\nwarning: No wing "fans"\.\n$/);
});

describe('colours', () => {
  const BOLD = '1. \u001b[1mFan[31m\u001b[22m\n';
  it.each<[string, boolean, Record<string, string>, string[], boolean]>([
    ['on a terminal', true, {}, [], true],
    ['not in a pipe', false, {}, [], false],
    ['not with NO_COLOR', true, { NO_COLOR: '1' }, [], false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, [], true],
    ['not with --no-color', true, {}, ['--no-color'], false],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, [], false],
    ['in a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, [], true],
    ['not with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, [], false],
    ['not with --no-color, whatever FORCE_COLOR says', true, { FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('are there %s', async (_, tty, env, flags, expected) => {
    const { out } = await asking([FOUND], ['query', 'fan', ...flags], { tty, env });
    expect(out.startsWith(BOLD)).toBe(expected);
    expect(out.includes('\u001b')).toBe(expected);
    // What is a code in a note never reaches the terminal.
    expect(out).not.toContain('\u001b[31m');
  });

  it('are never in JSON', async () => {
    const { out } = await asking([FOUND], ['query', 'fan', '--json'], {
      tty: true,
      env: { FORCE_COLOR: '1' },
    });
    expect(JSON.parse(out)).toEqual(FOUND);
    expect(out).not.toContain('\u001b');
  });

  it('are in the name before a message on a terminal', async () => {
    const { err } = await asking([FOUND], ['list', '--limit', '3'], { tty: true });
    expect(err).toContain('\u001b[31mbrain:\u001b[39m ');
  });
});

it.each(['-v', '--version', '-V'])('%s prints the version', async (flag) => {
  const { code, out } = await asking([FOUND], [flag]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});
