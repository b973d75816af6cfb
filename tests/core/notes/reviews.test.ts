import * as fc from 'fast-check';
import { answerNotes } from '../../../src/core/answer/operation';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { confirmNote } from '../../../src/core/review/confirm';
import { moveNote } from '../../../src/core/review/move';
import { promoteNote } from '../../../src/core/review/promote';
import { queryNotes } from '../../../src/core/search/query';
import { undoWriter } from '../../../src/core/undo/undo';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { agent, NOW, openTestBrain, person } from '../../support/test-brain';

const RAW = { 'raw/quokka.md': 'The quokka budget is 4711 euro.\n' };
const PLACE = { path: 'raw/quokka.md', wing: 'zoo', hall: 'facts' };
const AT = vaultPath('wiki/zoo/facts/quokka.md');
const BY_ME = { reviewed: { by: 'human:me', at: NOW } };
const REWRITTEN = { reviewed: null, changed_since_review: true };
const EDITED = { reviewed: null, edited_since: true };

/** A vault in which a person has promoted a note; time stands still unless it is told. */
async function promoted() {
  const world = await openTestBrain(RAW);
  const { run, vault, brain } = world;
  await run(promoteNote, PLACE, person);
  const reviewIn = (one: object | undefined) =>
    Object.fromEntries(
      ['reviewed', 'edited_since', 'changed_since_review'].flatMap((key) => {
        const value: unknown = one === undefined ? undefined : Reflect.get(one, key);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  return {
    ...world,
    update: (text: string, by = agent) =>
      run(updateNote, { path: AT, content: `The quokka budget is ${text} euro.\n`, reason: 'more' }, by),
    async byHand(change: (text: string) => string): Promise<void> {
      await vault.edit(AT, change);
      await brain.refresh();
    },
    review: async (path: string = AT) => reviewIn(await run(getNote, { path })),
    /** What is said wherever the note is read. */
    async everywhere() {
      const [result] = (await run(queryNotes, { query: 'quokka budget' })).results;
      const { citations } = await run(answerNotes, { query: 'What is the quokka budget?' });
      return [await run(getNote, { path: AT }), result, citations[0]].map(reviewIn);
    },
  };
}

it('is told wherever a note is read, also when it is rewritten in the second of its review', async () => {
  const { everywhere, update } = await promoted();
  expect(await everywhere()).toEqual([BY_ME, BY_ME, BY_ME]);
  await update('9');
  expect(await everywhere()).toEqual([REWRITTEN, REWRITTEN, REWRITTEN]);
});

it('leaves a text that was rewritten in that second in the wiki when its promotion is undone', async () => {
  const { run, update, clock } = await promoted();
  await update('9', { ...agent, name: 'other' });
  clock.advance(1000);
  const { items, left } = await run(undoWriter, { by: 'human:me', since: '1h', dry_run: true });
  expect(items).toEqual([]);
  expect(left).toMatchObject([{ path: AT, reason: 'changed_since' }]);
});

it('is that of a person who wrote the text on a screen', async () => {
  const { update, review } = await promoted();
  await update('9');
  await update('10', { ...person, name: 'ann' });
  expect(await review()).toEqual({ reviewed: { by: 'human:ann', at: NOW } });
});

it.each([
  ['LF made CRLF', (text: string) => text.replaceAll('\n', '\r\n'), BY_ME],
  ['a byte order mark', (text: string) => `\uFEFF${text}`, BY_ME],
  ['another word', (text: string) => text.replace('quokka', 'wombat'), EDITED],
])('after %s', async (_, change, expected) => {
  const { byHand, review } = await promoted();
  await byHand(change);
  expect(await review()).toEqual(expected);
});

it('stays when links in the note follow another one, and when the note is moved or confirmed', async () => {
  const { run, review, brain, vault } = await promoted();
  await vault.create(vaultPath('raw/wombat.md'), 'A wombat digs, says [[wiki/zoo/facts/quokka]].\n');
  await brain.refresh();
  await run(promoteNote, { path: 'raw/wombat.md', wing: 'zoo', hall: 'facts' }, person);
  const { path } = await run(moveNote, { path: AT, slug: 'quokkas' }, person);
  expect(await vault.read(vaultPath('wiki/zoo/facts/wombat.md'))).toContain('quokkas');
  expect(await review(path)).toEqual(BY_ME);
  expect(await review('wiki/zoo/facts/wombat.md')).toEqual(BY_ME);
  await run(confirmNote, { path }, person);
  expect(await review(path)).toEqual(BY_ME);
});

it('follows from the stamps where no change of the note is known', async () => {
  const { review, update, clock, state, brain } = await promoted();
  const forget = () => {
    for (const path of [...state.files.keys()]) if (path.startsWith('past/')) state.files.delete(path);
    return brain.past.read();
  };
  await forget();
  expect(await review()).toEqual(BY_ME);
  clock.advance(60_000);
  await update('9');
  await forget();
  expect(await review()).toEqual(REWRITTEN);
});

it('is that of the last who had the text in view, whatever happens to the note', async () => {
  const act = fc.constantFrom('agent', 'me', 'ann', 'hand', 'confirm', 'wait');
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 7 }), async (acts) => {
      const { run, update, byHand, review, clock } = await promoted();
      let expected: object = BY_ME;
      let number = 0;
      for (const each of acts) {
        number += 1;
        if (each === 'wait') clock.advance(90_000);
        else if (each === 'confirm') await run(confirmNote, { path: AT }, person);
        else if (each === 'hand') {
          await byHand((text) => `${text}Line ${number}.\n`);
          expected = { ...expected, reviewed: null, edited_since: true };
        } else if (each === 'agent') {
          await update(`${number}`);
          expected = REWRITTEN;
        } else {
          await update(`${number}`, { ...person, name: each });
          const at = clock.now().toISOString().replace('.000Z', 'Z');
          expected = { reviewed: { by: `human:${each}`, at } };
        }
        if (each === 'confirm' && 'edited_since' in expected) return; // The confirmation of a hand's text is a later stamp.
        expect(await review()).toEqual(expected);
      }
    }),
    { numRuns: 60 },
  );
});
