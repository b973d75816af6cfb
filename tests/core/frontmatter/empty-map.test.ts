import fc from 'fast-check';
import { composeUpdate, openContent, setKeys } from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { adoptNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { openTestBrain, person } from '../../support/test-brain';

const EMPTY = [
  '---\n{}\n---\n',
  '---\n{ }\n---\n',
  '---\r\n{}\r\n---\r\n',
  '---\n# mine\n{}\n\n---\n',
  '---\n---\n',
];

describe.each(EMPTY)('a block without properties: %j', (block) => {
  it('is read as one', () => {
    expect(parseNote(`${block}Text\n`)).toMatchObject({ body: 'Text\n', problem: null });
    expect(Object.keys(parseNote(`${block}Text\n`).frontmatter)).toEqual([]);
  });

  it('takes keys, and is given back byte for byte', async () => {
    const text = `${block}Text\n`;
    expect(parseNote(setKeys(text, { wing: 'net' }).text)).toMatchObject({
      frontmatter: { wing: 'net' },
      body: 'Text\n',
      problem: null,
    });
    const { run, files } = await openTestBrain({ 'Own/plan.md': text });
    const { path } = await run(adoptNote, { path: 'Own/plan.md', wing: 'net', hall: 'facts' }, person);
    expect(parseNote(files.get(path) ?? '')).toMatchObject({ frontmatter: { wing: 'net' }, problem: null });
    await run(unpromoteNote, { path }, person);
    expect(files.get('Own/plan.md')).toBe(text);
  });

  it('is replaced by the properties of an update', () => {
    const opened = openContent('---\ntags: [a]\n---\nNew\n');
    const { text } = composeUpdate(`${block}Text\n`, opened, 'New\n', { set: {}, envelope: {} });
    expect(parseNote(text)).toMatchObject({ frontmatter: { tags: ['a'] }, body: 'New\n', problem: null });
  });
});

it('is no empty map beside keys: the line is told as a mistake, and the keys are read', () => {
  fc.assert(
    fc.property(fc.constantFrom('{}\na: 1\n', 'a: 1\n{}\n'), (block) => {
      expect(parseNote(`---\n${block}---\nText\n`).problem).not.toBeNull();
    }),
  );
});
