import * as fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../../src/core/base/json';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { undoWriter } from '../../../src/core/undo/undo';
import { type Answered, type LiveServer, startLiveServer } from '../../support/live-server';
import { agent, openTestBrain, person } from '../../support/test-brain';

const LIVE = '<%* await tp.system.prompt(1) %>';
const STANDING = `---\nwing: net\nhall: facts\n# ${LIVE}\nscript: "${LIVE}"\norigin: http\nwritten_by: laptop\n---\n# Mine\n`;
const WAITING = `---\nx: "${LIVE}"\n---\n# Waiting\n\nWords of a waiting note.\n`;
const FILES = {
  'AGENTS.md': '# Guide\n',
  'wiki/net/facts/mine.md': STANDING,
  'wiki/net/facts/plain.md': '---\nwing: net\nhall: facts\norigin: http\nwritten_by: laptop\n---\n# Plain\n',
  'raw/waiting.md': WAITING,
  'raw/2026-11-01-agents.md':
    '---\nwritten_by: laptop\norigin: http\nlocked: "Yes"\n---\n# Of an agent\n\nAgent words.\n',
  'raw/2026-11-02-two.md':
    '---\na: 1\n---\n\n---\nwing: evil\npromoted_at: 2001-01-01\n---\n# Two\n\nTwo blocks.\n',
  'raw/2026-11-03-claims.md':
    '---\nextracted_by: passthrough\nwritten_by: laptop\n---\n# Claims\n\nClaimed words.\n',
  'raw/2026-11-04-made.md':
    '---\nextracted_by: passthrough\nwritten_by: laptop via passthrough\n---\n# Made\n\nMade words.\n',
};
const RUNS = { numRuns: Number(process.env.BRAIN_FUZZ_RUNS ?? 1) * 40 };

let live: LiveServer;
let nth = 0;
beforeAll(async () => {
  live = await startLiveServer(FILES, { rateLimit: 0, rootEdit: 'allow' });
});
afterAll(() => live.stop());

/** What a call that is refused must not have changed. */
const notes = async (): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await live.snapshot()).filter(([path]) => !path.startsWith('.brain')));

const slug = (): string => `n${(nth += 1)}`;

async function read(
  path: unknown,
): Promise<{ content: string; hash: string; body: string; front: Record<string, unknown> }> {
  const { body } = await live.http('GET', `/note?path=${encodeURIComponent(String(path))}`);
  const content = await readFile(join(live.root, String(path)), 'utf8');
  const { frontmatter } = body;
  return {
    content,
    hash: String(body.content_hash),
    body: String(body.body),
    front: isRecord(frontmatter) ? frontmatter : {},
  };
}

/** Every door through which a caller gives content; each resolves with the answer to one call. */
const DOORS: Readonly<Record<string, (content: string) => Promise<Answered>>> = {
  write: (content) =>
    live.http('POST', '/write', { wing: 'net', hall: 'facts', slug: slug(), content }, 'laptop'),
  overwrite: (content) =>
    live.http(
      'POST',
      '/write',
      { wing: 'net', hall: 'facts', slug: 'plain', content, overwrite: true },
      'laptop',
    ),
  knowledge: (content) => live.http('POST', '/write', { slug: slug(), content }, 'laptop'),
  propose: (content) => live.http('POST', '/write', { slug: slug(), content }, 'proposer'),
  capture: (content) => live.http('POST', '/capture', { text: content }, 'laptop'),
  update: (content) =>
    live.http('POST', '/update', { path: 'wiki/net/facts/plain.md', content, reason: 'r' }, 'laptop'),
  'edit-root': async (content) => {
    const { hash } = await read('AGENTS.md');
    return live.http('POST', '/edit-root', { content, reason: 'r', expected_hash: hash });
  },
  'ingest-raw': (content) =>
    live.http(
      'POST',
      '/ingest-raw',
      { pages: [{ title: `Page ${slug()}`, content, wing: 'net', hall: 'facts' }], destination: 'wiki' },
      'laptop',
    ),
};

/** The documents that are never refused for what they say. */
const PIPELINE: Readonly<Record<string, (content: string) => Promise<Answered>>> = {
  ingest: (content) =>
    live.http('POST', '/ingest', { text: content, title: `Doc ${slug()}`, source: LIVE }, 'laptop'),
};

function through(door: string, content: string): Promise<Answered> {
  const call = { ...DOORS, ...PIPELINE }[door];
  if (call === undefined) throw new Error(door);
  return call(content);
}

const BLOCKS: readonly [name: string, block: string][] = [
  ['a value', `x: "${LIVE}"`],
  ['a plain value', `x: a ${LIVE}`],
  ['a key', `"${LIVE}": 1`],
  ['a key of a map', `x:\n  "${LIVE}": 1`],
  ['a comment', `a: 1\n# ${LIVE}`],
  ['a comment at the start', `# ${LIVE}\na: 1`],
  ['a comment behind a value', `a: 1 # ${LIVE}`],
  ['a block scalar', `x: |\n  one\n  ${LIVE}`],
  ['a list', `x:\n  - "${LIVE}"`],
  ['an escape', 'x: "\\x3c%* 1 %>"'],
  ['an escape in a list', 'tags: ["\\u003c% 1 %>"]'],
  ['an escape of the other sign', 'x: "<\\x25 1 %>"'],
  ['a folded line', 'x: "<\\\n  % 1 %>"'],
  ['a mark with an invisible character in it', 'x: "<\u200b% 1 %>"'],
  ['a mark with an escaped invisible character in it', 'x: "<\\u200b% 1 %>"'],
  ['a title', `title: ${LIVE}`],
  ['a second block', `a: 1\n---\n---\nwing: net\nx: "${LIVE}"`],
];

describe('template code in front matter', () => {
  describe.each(Object.keys(DOORS))('through %s', (door) => {
    it.each(BLOCKS)('is refused in %s', async (_name, block) => {
      const before = await notes();
      // A second block is folded in, and in the root note it is text.
      if (door === 'edit-root' && block.includes('---')) return;
      const { status, text } = await through(door, `---\n${block}\n---\n# Title\n\nText.\n`);
      expect([status, text]).toEqual([400, expect.stringContaining('invalid_frontmatter')]);
      expect(await notes()).toEqual(before);
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a value', { frontmatter: { x: LIVE } }],
    ['a list', { frontmatter: { x: ['a', LIVE] } }],
    ['a hidden mark', { frontmatter: { x: '<\u200b% 1 %>' } }],
    ['a type', { type: LIVE }],
    ['a domain', { domain: LIVE }],
  ])('is refused in %s beside the content', async (_name, more) => {
    const before = await notes();
    const { status, body } = await live.http(
      'POST',
      '/write',
      { slug: slug(), content: '# X', ...more },
      'laptop',
    );
    expect([status, body]).toMatchObject([400, { error: { code: 'invalid_frontmatter' } }]);
    expect(await notes()).toEqual(before);
  });

  it.each<[string, string, unknown]>([
    ['/capture', 'tags', { text: 'x', tags: [LIVE] }],
    ['/capture', 'source', { text: 'x', source: LIVE }],
    ['/capture', 'title', { text: 'x', title: LIVE }],
    ['/ingest-raw', 'tags', { pages: [{ title: 'T', content: 'x', tags: [LIVE] }] }],
    ['/ingest-raw', 'summary', { pages: [{ title: 'T', content: 'x', summary: LIVE }] }],
    ['/ingest-raw', 'aliases', { pages: [{ title: 'T', content: 'x', aliases: [LIVE] }] }],
    ['/ingest-raw', 'source', { pages: [{ title: 'T', content: 'x', source: LIVE }] }],
    ['/ingest-raw', 'domain', { pages: [{ title: 'T', content: 'x', domain: LIVE }] }],
    ['/ingest-raw', 'frontmatter', { pages: [{ title: 'T', content: 'x', frontmatter: { x: LIVE } }] }],
  ])('is refused by %s in %s', async (route, _field, sent) => {
    const before = await notes();
    const { status, text } = await live.http('POST', route, sent, 'laptop');
    expect([status, text]).toEqual([400, expect.stringContaining('invalid_frontmatter')]);
    expect(await notes()).toEqual(before);
  });

  it('is refused over MCP', async () => {
    const client = await live.mcp('laptop');
    const content = `---\nx: "${LIVE}"\n---\n# X`;
    const answer = await client.callTool({
      name: 'brain_write',
      arguments: { content, wing: 'net', hall: 'facts', slug: slug() },
    });
    expect(JSON.stringify(answer)).toMatch(/invalid_frontmatter/);
  });

  it('of a title, a reason or a source is made plain text', async () => {
    const page = { title: LIVE, content: 'Text of it.', wing: 'net', hall: 'facts' };
    const { body } = await live.http('POST', '/ingest-raw', { pages: [page] }, 'laptop');
    expect(JSON.stringify(body)).toMatch(/Template code in \\"title\\" was made plain text/);
    const plain = { path: 'wiki/net/facts/plain.md', content: '# P', reason: `why ${LIVE}` };
    const updated = await live.http('POST', '/update', plain, 'laptop');
    expect(updated.body.warnings).toContain('Template code in "supersede_reason" was made plain text.');
    await live.http('POST', '/reject', { path: (await propose()).path, reason: LIVE });
    for (const [path, text] of Object.entries(await notes())) {
      if (path.endsWith('.md') && !(path in FILES && text.includes(LIVE)))
        expect([path, block(text)]).toEqual([path, expect.not.stringMatching(/<%|x3c%|u003c%/i)]);
    }
  });

  it('of a document becomes text', async () => {
    for (const [, given] of BLOCKS) {
      const { status, body } = await through('ingest', `---\n${given}\n---\n# D ${slug()}\n\nText.\n`);
      expect(status).toBe(200);
      const [page] = Array.isArray(body.pages) ? body.pages : [];
      const { content } = await read(isRecord(page) ? page.path : '');
      expect(content).not.toContain('<%');
      expect(holds(parseNote(content).frontmatter)).toBe(false);
    }
  });

  it('that stands may be sent back, and nothing beside it', async () => {
    const path = 'wiki/net/facts/mine.md';
    const { content } = await read(path);
    const back = await live.http(
      'POST',
      '/update',
      { path, content: `${content}\nMore.\n`, reason: 'r' },
      'laptop',
    );
    expect(back.status).toBe(200);
    expect((await read(path)).content).toContain(`# ${LIVE}\nscript: "${LIVE}"\n`);
    for (const more of [`y: "${LIVE}"`, `script: "${LIVE} "`, `script: "\\x3c% 2 %>"`]) {
      const sent = { path, content: `---\n${more}\n---\n# Mine\n`, reason: 'r' };
      expect((await live.http('POST', '/update', sent, 'laptop')).status).toBe(400);
    }
    const param = { path, content: '# Mine\n', reason: 'r', frontmatter: { script: LIVE } };
    expect((await live.http('POST', '/update', param, 'laptop')).status).toBe(200);
  });

  it('of a queued note is listed by the gate, and no token promotes it', async () => {
    const gated = await live.http('GET', '/gate?path=raw/waiting.md');
    expect(gated.body.refs).toContainEqual(
      expect.objectContaining({ kind: 'template', reason: 'active_content' }),
    );
    const before = await notes();
    const sent = { path: 'raw/waiting.md', wing: 'net', hall: 'facts' };
    const { status, body } = await live.http('POST', '/promote', sent);
    expect([status, body]).toMatchObject([
      400,
      { error: { code: 'invalid_frontmatter', details: { line: 2 } } },
    ]);
    expect(await notes()).toEqual(before);
  });

  it('reaches no new file, whatever the front matter is', async () => {
    const piece = fc.constantFrom(
      '<%',
      '<',
      '%',
      '\u200b',
      '\\x3c',
      '\\u003C',
      '\\x25',
      '\\\n ',
      'x: ',
      '"',
      "'",
      '- ',
      '\n',
      '# ',
      '|\n  ',
      'a',
      ' ',
      '---\n',
      '&a ',
      '*a',
      '\u202e',
      '[',
      ']',
      '\\u202e',
      'wing: y\n',
    );
    const door = fc.constantFrom(...Object.keys({ ...DOORS, ...PIPELINE }));
    await fc.assert(
      fc.asyncProperty(door, fc.array(piece, { minLength: 2, maxLength: 10 }), async (name, pieces) => {
        await through(name, `---\nk: ${pieces.join('')}\n---\n# T ${slug()}\n\nText.\n`);
        for (const [path, text] of Object.entries(await notes())) {
          if (
            !path.endsWith('.md') ||
            Object.values(FILES).some((each) => each === text) ||
            path.endsWith('mine.md')
          )
            continue;
          expect([path, block(text)]).toEqual([path, expect.not.stringContaining('<%')]);
          expect([path, holds(parseNote(text).frontmatter)]).toEqual([path, false]);
        }
      }),
      RUNS,
    );
  }, 60_000);
});

describe('a block that only the gate makes', () => {
  const hidden = [
    '[[---]]\nwing: evil\npromoted_at: 2001-01-01\n[[---]]\nBody',
    '\u200b---\nwing: evil\npromoted_at: 2001-01-01\n---\nBody',
    '\n\n[---](javascript:x)\nwing: evil\nlocked: true\npromoted_at: 2001-01-01\n[---](javascript:x)\nBody',
    '---\nwing: evil\npromoted_at: 2001-01-01\n[[---]]\nBody',
    '\n\ufeff---\ntype: evil\nlocked: true\npromoted_at: 2001-01-01\n---\nBody',
    '[[---]]\nevil: 1\n[[---]]\nBody',
    '[[---]]\n---\n\n---\nevil: 1\npromoted_at: 2001-01-01\n---\nBody',
    '[[---]]\nlocked: true\nevil: 1\npromoted_at: 2001-01-01\n[[---]]\nBody',
  ];
  it.each(Object.keys(DOORS).flatMap((door) => hidden.map((body): [string, string] => [door, body])))(
    'is text at %s: %j',
    async (door, text) => {
      for (const content of [text, `---\na: 1\n---\n${text}`]) {
        const { status, body } = await through(door, `${content} ${slug()}`);
        if (status === 400) continue; // A block that cannot be joined.
        expect(status).toBe(200);
        const [page] = Array.isArray(body.pages) ? body.pages : [body];
        const path = isRecord(page) ? page.path : '';
        const first = await read(path);
        expect(secondBlock(first.content)).toBe(false);
        expect(first.front).not.toHaveProperty('promoted_at');
        if (path === 'AGENTS.md' || String(path).startsWith('raw/')) continue;
        for (const back of [first.body, first.content]) {
          const sent = { path, content: back, reason: 'r' };
          expect((await live.http('POST', '/update', sent, 'laptop')).status).toBe(200);
          const again = await read(path);
          expect(again.front).not.toMatchObject({ wing: 'evil' });
          for (const key of ['promoted_at', 'evil', 'locked']) expect(again.front).not.toHaveProperty(key);
          expect(again.body).toBe(first.body);
        }
      }
    },
  );

  it('of a queued note is text when it is promoted', async () => {
    const sent = { path: 'raw/2026-11-02-two.md', wing: 'net', hall: 'facts', slug: 'two' };
    expect((await live.http('POST', '/promote', sent)).status).toBe(200);
    const { content } = await read('wiki/net/facts/two.md');
    expect(content).toContain('\n\\---\nwing: evil\n');
    const back = await live.http('POST', '/unpromote', { path: 'wiki/net/facts/two.md' });
    expect((await read(back.body.path)).content).toBe(FILES['raw/2026-11-02-two.md']);
  });
});

describe('the lock', () => {
  const spellings = ['true', 'Yes', '"on"', 'y', '1', "'TRUE'"];
  it.each(spellings)('is not a token’s to set: %s', async (word) => {
    for (const [name, door] of Object.entries({ ...DOORS, ...PIPELINE })) {
      const { status, body, text } = await door(
        `---\nlocked: ${word}\nnumber: ${(nth += 1)}\n---\n# L ${nth}\n\nText ${nth}.\n`,
      );
      expect([name, status]).toEqual([name, 200]);
      expect([name, text]).toEqual([
        name,
        expect.stringContaining('\\"locked\\" was dropped: only a person sets it.'),
      ]);
      const [page] = Array.isArray(body.pages) ? body.pages : [body];
      expect((await read(isRecord(page) ? page.path : '')).content).not.toMatch(/^"?locked/m);
    }
    const sent = { slug: slug(), content: '# X', frontmatter: { locked: word } };
    const { body } = await live.http('POST', '/write', sent, 'laptop');
    expect((await read(body.path)).content).not.toContain('locked');
  });

  it('that a token wrote into a queued note goes when it is promoted', async () => {
    const sent = { path: 'raw/2026-11-01-agents.md', wing: 'net', hall: 'facts', slug: 'agents' };
    const { status, body } = await live.http('POST', '/promote', sent);
    expect([status, body.warnings]).toEqual([
      200,
      expect.arrayContaining(['"locked" was dropped: only a person sets it.']),
    ]);
    expect((await read('wiki/net/facts/agents.md')).front).not.toHaveProperty('locked');
  });
});

describe('characters that nobody sees', () => {
  it.each(Object.keys(DOORS))('do not come into front matter through %s', async (door) => {
    const number = slug();
    const text = `---\ntitle: "a\u202eb\\u200bc ${number}"\naliases:\n  - d\u2066e\nno\u200bte: {"f\\u202Eg": "h\u200b"}\nkept: "👨\u200d👩 می\u200cخواهم"\n---\n# ${number}\n\nText ${number}.\n`;
    const { status, body, text: said } = await through(door, text);
    expect([status, said]).toEqual([
      200,
      expect.stringContaining('Invisible characters were removed from the front matter.'),
    ]);
    const [page] = Array.isArray(body.pages) ? body.pages : [body];
    const { front } = await read(isRecord(page) ? page.path : '');
    expect(front).toMatchObject({
      title: `abc ${number}`,
      note: { fg: 'h' },
      kept: '👨\u200d👩 می\u200cخواهم',
    });
    expect(JSON.stringify(front.aliases)).toContain('"de"');
  });

  it('do not come into front matter beside the content', async () => {
    const sent = { text: `Words ${slug()}`, title: 'a\u202eb', tags: ['c\u200bd'], source: '\u2067e' };
    const { body } = await live.http('POST', '/capture', sent, 'laptop');
    expect(body.warnings).toContain('Invisible characters were removed from "title".');
    expect((await read(body.path)).front).toMatchObject({ title: 'ab', tags: ['cd'], source: 'e' });
  });
});

it('believes only its own stamp that a page was passed through', async () => {
  const { body } = await live.http('GET', '/pending');
  const entries = Array.isArray(body.pending) ? body.pending.filter(isRecord) : [];
  const of = (path: string) => entries.find((entry) => entry.path === path);
  expect(of('raw/2026-11-03-claims.md')).not.toHaveProperty('extraction');
  expect(of('raw/2026-11-04-made.md')).toMatchObject({ extraction: 'passthrough' });
});

async function propose(): Promise<Record<string, unknown>> {
  return (await live.http('POST', '/write', { slug: slug(), content: `# ${nth}` }, 'proposer')).body;
}

function block(text: string): string {
  return /^---\n([\s\S]*?)^---$/m.exec(text)?.[1] ?? '';
}

function holds(value: unknown): boolean {
  return JSON.stringify(value).includes('<%');
}

/** True when below the first block there is something that could be read as another one. */
function secondBlock(text: string): boolean {
  const below = /^\s*---\n[\s\S]*?^---[ \t]*(?:\n|$)([\s\S]*)/m.exec(text)?.[1] ?? text;
  return /^[\s\ufeff]*---[ \t]*\n(?:[^\n]*\n)*?---/.test(below);
}

describe('what a person', () => {
  const owned = {
    'raw/waiting.md': WAITING,
    'raw/locked.md': '---\nlocked: yes\n---\n# Locked\n\nBy hand.\n',
  };
  const address = { wing: 'net', hall: 'facts' };

  it('has put into front matter a person may promote, and is told of', async () => {
    const { run, files } = await openTestBrain(owned);
    const { path, warnings } = await run(promoteNote, { path: 'raw/waiting.md', ...address }, person);
    expect(warnings).toContainEqual(
      expect.stringMatching(/template code \("<%" in line 2, "x" of the note\)/),
    );
    expect(files.get(path)).toContain(`x: "${LIVE}"`);
    const { path: locked } = await run(promoteNote, { path: 'raw/locked.md', ...address }, agent);
    const update = { path: locked, content: '# X', reason: 'r' };
    await expect(run(updateNote, update, agent)).rejects.toMatchObject({ code: 'locked' });
  });

  it('locks stays locked, in any spelling, and what a writer locked is undone', async () => {
    const { run, files, vault } = await openTestBrain();
    const sent = { ...address, slug: 'mine', content: '---\nlocked: On\n---\n# Mine\n' };
    const { path } = await run(writeNote, sent, person);
    expect(files.get(path)).toContain('locked: On');
    const update = { path, content: '# X', reason: 'r' };
    await expect(run(updateNote, update, agent)).rejects.toMatchObject({ code: 'locked' });
    const stamps = 'created_at: 2026-11-20T10:32:00Z\norigin: http\nwritten_by: laptop';
    vault.outside(
      'wiki/net/facts/old.md',
      `---\nwing: net\nhall: facts\n${stamps}\nlocked: true\n---\n# Old\n`,
    );
    const { items, left } = await run(
      undoWriter,
      { by: 'laptop', since: '2026-11-20', dry_run: true },
      agent,
    );
    expect({ items, left }).toMatchObject({
      items: [{ path: 'wiki/net/facts/old.md', action: 'queue' }],
      left: [],
    });
  });
});
