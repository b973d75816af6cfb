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
