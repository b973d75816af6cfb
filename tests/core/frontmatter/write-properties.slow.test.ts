import * as fc from 'fast-check';
import type { WriteValues } from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { splitNote } from '../../../src/core/frontmatter/split';
import { oneLine } from '../../../src/core/frontmatter/yaml';
import { contents, isStacked, otherReaders, RUNS, text, values, write } from './arbitraries';

describe('writing', () => {
  it('gives one block, keeps every foreign byte in its order, and keeps the body', () => {
    let [drawn, written] = [0, 0];
    fc.assert(
      fc.property(contents, values, ({ entries, content }, given) => {
        drawn += 1;
        const result = write(content, given);
        if (result === null) return;
        written += 1;
        const { block = '', body } = splitNote(result.text) ?? {};
        expect(body).toBe(result.body);
        expect(parseNote(result.text)).toMatchObject({ body: result.body, problem: null });
        let at = 0;
        const said = parseNote(content).frontmatter;
        const lost = entries.filter(({ key, bytes }) => {
          // A key without a value is where the call's own value goes.
          if (said[key] === null && Object.hasOwn(given.frontmatter ?? {}, key)) return false;
          // A comment above the very first key of a block belongs to the block: it stays first.
          const own = bytes.replace(/^(?:#.*\r?\n|\r?\n)+/, '');
          const found = block.indexOf(own, at);
          if (found !== -1) at = found + own.length;
          return found === -1;
        });
        expect(lost).toEqual([]);
        const comments: string[] = content.match(/^#.*$/gm) ?? [];
        expect(comments.filter((comment) => !result.text.includes(comment))).toEqual([]);
      }),
      RUNS,
    );
    expect(written).toBeGreaterThan(drawn / 3);
  });

  it('never leaves a second block with keys of the service right below the first', () => {
    fc.assert(
      fc.property(contents, contents, values, (first, second, given) => {
        const result = write(first.content + second.content, given);
        if (result !== null) expect(isStacked(result.text)).toBe(false);
      }),
      RUNS,
    );
  });

  it('gives its own result again for its own result', () => {
    fc.assert(
      fc.property(contents, values, ({ content }, given) => {
        const once = write(content, given);
        if (once !== null) expect(write(once.text, given)).toEqual(once);
      }),
      RUNS,
    );
  });

  it('sets values that every reader reads back', () => {
    fc.assert(
      fc.property(contents, values, ({ content }, given) => {
        const result = write(content, given);
        if (result === null) return;
        const expected: Record<string, string> = {
          ...(given.address?.wing !== undefined && { wing: oneLine(given.address.wing) }),
          ...(given.address?.hall !== undefined && { hall: given.address.hall }),
          created_at: given.created_at,
          origin: given.origin,
          written_by: oneLine(given.written_by),
        };
        for (const read of [parseNote(result.text).frontmatter, ...otherReaders(result.text)]) {
          if (read !== null) expect(read).toMatchObject(expected);
        }
      }),
      RUNS,
    );
  });

  it('leaves nothing in which another reader finds other values for the keys of the service', () => {
    const trick = fc.constantFrom(
      ...[
        'wing: evil',
        '  wing: evil',
        '\twing: evil',
        '"wing": evil',
        "'wi''ng': x",
        'half_life: eternal',
        '- wing: evil',
      ],
      ...[
        'a: "x',
        "a: 'x",
        'wing: evil"',
        "wing: evil'",
        'a: [',
        'a: {',
        'wing: evil]',
        'wing: evil, b: {',
        '"',
        ']',
        '}',
      ],
      ...[
        'a: |',
        'a: >-',
        'a: !t',
        'a: &x',
        'a: *x',
        'a: &x wing: evil',
        '? wing',
        ': x',
        'a: b: c',
        'b: @x',
        'a:',
        '- x',
        '...',
      ],
      ...[
        'a: "\\',
        'a: "x" #"',
        'a: x"',
        'a: it\'s "',
        'a: [x] y',
        'a: {{x}}: "',
        'a: "\'"',
        "a: '\"'",
        'a: [ # ]',
        'a: "]"',
        '# c',
        '',
      ],
      ...[
        'a: x\u2028wing: evil',
        'a: x\u0085wing: evil',
        '\u00A0wing: evil',
        '\uFEFFwing: evil',
        '<<: {wing: evil}',
        'a: "" wing: evil',
      ],
    );
    const stamp: WriteValues = {
      address: { wing: 'homelab', hall: 'sources' },
      created_at: '2026-11-20T10:32:00Z',
      origin: 'mcp',
      written_by: 'me',
      options: {},
    };
    let [drawn, read] = [0, 0];
    fc.assert(
      fc.property(fc.array(trick, { minLength: 1, maxLength: 6 }), (lines) => {
        drawn += 1;
        const result = write(`---\n${lines.join('\n')}\n---\nbody`, stamp);
        if (result === null) return;
        for (const values of otherReaders(result.text, false)) {
          if (values === null) continue;
          read += 1;
          expect(values).toMatchObject({ wing: 'homelab', hall: 'sources' });
          expect(values).not.toHaveProperty('half_life');
        }
      }),
      { numRuns: 3000 },
    );
    expect(read).toBeGreaterThan(drawn / 15);
  });

  it('throws nothing but a BrainError, whatever is written', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '--- ',
        'wing: x',
        'type: &a x',
        'b: *a',
        '- x',
        '  c: d',
        '# e',
        '',
        'f: [',
        ']',
        'g: "',
        'h"',
        '? i',
        '...',
      ),
      text,
    );
    const content = fc.array(line, { maxLength: 12 }).map((lines) => `---\n${lines.join('\n')}\n---\n`);
    fc.assert(
      fc.property(content, values, (given, stamp) => {
        const result = write(given, stamp);
        if (result !== null) expect(parseNote(result.text).body).toBe(result.body);
      }),
      RUNS,
    );
  });
});
