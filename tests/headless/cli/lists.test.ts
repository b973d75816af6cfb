import { asking } from './asking';

const EMPTY = {
  ...{ count: 0, total: 0, notes: [], pending: [], decisions: [], wings: [], rules: [], undos: [] },
  ...{ query: 'x', mode: 'bm25', degraded: false, searched: 0, results: [] },
};

it.each([
  [['decisions'], 'Nothing was decided yet.'],
  [['decisions', '--offset', '5'], 'Nothing was decided yet.'],
  [['decisions', '--kind', 'moved'], 'There are no such decisions.'],
  [['pending'], 'Nothing awaits review.'],
  [['pending', '--offset', '5'], 'Nothing awaits review.'],
  [['list', 'net'], 'There are no such notes.'],
  [['list', '--stale', '--offset', '5'], 'There are no such notes.'],
  [['list'], 'There are no wings yet. Notes outside of wings are listed by: brain list --recent'],
  [['index'], 'There are no wings yet.'],
  [['rules'], 'There are no rules: every note of the queue waits for a person.'],
  [['undo', 'list'], 'Nothing was undone yet.'],
  [['query', 'x'], 'No notes match: there are none to search.'],
])('says of nothing in one sentence that there is nothing: brain %j', async (args, expected) => {
  const { out, code } = await asking([EMPTY], args);
  expect([code, out]).toEqual([0, `${expected}\n`]);
});

it.each([
  ['decisions', 'decision'],
  ['pending', 'note'],
  ['list', 'note'],
])('says that the offset of brain %s lies behind the last %s', async (name, noun) => {
  const args = name === 'list' ? ['list', '--recent'] : [name];
  const at = async (total: number) =>
    (await asking([{ ...EMPTY, total }], [...args, '--offset', '7'])).out.split('\n').at(-2);
  expect(await at(1)).toBe(`There is 1 ${noun}, all before --offset 7.`);
  expect(await at(5)).toBe(`There are 5 ${noun}s, all before --offset 7.`);
});
