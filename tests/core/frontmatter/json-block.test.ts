import * as fc from 'fast-check';
import { readBlock } from '../../../src/core/frontmatter/block';
import { composeUpdate, openContent, setKeys, withKeysOf } from '../../../src/core/frontmatter/compose';
import { isLocked } from '../../../src/core/frontmatter/note-lock';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { splitNote } from '../../../src/core/frontmatter/split';
import { retargetProperties } from '../../../src/core/links/properties';
import { getNote } from '../../../src/core/notes/get';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { openTestBrain, person } from '../../support/test-brain';

const note = (block: string): string => `---\n${block}\n---\nText\n`;
const SET = { wing: 'net', tunnels: ['[[wiki/net/facts/a|A]]'] };

describe('a block of JSON', () => {
  it.each([
    [
      'a scalar as its source',
      '{ "a": 1.0, "b": true, "c": null, "d": "x" }',
      { a: '1.0', b: 'true', c: null, d: 'x' },
    ],
    ['lists and maps', '{"a": ["x", 2], "b": {"c": "d"}}', { a: ['x', '2'], b: { c: 'd' } }],
    ['escapes', '{"a": "x\\"y\\\\", "\\u0062": "\\/\\u00e9\\ud83d\\ude00\\n"}', { a: 'x"y\\', b: '/é😀\n' }],
    ['lines and tabs', '{\n\t"a":\n\t\t["x",\n\t"y"\n\t]\t,\n"b"\t: 2}', { a: ['x', 'y'], b: '2' }],
    [
      'signs in texts',
      '{"a": "}, \\"b\\": 1", "c": "# no: comment"}',
      { a: '}, "b": 1', c: '# no: comment' },
    ],
    ['nothing over several lines', '{\n}', {}],
  ])('is read: %s', (_, block, values) => {
    const { frontmatter, body, problem } = parseNote(note(block));
    expect({ frontmatter, body, problem }).toEqual({ frontmatter: values, body: 'Text\n', problem: null });
  });

  it.each([
    [
      'a key that stands twice',
      '{ "a": 1,\n"\\u0061": 2 }',
      'line 3 of the note: its key stands above already',
    ],
    ['a comma too much', '{ "a": 1, }', 'one object of JSON'],
    ['what follows it', '{ "a": 1 }\nb: 2', 'one object of JSON'],
  ])('is none with %s', (_, block, problem) => {
    expect(parseNote(note(block)).problem).toMatch(problem);
  });

  it.each([
    ['{ "a": 1 }', '{ "a": 1, "wing": "net" }'],
    ['{"a": 1,"b": 2}', '{"a": 1,"b": 2,"wing": "net"}'],
    [
      '{\n  "a": 1,\n  "b": {\n    "c": 1\n  }\n}\n',
      '{\n  "a": 1,\n  "b": {\n    "c": 1\n  },\n  "wing": "net"\n}\n',
    ],
    ['{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"wing": "net"\r\n}'],
    ['{ "wing" : "x", "a": 1 }', '{ "wing": "net", "a": 1 }'],
    ['{\n}', '{"wing": "net"\n}'],
  ])('takes a key where it belongs: %j', (block, becomes) => {
    expect(setKeys(note(block), { wing: 'net' }).text).toBe(note(becomes));
  });

  it('gives a key back, and the bytes around it', () => {
    expect(setKeys(note('{ "a": 1, "b": 2 ,\n"c": 3 }'), {}, ['b']).text).toBe(note('{ "a": 1,\n"c": 3 }'));
    expect(setKeys(note('{ "a": 1, "b": 2 }'), {}, ['b']).text).toBe(note('{ "a": 1 }'));
    expect(setKeys(note('{ "a": 1 }'), {}, ['a']).text).toBe(note('{ }'));
  });

  it('takes properties of YAML, and gives its own to YAML', () => {
    const yaml = '---\nnum: 5\ndate: 2026-01-02\ntags: [a, "b"]\nlong: |\n  one\n  two\nnone:\n---\nNew\n';
    const json = note('{ "a": 1 }');
    const opened = openContent(yaml);
    expect(composeUpdate(json, opened, 'New\n', { set: {}, envelope: {} }).text).toBe(
      '---\n{ "a": 1, "num": 5, "date": "2026-01-02", "tags": ["a", "b"], "long": "one\\ntwo\\n", "none": null }\n---\nNew\n',
    );
    const back = openContent('---\n{\n"tags": [\n"a",\n"b"\n], "num":6 }\n---\nNew\n');
    expect(composeUpdate('---\nnum: 5\n---\nx', back, 'New\n', { set: {}, envelope: {} }).text).toBe(
      '---\nnum: 6\ntags: [ "a", "b" ]\n---\nNew\n',
    );
    expect(withKeysOf('---\na: 2\n---\nx', json, ['a'])).toBe('---\na: 1\n---\nx');
    expect(withKeysOf(json, '---\na: two words\n---\nx', ['a'])).toBe(note('{ "a": "two words" }'));
  });

  it('is joined with a block of the service below or above it', () => {
    const stamps = 'wing: net\nhall: facts\n';
    expect(openContent(`---\n{ "a": 1 }\n---\n---\n${stamps}---\nx`)).toMatchObject({
      frontmatter: { a: '1', wing: 'net', hall: 'facts' },
      body: 'x',
    });
    expect(
      openContent(`---\n${stamps}---\n---\n{ "a": 1, "wing": "x", "origin": "y" }\n---\nx`),
    ).toMatchObject({
      frontmatter: { a: '1', wing: 'net', origin: 'y' },
      body: 'x',
    });
  });

  it('locks a note, also where it cannot be read', () => {
    expect(isLocked(note('{ "a": 1, "locked": true }'))).toBe(true);
    expect(isLocked(note('{ "a": 1,\n  "locked": true,\n}'))).toBe(true);
    expect(isLocked(note('{ "a": 1,\n  "locked": "yes",\n}'))).toBe(true);
    expect(isLocked(note('{ "a": 1,\n  "locked": 1\n'))).toBe(true);
    expect(isLocked(note('{ "a": 1,\n  "locked": 10,\n}'))).toBe(false);
    expect(isLocked(note('{ "a": 1,\n  "locked": false,\n}'))).toBe(false);
  });

  it('has its links changed in place', () => {
    const text = note('{\n  "up": "[[Own/Plan|P\\u00e9]]", "n": 1\n}');
    const target = 'wiki/net/facts/plan';
    expect(retargetProperties(text, () => ({ target }))).toBe(text.replace('Own/Plan', target));
  });

  it('is promoted, adopted and given back byte for byte', async () => {
    const text = '---\n{\n  "tags": ["a"],\n  "publish": true\n}\n---\n# Plan\n';
    const { run, files } = await openTestBrain({ 'Own/plan.md': text, 'raw/plan.md': text });
    const made = await run(
      promoteNote,
      { path: 'raw/plan.md', wing: 'net', hall: 'facts', slug: 'one' },
      person,
    );
    expect((await run(getNote, { path: made.path })).frontmatter).toMatchObject({ tags: ['a'], wing: 'net' });
    const { path } = await run(adoptNote, { path: 'Own/plan.md', wing: 'net', hall: 'facts' }, person);
    expect(files.get(path)).toMatch(
      /^---\n\{\n {2}"tags": \["a"\],\n {2}"publish": true,\n {2}"wing": "net",\n/,
    );
    await run(unpromoteNote, { path }, person);
    expect(files.get('Own/plan.md')).toBe(text);
  });
});

/** Objects as programs write them, with each kind of white space between the signs. */
const objects = fc
  .tuple(
    fc.dictionary(fc.stringMatching(/^[a-z_-]{1,5}$/), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }),
    fc.constantFrom(undefined, 1, 2, 4, '  '),
  )
  .map(([value, indent]) => ({ value, block: JSON.stringify(value, null, indent) }))
  .filter(({ block }) => block !== '{}');

it('has keys set and taken away again with every byte in its place', () => {
  fc.assert(
    fc.property(objects, ({ block }) => {
      const text = note(block);
      const read = readBlock(`${block}\n`);
      const value = JSON.parse(block) as object;
      fc.pre(!('reason' in read) && Object.keys(SET).every((key) => !Object.hasOwn(value, key)));
      const set = setKeys(text, SET).text;
      const { frontmatter, body } = parseNote(set);
      expect(frontmatter).toEqual({ ...parseNote(text).frontmatter, ...SET });
      expect(body).toBe('Text\n');
      expect(JSON.parse(splitNote(set)?.block ?? '')).toEqual({ ...value, ...SET });
      expect(setKeys(set, {}, Object.keys(SET)).text).toBe(text);
    }),
  );
});

it('is read as another reader of JSON reads it', () => {
  const words = (part: unknown): unknown => {
    if (part === null || typeof part === 'string') return part;
    if (typeof part !== 'object') return JSON.stringify(part);
    if (Array.isArray(part)) return part.map(words);
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, words(each)]));
  };
  let count = 0;
  fc.assert(
    fc.property(objects, ({ value, block }) => {
      const { frontmatter, problem } = parseNote(note(block));
      if (problem !== null) return;
      count += 1;
      expect({ ...frontmatter }).toEqual(words(JSON.parse(JSON.stringify(value))));
    }),
  );
  expect(count).toBeGreaterThan(10);
});
