import * as fc from 'fast-check';
import { withoutEscapes } from '../../../src/core/gate/escapes';
import { getNote } from '../../../src/core/notes/get';
import { writeNote } from '../../../src/core/notes/write';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain, person } from '../../support/test-brain';
import { cpuMs } from '../../support/cpu';
import { gated } from '../../support/gate-world';

const ours = {
  path: 'wiki/net/facts/a.md',
  frontmatter: { origin: 'mcp', written_by: 'laptop (claude-code 2.1.300)' },
};

it.each([
  '```erb\n<% if (user) { %>\n<%= name %>\n<% } %>\n```\n',
  'Write `<%= x %>` there.\n',
  '    <% x %>\n',
  'Dataview runs `$= dv.list()` and `  $= x`.\n',
  '```js\n$= x\n```\n',
  'a\n\n    $= x\n',
  '> ~~~ js\n>\n>   $= x\n',
  'A button: `BUTTON[go]`.\n',
])('gives back what the gate has escaped: %j', (body) => {
  const { body: safe } = gated(body);
  expect(safe).not.toBe(body);
  expect(withoutEscapes(ours, safe)).toBe(body);
});

it('leaves the backslashes of others, and every text of the owner', () => {
  const text = 'a \\$= b, \\*c\\*, `\\n`, `\\d+ <b\\%`\n\n```js\nconst a = "\\\\$=";\n```\n';
  expect(withoutEscapes(ours, text)).toBe(text);
  const escaped = '`<\\% x %>` `\\$= y`';
  expect(withoutEscapes({ path: 'Own/a.md', frontmatter: ours.frontmatter }, escaped)).toBe(escaped);
  expect(withoutEscapes({ ...ours, frontmatter: { written_by: 'human:me' } }, escaped)).toBe(escaped);
});

it('is the inverse of the gate for code', () => {
  const code = fc
    .array(fc.constantFrom('<%', '%>', '$=', 'BUTTON[', ' ', 'x', '= ', '-', '\n', '#', ']'), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  const parts = fc.oneof(
    code.map((text) => `\`\`\`erb\n${text}\n\`\`\`\n`),
    code.map((text) => `\`${text.replaceAll('\n', ' ')}x\`\n`),
    fc.constant('words\n'),
  );
  let changed = 0;
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), (all) => {
      const body = all.join('\n');
      const { body: safe } = gated(body);
      if (safe !== body) changed += 1;
      expect(withoutEscapes(ours, safe)).toBe(body);
    }),
  );
  expect(changed).toBeGreaterThan(10);
});

it('is undone for agents that read, and not for the screens of a person', async () => {
  const { run, files } = await openTestBrain();
  const content = '# Views\n\n```erb\n<% if (quokka) { %>\n```\n';
  const { path } = await run(writeNote, { wing: 'net', hall: 'facts', slug: 'a', content });
  expect(files.get(path)).toContain('<\\% if');
  expect((await run(getNote, { path })).body).toBe(content);
  expect((await run(getNote, { path }, person)).body).toContain('<\\% if');
  const { results } = await run(queryNotes, { query: 'quokka' });
  expect(results[0]?.excerpt).toContain('<% if (quokka)');
});

it.each([' ', '\t', '`', '~', '>', '` ', '\n```', '\n    '])(
  'reads a long text of %j in linear time',
  (piece) => {
    const text = `\\x\n${piece.repeat(200_000)}`;
    const start = cpuMs();
    expect(withoutEscapes(ours, text)).toBe(text);
    expect(cpuMs() - start).toBeLessThan(2000);
  },
);
