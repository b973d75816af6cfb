import { ingestPages } from '../../../src/core/ingest/operations';
import { gateReport } from '../../../src/core/review/gate-report';
import { promoteNote } from '../../../src/core/review/promote';
import { listPending } from '../../../src/core/review/pending';
import { writeNote } from '../../../src/core/notes/write';
import { updateNote } from '../../../src/core/notes/update';
import { openTestBrain, person } from '../../support/test-brain';

const shared = openTestBrain({
  'raw/2026-11-20-hand.md':
    '---\nwing: net\nhall: facts\nbanner: x\nsee: obsidian://run\n---\n# Hand\n\nText.\n',
});
afterAll(async () => (await shared).close());

let count = 0;
/** Writes a note with one property and returns that line as it stands, and whether it was told. */
async function written(line: string): Promise<[string, boolean]> {
  const { run, files } = await shared;
  const content = `---\n${line}\n---\n# Note ${(count += 1)}\n\nText ${count}.\n`;
  const { path, refs } = await run(writeNote, { wing: 'net', hall: 'facts', slug: `n-${count}`, content });
  const block = (files.get(path) ?? '').split('\n---\n')[0] ?? '';
  const own = block
    .split('\n')
    .filter((each) => !/^(?:---|wing|hall|created_at|origin|written_by|source_type)/.test(each));
  return [own.join('\n'), refs.some(({ kind, unlinked }) => kind === 'property' && unlinked)];
}

it.each([
  ['excalidraw-onload-script: x', '"`excalidraw-onload-script`": x'],
  ['Kanban-Plugin: board', '"`Kanban-Plugin`": board'],
  ['banner: "![[a.png]]"', '"`banner`": "![[a.png]]"'],
  ['cover: x', '"`cover`": x'],
  ['TQ_extra_instructions: x', '"`TQ_extra_instructions`": x'],
  ['link: javascript:alert(1)', 'link: "`javascript:alert(1)`"'],
  ['link: "java\\tscript:alert(1)"', 'link: "`java\\tscript:alert(1)`"'],
  ['link: JAVASCRIPT&colon;alert(1)', 'link: "`JAVASCRIPT&colon;alert(1)`"'],
  ['link: file:///etc/passwd', 'link: "`file:///etc/passwd`"'],
  ['link: obsidian://run?x', 'link: "`obsidian://run?x`"'],
  ['link: zotero://select/x', 'link: "`zotero://select/x`"'],
  ['link: data:text/html,x', 'link: "`data:text/html,x`"'],
  ['link: "[x](obsidian://run)"', 'link: x'],
  ['link: "![x](https://evil.example/p.png)"', 'link: "[x](https://evil.example/p.png)"'],
  ['image: https://evil.example/p.png', 'image: "[https://evil.example/p.png](https://evil.example/p.png)"'],
  ['links: [a, "file:///x"]', 'links: ["a", "`file:///x`"]'],
  ['deep:\n  a:\n    - vbscript:x', 'deep: {"a": ["`vbscript:x`"]}'],
  ['text: |\n  javascript:x()', 'text: "`javascript:x()`"'],
  ['text: "`$= app.vault`"', 'text: "`\\\\$= app.vault`"'],
  ['text: "press `BUTTON[x]`"', 'text: "press `\\\\BUTTON[x]`"'],
  ['text: |\n  ```dataviewjs\n  x\n  ```', 'text: "dataviewjs\\n```text\\nx\\n```\\n"'],
  ['bannerImage: x', '"`bannerImage`": x'],
  ['annotation-target: x.pdf', '"`annotation-target`": x.pdf'],
  ['scripts: x', '"`scripts`": x'],
  ['remoteCSS: x', '"`remoteCSS`": x'],
  ['dg-publish: x', '"`dg-publish`": x'],
])('%j becomes %j', async (line, expected) => {
  expect(await written(line)).toEqual([expected, true]);
});

it.each([
  'link: https://example.org/a?b=c',
  'mail: mailto:a@example.org',
  'at: 12:30',
  'path: C:\\x',
  'todo: "TODO: x"',
  'tag: key:value',
  'title: "JavaScript: The Good Parts (2nd ed.)"',
  'title: "Data: what we learned, and how"',
  'title: "The <base> element"',
  'ip: fe80::1',
  'doi: doi:10.1000/x',
  'isbn: isbn:978-3-16',
  'urn: urn:isbn:978',
  'mood: ":smile:"',
  'see: "[[wiki/net/facts/x]]"',
  'image: pictures/a.png',
  'container: nginx:latest',
  'publish: false',
  'dg-publish: false',
  'code: "`$5` and `a`"',
])('%j stays and is not told', async (line) => {
  expect(await written(line)).toEqual([line, false]);
});

it('leaves alone what stands in the current note, and says nothing new the second time', async () => {
  const { run, files } = await shared;
  const content = '---\ncover: x\nlink: file:///x\n---\n# Same\n\nText.\n';
  const at = { wing: 'net', hall: 'facts', slug: 'same' };
  const { path } = await run(writeNote, { ...at, content });
  expect(await run(writeNote, { ...at, content })).toMatchObject({ unchanged: true });
  const text = files.get(path) ?? '';
  const { refs } = await run(updateNote, { path, content: text, reason: 'again' });
  expect(refs).toEqual([]);
});

it('makes the other fields of a call text, and tells it', async () => {
  const { run, files } = await shared;
  const at = { wing: 'net', hall: 'facts' };
  const content = '# Fields\n\nText.\n';
  const given = { ...at, slug: 'fields', content, type: 'obsidian://run?x', domain: '[x](obsidian://run)' };
  const { path, content_hash, refs } = await run(writeNote, given);
  expect(refs.map(({ kind, target, unlinked }) => [kind, target, unlinked])).toEqual([
    ['property', 'type', true],
    ['property', 'domain', true],
  ]);
  expect(files.get(path)).toMatch(/^type: "`obsidian:\/\/run\?x`"\ndomain: "?x"?$/m);
  const reason = '![x](https://evil.example/p.png)';
  const changed = await run(updateNote, {
    path,
    content: '# Fields\n\nOther.\n',
    reason,
    expected_hash: content_hash,
  });
  expect(changed.refs).toMatchObject([{ kind: 'property', target: 'supersede_reason' }]);
  expect(files.get(path)).toContain('supersede_reason: "[x](https://evil.example/p.png)"\n');
});

it('makes the fields of a page text, and tells it', async () => {
  const { run, files } = await shared;
  const picture = '![x](https://evil.example/p.png)';
  const page = {
    title: 'See <img src="https://evil.example/p.png">',
    content: 'Words of a page.',
    summary: picture,
    aliases: ['[x](obsidian://run)', 'Fine'],
    tags: [picture],
    source: '<img src="https://evil.example/p.png">',
    type: 'file:///x',
  };
  const { pages } = await run(ingestPages, { pages: [page] });
  const [made] = pages;
  const text = files.get(made?.path ?? '') ?? '';
  expect(text).toContain('description: "[x](https://evil.example/p.png)"');
  expect(text).not.toMatch(/!\[|<img|obsidian:|: "?file:/);
  expect(made?.warnings.join('\n')).toContain('"title", "tags", "aliases", "summary", "source", "type"');
});

it('is a risk and a finding of a queued note that a person may keep', async () => {
  const { run, files } = await shared;
  const path = 'raw/2026-11-20-hand.md';
  expect(JSON.stringify(await run(listPending))).toContain('active_content');
  const { findings, content_hash } = await run(gateReport, { path });
  expect(findings.map(({ kind, text, becomes }) => [kind, text, becomes])).toEqual([
    ['property', 'banner: x', '`banner`: x'],
    ['property', 'see: obsidian://run', 'see: `obsidian://run`'],
  ]);
  const place = { path, wing: 'net', hall: 'facts', expected_hash: content_hash, keep: [0] };
  const { path: to } = await run(promoteNote, place, person);
  expect(files.get(to)).toContain('\nbanner: x\nsee: "`obsidian://run`"\n');
});
