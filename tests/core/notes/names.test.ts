import { editNote } from '../../../src/core/notes/edit';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { promoteNote } from '../../../src/core/review/promote';
import { agent, callerWith, openTestBrain } from '../../support/test-brain';

const MTU = 'wiki/net/facts/mtu.md';
const FILES = {
  [MTU]: '---\naliases: [tunnel size]\n---\n# The MTU of the tunnel\n\n1420.\n',
  'wiki/net/facts/dns.md': '# DNS\n\nUnbound.\n',
  'wiki/home/facts/dns.md': '# Names\n\nPi-hole.\n',
  'raw/2026-11-20-fan.md': '# Fan\n\nLoud.\n',
  'AGENTS.md': '# Guide\n\nBe brief.\n',
};

/** The names that a read takes. */
const NAMES = [
  'mtu',
  'The MTU of the tunnel',
  'tunnel size',
  'facts/mtu',
  '[[mtu]]',
  MTU,
  `brain://note/${MTU}`,
];

it.each(NAMES)('a change of the text takes what a read takes: %j', async (path) => {
  const { run } = await openTestBrain(FILES);
  expect(await run(getNote, { path })).toMatchObject({ path: MTU });
  expect(await run(editNote, { path, append: 'Measured.' })).toMatchObject({ path: MTU });
  expect(
    await run(updateNote, { path, content: '# The MTU of the tunnel\n\n1412.', reason: 'r' }),
  ).toMatchObject({
    path: MTU,
  });
});

it('a name of two notes changes neither, and names both', async () => {
  const { refusal } = await openTestBrain(FILES);
  const candidates = [{ path: 'wiki/net/facts/dns.md' }, { path: 'wiki/home/facts/dns.md' }];
  for (const ask of [
    refusal(updateNote, { path: 'dns', content: 'x', reason: 'r' }),
    refusal(editNote, { path: 'dns', append: 'x' }),
  ])
    expect(await ask).toMatchObject({
      code: 'ambiguous',
      details: {
        candidates: expect.arrayContaining(candidates.map((each) => expect.objectContaining(each))),
      },
    });
});

it('a name of no note changes nothing, and the nearest are named', async () => {
  const { refusal } = await openTestBrain(FILES);
  expect(await refusal(updateNote, { path: 'The MTU of a tunnel', content: 'x', reason: 'r' })).toMatchObject(
    {
      code: 'note_not_found',
      message: expect.stringContaining(MTU),
    },
  );
});

it('a token without read finds no note by its title', async () => {
  const { refusal } = await openTestBrain(FILES);
  const blind = callerWith(['write'], 'writer');
  const titled = await refusal(
    updateNote,
    { path: 'The MTU of the tunnel', content: 'x', reason: 'r' },
    blind,
  );
  const none = await refusal(updateNote, { path: 'The XYZ of the tunnel', content: 'x', reason: 'r' }, blind);
  expect(titled.code).toBe(none.code);
  expect(JSON.stringify(titled)).not.toContain(MTU);
});

it('the URIs of resources are paths', async () => {
  const { run } = await openTestBrain(FILES);
  expect(await run(getNote, { path: 'brain://root' })).toMatchObject({ path: 'AGENTS.md' });
  const uri = 'brain://note/raw/2026-11-20-fan.md';
  const target = { wing: 'net', hall: 'facts', slug: 'fan' };
  expect(await run(promoteNote, { path: uri, ...target }, agent)).toMatchObject({
    from: 'raw/2026-11-20-fan.md',
  });
  expect(await run(getNote, { path: 'brain://wing/net/index' })).toMatchObject({
    path: 'wiki/net/_index.md',
  });
  expect(await run(getNote, { path: 'brain://note/wiki/net/facts/f%61n.md' })).toMatchObject({
    path: 'wiki/net/facts/fan.md',
  });
});
