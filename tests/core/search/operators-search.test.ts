import fc from 'fast-check';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const NOTES: Record<string, string> = {
  'Net/HAProxy.md': '---\ntags: [net]\n---\nA load balancer for TCP.',
  'Net/IPVS.md': '---\ntags: [net/kernel]\n---\nIPVS is a load balancer in the kernel.',
  'Net/nginx.md': '---\nkind: server\n---\nA web server and load balancer.',
  'Home/Balance.md': '---\nkind: toy\n---\nA load of bricks.',
  'Odd/tag:net -kernel.md': 'A note with an odd name.',
};

async function ask(query: string, more: object = {}) {
  const { run } = await openTestBrain(NOTES);
  const { results, parsed } = await run(queryNotes, { query, ...more });
  return { paths: results.map(({ path }) => path), parsed };
}

describe('a search with operators', () => {
  it.each<[string, string[]]>([
    ['load balancer -IPVS', ['Home/Balance.md', 'Net/HAProxy.md', 'Net/nginx.md']],
    ['load balancer tag:net', ['Net/HAProxy.md', 'Net/IPVS.md']],
    ['load balancer tag:net/kernel', ['Net/IPVS.md']],
    ['load -tag:net', ['Home/Balance.md', 'Net/nginx.md']],
    ['load kind:toy', ['Home/Balance.md']],
    ['load path:net/ -kernel', ['Net/HAProxy.md', 'Net/nginx.md']],
    ['title:nginx', ['Net/nginx.md']],
    ['kind:server', ['Net/nginx.md']],
    ['-path:Net/ -tag:net', ['Home/Balance.md', 'Odd/tag:net -kernel.md']],
  ])('finds the notes that pass: %s', async (query, expected) => {
    const { paths, parsed } = await ask(query);
    expect(paths.toSorted()).toEqual(expected);
    expect(parsed).toBeDefined();
  });

  it.each<[string, string[]]>([
    ['nightly -backup', ['other.md']],
    ['nightly -backups', ['other.md']],
    ['nightly -haus', ['one.md', 'two.md', 'other.md']],
    ['nightly -off-site', ['one.md', 'two.md', 'other.md']],
  ])('leaves out every form of a word: %s', async (query, expected) => {
    const { run } = await openTestBrain({
      'one.md': 'The nightly backup runs.',
      'two.md': 'All nightly backups run.',
      'three.md': 'Das ist nicht von der Stadt: nightly Häuser, backups off-sites.',
      'other.md': 'Nothing nightly.',
    });
    const { results } = await run(queryNotes, { query });
    expect(results.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  });

  it('says what it understood', async () => {
    expect((await ask('load balancer tag:net -IPVS')).parsed).toEqual({
      words: 'load balancer',
      filters: [{ key: 'tag', value: 'net', not: false }],
      without: ['IPVS'],
    });
  });

  it('is asked again as plain words where nothing passes, and says nothing then', async () => {
    const { paths, parsed } = await ask('bricks tag:nowhere');
    expect(paths).toContain('Home/Balance.md');
    expect(parsed).toBeUndefined();
  });

  it.each(['load balancer', 'load:balancer', 'http://load/balancer'])(
    'is one of plain words without an operator: %s',
    async (query) => {
      const { paths, parsed } = await ask(query);
      expect(parsed).toBeUndefined();
      expect(paths.length).toBeGreaterThan(1);
    },
  );

  it('is the search for a note whose name it is', async () => {
    const { paths, parsed } = await ask('tag:net -kernel');
    expect(paths[0]).toBe('Odd/tag:net -kernel.md');
    expect(parsed).toBeUndefined();
  });

  it('fills the limit with notes that pass', async () => {
    expect((await ask('load balancer -IPVS', { limit: 2 })).paths).toHaveLength(2);
  });

  it('agrees with looking at every note', async () => {
    const words = ['kettle', 'router', 'garden'];
    const tags = ['home', 'net', 'net/lan'];
    const some = fc.record({
      word: fc.subarray(words),
      tag: fc.subarray(tags),
      color: fc.constantFrom(null, 'red', 'blue'),
    });
    const asked = fc.record({
      tag: fc.option(fc.tuple(fc.constantFrom(...tags), fc.boolean())),
      color: fc.option(fc.tuple(fc.constantFrom('red', 'blue'), fc.boolean())),
      without: fc.option(fc.constantFrom(...words)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 8 }), asked, async (notes, wanted) => {
        const files = notes.map(({ word, tag, color }, n): [string, string] => [
          `N/n${n}.md`,
          `---\ntags: [${tag.join(', ')}]\n${color === null ? '' : `color: ${color}\n`}---\ncommon ${word.join(' ')}`,
        ]);
        const { run } = await openTestBrain(Object.fromEntries(files));
        const minus = (not: boolean) => (not ? '-' : '');
        const query = [
          'common',
          wanted.tag && `${minus(wanted.tag[1])}tag:${wanted.tag[0]}`,
          wanted.color && `${minus(wanted.color[1])}color:${wanted.color[0]}`,
          wanted.without && `-${wanted.without}`,
        ]
          .filter(Boolean)
          .join(' ');
        const isColorKnown = notes.some(({ color }) => color !== null);
        const passing = notes.flatMap(({ word, tag, color }, n) => {
          const hasTag = tag.some((each) => `${each}/`.startsWith(`${wanted.tag?.[0] ?? ''}/`));
          const fits =
            (wanted.tag === null || hasTag !== wanted.tag[1]) &&
            (wanted.color === null || !isColorKnown || (color === wanted.color[0]) !== wanted.color[1]) &&
            (wanted.without === null || !word.includes(wanted.without));
          return fits ? [`N/n${n}.md`] : [];
        });
        const { results, parsed } = await run(queryNotes, { query, limit: 50 });
        if (parsed !== undefined) expect(results.map(({ path }) => path).sort()).toEqual(passing);
        else if (wanted.tag !== null || wanted.without !== null) expect(passing).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
