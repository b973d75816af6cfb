import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { openingOf } from '../../../src/core/frontmatter/block';
import { composeUpdate, openContent, replaceBody, setKeys } from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { splitNote } from '../../../src/core/frontmatter/split';
import { oneLine } from '../../../src/core/frontmatter/yaml';
import { bodies, contents, otherReaders, RUNS, text } from './arbitraries';

describe('updating', () => {
  it('keeps the foreign bytes that the caller does not name, and the body of the call', () => {
    const set = {
      updated_at: '2026-11-21T00:00:00Z',
      supersedes: 'e1',
      supersede_reason: 'x: y',
      origin: 'http',
      written_by: 'me',
    };
    fc.assert(
      fc.property(contents, contents, bodies, (current, given, body) => {
        let result: string;
        let opened;
        try {
          opened = openContent(given.content);
          result = composeUpdate(current.content, opened, body, { set, envelope: {} }).text;
        } catch (error) {
          if (error instanceof BrainError) return;
          throw error;
        }
        const note = parseNote(result);
        expect(note).toMatchObject({ body, frontmatter: set });
        const { block = '' } = splitNote(result) ?? {};
        for (const { key, bytes } of current.entries) {
          if (Object.hasOwn(opened.frontmatter, key)) continue;
          expect(block).toContain(bytes.replace(/^(?:#.*\r?\n|\r?\n)+/, ''));
        }
        expect(composeUpdate(result, opened, body, { set, envelope: {} }).text).toBe(result);
      }),
      RUNS,
    );
  });
});

describe('setting keys', () => {
  const keys = fc.constantFrom(
    'wing',
    'hall',
    'promoted_at',
    'promoted_by',
    'rejected_at',
    'reject_reason',
    'tunnels',
    'sources',
  );
  const sets = fc.dictionary(keys, fc.oneof(text, fc.array(text, { maxLength: 3 })), {
    minKeys: 1,
    maxKeys: 4,
  });

  it('keeps the body, reads back with every reader, and changes nothing the second time', () => {
    fc.assert(
      fc.property(contents, sets, fc.array(keys, { maxLength: 2 }), ({ content }, set, removed) => {
        const remove = removed.filter((key) => !Object.hasOwn(set, key));
        let result: string;
        try {
          result = setKeys(content, set, remove).text;
        } catch (error) {
          if (error instanceof BrainError) return;
          throw error;
        }
        const note = parseNote(result);
        expect(note.body).toBe(parseNote(content).body);
        const expected = Object.fromEntries(
          Object.entries(set).map(([key, value]) => [
            key,
            typeof value === 'string' ? oneLine(value) : value.map(oneLine),
          ]),
        );
        for (const read of [note.frontmatter, ...otherReaders(result)]) {
          if (read !== null) expect(read).toMatchObject(expected);
        }
        for (const key of remove) expect(note.frontmatter).not.toHaveProperty(key);
        expect(setKeys(result, set, remove).text).toBe(result);
      }),
      RUNS,
    );
  });

  it('undoes what it did to a note without front matter', () => {
    fc.assert(
      fc.property(bodies, sets, (body, set) => {
        const plain = replaceBody('', body);
        const back = setKeys(setKeys(plain, set).text, {}, Object.keys(set)).text;
        expect(parseNote(back).body).toBe(body);
        if (splitNote(plain) === null) expect(back).toBe(plain);
      }),
      RUNS,
    );
  });
});

describe('replacing the body', () => {
  it('keeps the front matter byte for byte and sets exactly that body', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          contents.map(({ content }) => content),
          bodies,
        ),
        bodies,
        (note, body) => {
          const result = replaceBody(note, body);
          expect(parseNote(result).body).toBe(body);
          const before = openingOf(note);
          if (before.kind !== 'front matter') return;
          expect(splitNote(result)).toMatchObject({ open: before.split.open, block: before.split.block });
        },
      ),
      RUNS,
    );
  });
});
