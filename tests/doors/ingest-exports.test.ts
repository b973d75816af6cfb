import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseNote } from '../../src/core/frontmatter/parse';
import { type LiveServer, startLiveServer } from '../support/live-server';

let server: LiveServer;
beforeEach(async () => {
  server = await startLiveServer();
});
afterEach(() => server.stop());

interface Answer {
  readonly counts: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly attachments: readonly { readonly file: string; readonly original?: string }[];
  readonly files: readonly {
    readonly file: string;
    readonly pages: readonly { title: string; path: string }[];
  }[];
}

/** Sends a folder, has it ingested, and returns the answer with what the pages of a file say. */
async function ingest(files: Readonly<Record<string, string>>, label = 'export') {
  const { body: opened } = await server.http('POST', '/ingest-batch', { label });
  const batch = String(opened.batch);
  for (const [name, text] of Object.entries(files)) {
    const query = new URLSearchParams({ batch, name });
    const sent = await fetch(`${server.url}/ingest-batch/file?${query.toString()}`, {
      method: 'POST',
      headers: { authorization: 'Bearer owner' },
      body: text,
    });
    expect([name, sent.status]).toEqual([name, 200]);
  }
  const { body } = await server.http('POST', '/ingest-batch/done', { batch });
  const answer = body as unknown as Answer; // The documented shape.
  const pageOf = (file: string) => answer.files.find((each) => each.file === file)?.pages[0];
  return {
    answer,
    title: (file: string) => pageOf(file)?.title,
    /** The target of a link to the page of a file. */
    at: (file: string) => (pageOf(file)?.path ?? 'absent').replace(/\.md$/, ''),
    original: (file: string) => answer.attachments.find((each) => each.file === file)?.original ?? 'absent',
    async read(file: string) {
      const text = await readFile(join(server.root, pageOf(file)?.path ?? 'absent'), 'utf8');
      return parseNote(text);
    },
  };
}

const ID = {
  home: '0123456789abcdef0123456789abcdef',
  plan: '1123456789abcdef0123456789abcdef',
  tasks: '2123456789abcdef0123456789abcdef',
  milk: '3123456789abcdef0123456789abcdef',
  long: '4123456789abcdef0123456789abcdef',
  other: '5123456789abcdef0123456789abcdef',
};

const NOTION = {
  [`Home page ${ID.home}.md`]: `# Home page

[The plan](Home%20page%20${ID.home}/The%20plan%20${ID.plan}.md) and [tasks](Home%20page%20${ID.home}/Tasks%20${ID.tasks}.csv).

See [the plan](https://www.notion.so/The-plan-${ID.plan}?pvs=21), https://www.notion.so/team/The-plan-${ID.plan} and [another](https://www.notion.so/Else-${ID.other}).

<aside>
💡 Drink [milk](Home%20page%20${ID.home}/Tasks%20${ID.tasks}/Buy%20milk%20${ID.milk}.md).

</aside>

![a cat](Home%20page%20${ID.home}/Untitled.png)

\`https://www.notion.so/The-plan-${ID.plan}\`
`,
  [`Home page ${ID.home}/The plan ${ID.plan}.md`]:
    '# The plan\n\nNote: this is a sentence.\n\nBack to nothing.\n',
  [`Home page ${ID.home}/Tasks ${ID.tasks}.csv`]: 'Name,Status\nBuy milk,Done\n',
  [`Home page ${ID.home}/Tasks ${ID.tasks}_all.csv`]: `Name,Status,Due date,Tags,Project\nBuy milk,Done,"January 5, 2024","home, food",The plan (../The%20plan%20${ID.plan}.md)\n"A very long title, which Notion cuts in the name of the file",,,,\nNo page,,,,\n`,
  [`Home page ${ID.home}/Tasks ${ID.tasks}/Buy milk ${ID.milk}.md`]: `# Buy milk

Status: Done
Due date: January 5, 2024
Tags: home, food
Project: The plan (../The%20plan%20${ID.plan}.md)

Two litres.
`,
  [`Home page ${ID.home}/Tasks ${ID.tasks}/A very long title, which Notion ${ID.long}.md`]:
    '# A very long title, which Notion cuts in the name of the file\n\nStatus: open\n',
  [`Home page ${ID.home}/Untitled.png`]: 'PNG',
};

it('reads a Notion export: titles, links by path and address, properties, tables of pages, callouts, pictures', async () => {
  const { answer, title, at, original, read } = await ingest(NOTION);
  const [home, plan, milk, long] = [
    `Home page ${ID.home}.md`,
    `Home page ${ID.home}/The plan ${ID.plan}.md`,
    `Home page ${ID.home}/Tasks ${ID.tasks}/Buy milk ${ID.milk}.md`,
    `Home page ${ID.home}/Tasks ${ID.tasks}/A very long title, which Notion ${ID.long}.md`,
  ];
  const table = `Home page ${ID.home}/Tasks ${ID.tasks}_all.csv`;
  expect(answer.counts).toMatchObject({
    files: 7,
    ingested: 5,
    pages: 5,
    attached: 1,
    not_linked: 1,
    failed: 0,
  });
  expect(answer.warnings).toEqual([
    'The folder was read as a Notion export. One file was left out: views of databases, whose rows the file "…_all.csv" has.',
  ]);
  expect([home, plan, milk, table].map(title)).toEqual(['Home page', 'The plan', 'Buy milk', 'Tasks']);
  const { body } = await read(home);
  expect(body).toContain(`[[${at(plan)}|The plan]] and [[${at(table)}|tasks]].`);
  expect(body).toContain(
    `See [[${at(plan)}|the plan]], [[${at(plan)}|The plan]] and [another](https://www.notion.so/Else-${ID.other}).`,
  );
  expect(body).toContain(`> [!note]\n> 💡 Drink [[${at(milk)}|milk]].\n`);
  expect(body).toContain(`![[${original(`Home page ${ID.home}/Untitled.png`)}|a cat]]`);
  expect(body).toContain(`\`https://www.notion.so/The-plan-${ID.plan}\``);
  expect(body).not.toContain('aside');
  expect((await read(plan)).body).toContain('Note: this is a sentence.');
  const task = await read(milk);
  expect(task.frontmatter).toMatchObject({
    Status: 'Done',
    'Due date': 'January 5, 2024',
    tags: ['home', 'food'],
    Project: `[The plan](${at(plan)}.md)`,
  });
  expect(task.body).toBe('# Buy milk\n\nTwo litres.\n');
  expect((await read(long)).frontmatter).toMatchObject({ Status: 'open' });
  const rows = (await read(table)).body;
  expect(rows).toContain(`| [[${at(milk)}\\|Buy milk]] | Done |`);
  expect(rows).toContain(
    `| [[${at(long)}\\|A very long title, which Notion cuts in the name of the file]] |`,
  );
  expect(rows).toContain('| No page |');
  expect(rows).toContain(`| home, food | [[${at(plan)}\\|The plan]] |`);
});

const BLOCK = '65a0b1c2-0000-4000-8000-00000000abcd';
const CODE = '65a0b1c2-0000-4000-8000-00000000beef';
const LOGSEQ = {
  'graph/journals/2024_01_05.md': `- Met [[Ann Lee]] about [[projects/Pump]] #[[two words]] #plain
- ((${BLOCK})) and [the block](((${BLOCK}))), ((65a0b1c2-0000-4000-8000-000000000000))
- {{embed ((${BLOCK}))}}
- {{embed [[Ann Lee]]}}
- {{query (and [[Ann Lee]] (task TODO))}}
- [a person]([[Ann]])
- ((${CODE}))
- ![tap](../assets/tap_1.png){:height 100, :width 200}
- \`((${BLOCK})) #[[two words]]\` and ^^bright^^
`,
  'graph/pages/projects___Pump.md': `title:: projects/Pump
alias:: [[The pump]], Water
tags:: [[two words]], garden
type:: project
owner:: [[Ann Lee]]
wing:: home

- TODO Buy a valve
  id:: ${BLOCK}
  collapsed:: true
	- DOING Ask [[Jan 5th, 2024]]
	- DONE Measured
- \`\`\`js
  const a = [[1]];
  \`\`\`
  id:: ${CODE}
- size:: large
`,
  'graph/pages/Ann Lee.md': 'alias:: Ann\n\n- Knows [[the PUMP]] and [[nobody]]\n',
  'graph/pages/a%3Ab.md': '- Of [[projects/Pump]]\n',
  'graph/logseq/bak/pages/Ann Lee/2024.md': '- old\n',
  'graph/logseq/config.edn': '{}',
  'graph/assets/tap_1.png': 'PNG',
};

it('reads a Logseq graph: pages, journals, blocks, properties, tags, tasks, assets', async () => {
  const { answer, title, at, original, read } = await ingest(LOGSEQ);
  const [day, pump, ann, ab] = [
    'graph/journals/2024_01_05.md',
    'graph/pages/projects___Pump.md',
    'graph/pages/Ann Lee.md',
    'graph/pages/a%3Ab.md',
  ];
  expect(answer.counts).toMatchObject({
    files: 7,
    ingested: 4,
    pages: 4,
    attached: 1,
    not_linked: 2,
    failed: 0,
  });
  expect(answer.warnings).toEqual([
    'The folder was read as a Logseq graph. 2 files were left out: settings and backups of Logseq.',
  ]);
  expect([day, pump, ann, ab].map(title)).toEqual(['2024-01-05', 'projects/Pump', 'Ann Lee', 'a:b']);
  const { body } = await read(day);
  const block = `${at(pump)}#^${BLOCK}`;
  expect(body).toContain(
    `- Met [[${at(ann)}|Ann Lee]] about [[${at(pump)}|projects/Pump]] #two-words #plain\n`,
  );
  expect(body).toContain(
    `- [[${block}|Buy a valve]] and [[${block}|the block]], ((65a0b1c2-0000-4000-8000-000000000000))\n`,
  );
  expect(body).toContain(`- ![[${block}]]\n- ![[${at(ann)}]]\n`);
  expect(body).toContain('- `{{query (and [[Ann Lee]] (task TODO))}}`\n');
  expect(body).toContain(`- [[${at(ann)}|a person]]\n- [[${at(pump)}#^${CODE}|`);
  expect(body).toContain(`- ![[${original('graph/assets/tap_1.png')}|tap]]\n`);
  expect(body).toContain(`- \`((${BLOCK})) #[[two words]]\` and ==bright==\n`);
  const project = await read(pump);
  expect(project.frontmatter).toMatchObject({
    aliases: ['projects/Pump', 'The pump', 'Water'],
    tags: ['two-words', 'garden'],
    type: 'project',
    owner: `[[${at(ann)}|Ann Lee]]`,
  });
  expect(project.frontmatter).not.toHaveProperty('wing');
  expect(project.body).toBe(`# projects/Pump

wing:: home

- [ ] Buy a valve ^${BLOCK}
	- [ ] DOING Ask [[${at(day)}|Jan 5th, 2024]]
	- [x] Measured
- \`\`\`js
  const a = [[1]];
  \`\`\`

  ^${CODE}
- size:: large
`);
  expect((await read(ann)).body).toContain(`- Knows [[${at(pump)}|the PUMP]] and nobody\n`);
});

const BEAR = {
  'Garden.md': `# Garden
#home/garden #to do# #idea

A ::bright:: day, see [[Pump]], [[Pump/How to fix]] and [[Pump/none]]. Costs: a::b, #1 and \`#no tag#\`.

![](Garden/tap%201.png)
<a href='Garden/plan.pages'>the plan</a>
`,
  'Pump.md': '# Pump\n\n## How to fix\n\nOil it. [[Packed]]\n',
  'Packed.textbundle/text.md': 'Words of a bundle.\n\n![](assets/oil.png)\n',
  'Packed.textbundle/info.json': '{"creatorIdentifier":"net.shinyfrog.bear","version":2}',
  'Packed.textbundle/assets/oil.png': 'PNG oil',
  'Garden/tap 1.png': 'PNG tap',
  'Garden/plan.pages': 'PK',
};

it('reads an export of Bear: tags of several words, highlights, links to headings, bundles', async () => {
  const { answer, title, at, original, read } = await ingest(BEAR);
  expect(answer.counts).toMatchObject({
    files: 7,
    ingested: 3,
    pages: 3,
    attached: 3,
    not_linked: 1,
    failed: 0,
  });
  expect(answer.warnings[0]).toBe(
    'The folder was read as an export of Bear. One file was left out: descriptions of text bundles.',
  );
  const bundle = 'Packed.textbundle/text.md';
  expect(['Garden.md', 'Pump.md', bundle].map(title)).toEqual(['Garden', 'Pump', 'Packed']);
  const { body } = await read('Garden.md');
  expect(body).toContain('#home/garden #to-do #idea\n');
  expect(body).toContain(`A ==bright== day, see [[${at('Pump.md')}|Pump]], [[${at('Pump.md')}#How to fix|`);
  expect(body).toContain('Costs: a::b, #1 and `#no tag#`.');
  expect(body).toContain(`![[${original('Garden/tap 1.png')}]]`);
  expect(body).toContain(`[[${original('Garden/plan.pages')}|the plan]]`);
  expect((await read('Pump.md')).body).toContain(`[[${at(bundle)}|Packed]]`);
  expect((await read(bundle)).body).toContain(`![[${original('Packed.textbundle/assets/oil.png')}]]`);
});

const VAULT = {
  'Start.md': `---
tags: [one, two/three]
aliases:
  - Begin
related: "[[Areas/Pump|the pump]]"
others:
  - "[[Begin]]"
  - "[[Not here]]"
nested:
  maker: Ann
  parts: [a, b]
cover: "![[tap.png]]"
written_by: somebody else
Rating: 4
---
# Start

[[Areas/Pump]], [[Pump#How to fix|fix it]], [[Pump#^b1]], ![[Pump#How to fix]], ![[tap.png|300]], ![[lost.png]], [far](../Elsewhere.md).
`,
  'Areas/Pump.md': '# Pump\n\n## How to fix\n\nOil it. ^b1\n\n[[Begin]]\n',
  'Files/tap.png': 'PNG',
  'Board.canvas': '{"nodes":[]}',
  'Capital.md': '---\nStatus: Done\nRating: 5\n---\nWords.\n',
  'All.base': 'views: []',
  '.obsidian/app.json': '{"attachmentFolderPath":"Files"}',
  '.trash/Gone.md': '# Gone\n',
};

it('reads an Obsidian vault: links, embeds, properties, attachments; settings are left out', async () => {
  const { answer, at, original, read } = await ingest(VAULT, 'vault');
  expect(answer.counts).toMatchObject({
    files: 8,
    ingested: 3,
    pages: 3,
    attached: 1,
    not_linked: 4,
    failed: 0,
  });
  expect(answer.warnings).toEqual([
    'The folder was read as an Obsidian vault. 2 files were left out: settings and deleted notes of Obsidian.',
    '2 canvases and bases of Obsidian cannot be read as notes.',
    'Start.md embeds "lost.png", which is not in the folder: the name stands in the text instead.',
  ]);
  const { frontmatter, body } = await read('Start.md');
  const [pump, tap] = [at('Areas/Pump.md'), original('Files/tap.png')];
  expect(frontmatter).toMatchObject({
    tags: ['one', 'two/three'],
    related: `[[${pump}|the pump]]`,
    others: [`[[${at('Start.md')}|Begin]]`, '[[Not here]]'],
    nested: { maker: 'Ann', parts: ['a', 'b'] },
    '`cover`': `![[${tap}]]`,
    Rating: '4',
    written_by: 'owner via passthrough',
  });
  expect(frontmatter.aliases).toContain('Begin');
  expect(body).toContain(
    `[[${pump}|Pump]], [[${pump}#How to fix|fix it]], [[${pump}#^b1|Pump]], ![[${pump}#How to fix]], ![[${tap}|300]], lost.png, far.`,
  );
  expect((await read('Capital.md')).frontmatter).toMatchObject({ Status: 'Done', Rating: '5' });
  expect((await read('Areas/Pump.md')).body).toContain(`[[${at('Start.md')}|Begin]]`);
});

it.each([
  ['a Notion export', NOTION],
  ['a Logseq graph', LOGSEQ],
  ['notes of Bear', BEAR],
  ['an Obsidian vault', VAULT],
])('makes nothing twice of %s', async (_, files) => {
  await ingest(files);
  const before = await server.snapshot();
  const again = await ingest(files);
  expect(again.answer.counts).toMatchObject({ ingested: 0, pages: 0, failed: 0 });
  expect(await server.snapshot()).toEqual(before);
});

it('links a page that comes later to those of an earlier run', async () => {
  const first = await ingest(LOGSEQ);
  const later = { ...LOGSEQ, 'graph/pages/Later.md': `- ((${BLOCK})) in [[projects/Pump]]\n` };
  const second = await ingest(later);
  const pump = first.at('graph/pages/projects___Pump.md');
  expect((await second.read('graph/pages/Later.md')).body).toContain(
    `- [[${pump}#^${BLOCK}|Buy a valve]] in [[${pump}|projects/Pump]]\n`,
  );
});

it('takes the id out of the title of a single file of Notion', async () => {
  const query = new URLSearchParams({ name: `A b ${ID.home}.md` });
  await fetch(`${server.url}/ingest-file?${query.toString()}`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner' },
    body: 'Words without a heading.\n',
  });
  const names = await readdir(join(server.root, 'raw'));
  expect(names).toContainEqual(expect.stringMatching(/-a-b\.md$/));
});
