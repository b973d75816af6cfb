import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type LiveServer, startLiveServer } from '../support/live-server';

let server: LiveServer;
beforeEach(async () => {
  server = await startLiveServer({ 'wiki/net/facts/known.md': '# Known note\n\nOf the vault.\n' });
});
afterEach(() => server.stop());

async function sendFile(batch: string, name: string, text: string, token = 'owner') {
  const query = new URLSearchParams({ batch, name });
  const answer = await fetch(`${server.url}/ingest-batch/file?${query.toString()}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: text,
  });
  const body: Record<string, unknown> = { ...JSON.parse(await answer.text()) };
  return { status: answer.status, body };
}

async function opened(options: Record<string, unknown> = {}, token = 'owner'): Promise<string> {
  const { body } = await server.http('POST', '/ingest-batch', options, token);
  return String(body.batch);
}

async function ingest(
  files: Readonly<Record<string, string>>,
  options: Record<string, unknown> = {},
  token = 'owner',
) {
  const batch = await opened(options, token);
  for (const [name, text] of Object.entries(files)) {
    expect(await sendFile(batch, name, text, token)).toMatchObject({ status: 200 });
  }
  return (await server.http('POST', '/ingest-batch/done', { batch }, token)).body;
}

const staged = () => readdir(join(server.root, '.brain/local.testtest/uploads'));
const note = (path: string) => readFile(join(server.root, path), 'utf8');

/** The text of the page made of a file. */
async function pageOf(
  answer: Record<string, unknown>,
  file: string,
): Promise<{ path: string; text: string }> {
  const files = answer.files as readonly { file: string; pages: readonly { path: string }[] }[]; // The documented shape.
  const path = files.find((each) => each.file === file)?.pages[0]?.path ?? 'absent';
  return { path, text: await note(path) };
}

const FILES = {
  'start.md':
    '# Start\n\n[[Plan]], [[sub/Plan#Goals]], [[Plan|the plan]], [the page](pages/site.html#top), [[Old name]], [[Known note]], [[nowhere]], ![[picture.png]].\n\n<a href="sub/Plan.md#Goals">Goals</a>, <p><a href="gone.md">gone</a></p>.\n',
  'sub/Plan.md':
    '---\naliases: [Old name]\n---\n# The plan\n\n## Goals\n\nBack to [start](../start.md) and [[The site]].\n',
  'pages/site.html':
    '<title>The site</title><h1>Site</h1><p>See <a href="../sub/Plan.md">the plan</a>, <a href="none.html">none</a>.</p>',
};

it('keeps the links between the files of a folder, of all kinds', async () => {
  const answer = await ingest(FILES);
  expect(answer).toMatchObject({ counts: { files: 3, ingested: 3, pages: 3, failed: 0 } });
  const [start, plan, site] = await Promise.all(Object.keys(FILES).map((file) => pageOf(answer, file)));
  const at = (page: { path: string } | undefined) => page?.path.replace(/\.md$/, '') ?? 'absent';
  expect(start?.text).toContain(
    `[[${at(plan)}|Plan]], [[${at(plan)}#Goals|The plan]], [[${at(plan)}|the plan]]`,
  );
  expect(start?.text).toContain(`[[${at(site)}|the page]], [[${at(plan)}|Old name]]`);
  expect(start?.text).toContain('[[wiki/net/facts/known|Known note]], nowhere, picture.png.');
  expect(start?.text).toContain(`\n[[${at(plan)}#Goals|Goals]], <p>gone</p>.`);
  expect(plan?.text).toContain(`[[${at(start)}|start]] and [[${at(site)}|The site]]`);
  expect(site?.text).toContain(`[[${at(plan)}|the plan]], none (\`none.html\`).`);
  expect(await staged()).toEqual([]);
  expect(await readdir(join(server.root, '.brain/local.testtest/promised'))).toEqual([]);
});

it('keeps every file byte for byte, and makes nothing twice', async () => {
  const first = await ingest(FILES);
  for (const { file, original } of first.files as readonly { file: keyof typeof FILES; original: string }[]) {
    expect(await note(original)).toBe(FILES[file]);
  }
  const before = await server.snapshot();
  const again = await ingest(FILES);
  expect(again).toMatchObject({ counts: { ingested: 0, unchanged: 3, pages: 0 } });
  const after = await server.snapshot();
  expect(Object.keys(after)).toEqual(Object.keys(before));
});

it('links a new file to pages that were made before, and to a note that says the same', async () => {
  const first = await ingest(FILES);
  const copy = {
    'copy.md': '# Known note\n\nOf the vault.\n',
    'later.md': '# Later\n\n[[Plan]] and [[copy]].\n',
  };
  const answer = await ingest({ ...FILES, ...copy });
  expect(answer).toMatchObject({ counts: { unchanged: 3, ingested: 2, pages: 1, duplicates: 1 } });
  const plan = (await pageOf(first, 'sub/Plan.md')).path.replace(/\.md$/, '');
  const later = await pageOf(answer, 'later.md');
  expect(later.text).toContain(`[[${plan}|Plan]] and [[wiki/net/facts/known|Known note]].`);
});

it('goes on after a cancelled run: the addresses that were promised are kept', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `n${n}.md`,
      `# Note ${n}\n\n[[n${(n + 1) % 40}]] and [[n${(n + 20) % 40}]].\n`,
    ]),
  );
  const batch = await opened();
  for (const [name, text] of Object.entries(files)) await sendFile(batch, name, text);
  const { body } = await server.http('POST', '/ingest-batch/done', { batch, background: true });
  const job = String(body.job);
  for (;;) {
    const { body: state } = await server.http('GET', `/job?id=${job}`);
    if (state.phase === 'writing' && Number(state.done) >= 3) break;
    if (!('job' in state)) break;
    await wait(1);
  }
  await server.http('DELETE', `/job?id=${job}`);
  let cut: Record<string, unknown>;
  do {
    await wait(5);
    cut = (await server.http('GET', `/job?id=${job}`)).body;
  } while ('job' in cut && cut.status === 'running');
  // Another note takes the first name that a second run would choose.
  const second = await ingest(files);
  expect(second).toMatchObject({ counts: { files: 40, failed: 0 } });
  const raw = (await readdir(join(server.root, 'raw'))).filter((name) => name.endsWith('.md'));
  expect(raw).toHaveLength(40);
  for (const file of Object.keys(files)) {
    const { text } = await pageOf(second, file);
    const links = [...text.matchAll(/\[\[(raw\/[^|\]]+)\|/g)].map(([, path]) => `${path}.md`);
    expect([file, links.length]).toEqual([file, 2]);
    for (const path of links) expect(raw).toContain(path.slice('raw/'.length));
  }
});

it('keeps the links of two folders that are ingested at once apart, and those of a text sent meanwhile', async () => {
  const folder = (name: string) =>
    Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [
        `${n}/Read me.md`,
        `# Read me\n\nOf ${name}, part ${n}.\n\n[next](../${(n + 1) % 12}/Read%20me.md)\n`,
      ]),
    );
  const batches = ['first', 'second'].map(async (name) => {
    const batch = await opened({ label: name });
    for (const [file, text] of Object.entries(folder(name))) await sendFile(batch, file, text);
    return batch;
  });
  const runs = (await Promise.all(batches)).map((batch) =>
    server.http('POST', '/ingest-batch/done', { batch }),
  );
  for (let n = 0; n < 6; n += 1) {
    const text = { text: `# Read me\n\nBy itself ${n}.\n`, title: 'Read me' };
    expect((await server.http('POST', '/ingest', text)).status).toBe(200);
  }
  for (const [at, { body }] of (await Promise.all(runs)).entries()) {
    expect(body).toMatchObject({ counts: { pages: 12, failed: 0 } });
    const name = ['first', 'second'][at] ?? '';
    for (let n = 0; n < 12; n += 1) {
      const { text } = await pageOf(body, `${n}/Read me.md`);
      const target = /\[\[(raw\/[^|\]]+)/.exec(text)?.[1] ?? 'no link';
      expect(await note(`${target}.md`)).toContain(`Of ${name}, part ${(n + 1) % 12}.`);
    }
  }
});

it('takes no more bytes than a caller may leave on the disk, and more when they are gone', async () => {
  const small = await startLiveServer({}, { maxUpload: 1024 });
  const send = async (batch: string, name: string, token = 'owner') => {
    const answer = await fetch(`${small.url}/ingest-batch/file?batch=${batch}&name=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: 'x'.repeat(1024),
    });
    const { error } = (await answer.json()) as { error?: { code: string; message: string } };
    return [answer.status, error?.code];
  };
  const open = async (token = 'owner') =>
    String((await small.http('POST', '/ingest-batch', {}, token)).body.batch);
  try {
    const [one, two] = [await open(), await open()];
    for (let n = 0; n < 60; n += 1) expect(await send(one, `${n}.txt`)).toEqual([200, undefined]);
    for (let n = 0; n < 4; n += 1) expect(await send(two, `${n}.txt`)).toEqual([200, undefined]);
    expect(await send(two, '4.txt')).toEqual([413, 'too_large']);
    expect(await send(await open('laptop'), '4.txt', 'laptop')).toEqual([200, undefined]);
    await small.http('DELETE', `/ingest-batch?batch=${one}`);
    expect(await send(two, '4.txt')).toEqual([200, undefined]);
  } finally {
    await small.stop();
  }
});

it('lets an agent promote pages of a folder one by one, with their links', async () => {
  const answer = await ingest({ 'a.md': '# Alpha\n\nSee [[b]].\n', 'b.md': '# Beta\n\nSee [[a]].\n' });
  const alpha = await pageOf(answer, 'a.md');
  const beta = await pageOf(answer, 'b.md');
  for (const { path } of [alpha, beta]) {
    const promoted = await server.http('POST', '/promote', { path, wing: 'net', hall: 'facts' }, 'janitor');
    expect(promoted.status).toBe(200);
  }
  expect(await note('wiki/net/facts/alpha.md')).toContain('[[wiki/net/facts/beta|Beta]]');
  expect(await note('wiki/net/facts/beta.md')).toContain('[[wiki/net/facts/alpha|Alpha]]');
});

it('tells of each file that fails, and takes the others', async () => {
  const answer = await ingest({
    'blank.md': ' \n',
    'good.md': '# Good\n\n[[blank]] words.\n',
    'bad.pdf': 'no PDF',
  });
  expect(answer).toMatchObject({
    counts: { files: 3, ingested: 1, empty: 1, failed: 1, pages: 1 },
    errors: [{ path: 'bad.pdf' }, { path: 'blank.md', code: 'no_text' }],
  });
  expect((await pageOf(answer, 'good.md')).text).toContain('\nblank words.\n');
});

it.each([
  ['../x.md', 'invalid_filename'],
  ['a/../x.md', 'invalid_filename'],
  ['/x.md', 'invalid_filename'],
  ['a//x.md', 'invalid_filename'],
  ['a\\x.md', 'invalid_filename'],
  ['', 'invalid_filename'],
  ['x.exe', 'unsupported_type'],
])('refuses a file named %j', async (name, code) => {
  const batch = await opened();
  expect(await sendFile(batch, name, 'x')).toMatchObject({ status: 400, body: { error: { code } } });
  expect(await staged()).toEqual([]);
});

it('belongs to its caller, and is dropped on demand', async () => {
  const batch = await opened();
  expect((await sendFile(batch, 'x.md', 'x', 'laptop')).status).toBe(404);
  expect((await sendFile(batch, 'x.md', 'x')).status).toBe(200);
  expect((await server.http('POST', '/ingest-batch/done', { batch }, 'laptop')).status).toBe(404);
  expect((await server.http('POST', '/ingest-batch', {}, 'reader')).status).toBe(403);
  expect(await staged()).toHaveLength(1);
  const dropped = await server.http('DELETE', `/ingest-batch?batch=${batch}`);
  expect([dropped.status, dropped.body.files]).toEqual([200, 1]);
  expect(await staged()).toEqual([]);
  expect((await server.http('POST', '/ingest-batch/done', { batch })).status).toBe(404);
});

it('changes nothing in a dry run, for a batch without files, or with a wrong wing', async () => {
  const before = await server.snapshot();
  const batch = await opened();
  expect((await server.http('POST', '/ingest-batch/done', { batch })).body.error).toMatchObject({
    code: 'empty_content',
  });
  await sendFile(batch, 'x.md', '# X\n\nWords.\n');
  const dry = await server.http('POST', '/ingest-batch/done', { batch, dry_run: true });
  expect(dry.body).toMatchObject({ counts: { pages: 1 } });
  expect((await server.http('POST', '/ingest-batch', { wing: '..' })).body.error).toMatchObject({
    code: 'invalid_wing',
  });
  expect(await server.snapshot()).toEqual(before);
});

it('tells a token that may not read nothing of the notes of others', async () => {
  const answer = await ingest({ 'x.md': '[[Known note]] and [[guess]].\n' }, {}, 'dropbox');
  expect(answer).toMatchObject({ counts: { pages: 1 }, links: { kept: 0, removed: 0 } });
});

describe('files that are not read', () => {
  const day = () => readdir(join(server.root, 'inbox/processed')).then(([first = 'absent']) => first);
  const originals = async () => (await readdir(join(server.root, 'inbox/processed', await day()))).sort();
  const TRIP = {
    'trip.md':
      '# Trip\n\n![[my shot.png]] ![the tap](img/tap%20a.JPG) [map](plan.canvas) [[sheet.xlsx|costs]] ![[none.png]]\n',
    'deep/site.html':
      '<h1>Site</h1><p>Words. <img src="../img/far.webp" alt="far"> <a href="../a/talk.mp3">talk</a></p>',
    'img/my shot.png': 'PNG one',
    'img/tap a.JPG': 'JPG two',
    'img/far.webp': 'WEBP three',
    'a/talk.mp3': 'MP3 four',
    'plan.canvas': '{}',
    'sheet.xlsx': 'PK',
    'img/unused.png': 'PNG unused',
  };

  it('are kept beside the originals when a note embeds or links them, and links lead there', async () => {
    const answer = await ingest(TRIP);
    const at = `inbox/processed/${await day()}`;
    expect(answer).toMatchObject({
      counts: { files: 9, ingested: 2, pages: 2, attached: 6, not_linked: 1, failed: 0 },
      errors: [],
    });
    expect(answer.attachments).toContainEqual({ file: 'img/my shot.png', original: `${at}/my shot.png` });
    expect(answer.attachments).toContainEqual({ file: 'img/unused.png' });
    const trip = await pageOf(answer, 'trip.md');
    expect(trip.text).toContain(
      `![[${at}/my shot.png]] ![[${at}/tap a.JPG|the tap]] [[${at}/plan.canvas|map]] [[${at}/sheet.xlsx|costs]] none.png`,
    );
    const site = await pageOf(answer, 'deep/site.html');
    expect(site.text).toContain(`[[${at}/talk.mp3|talk]]`);
    expect(site.text).toContain(`[[${at}/far.webp|far]]`);
    expect(await note(`${at}/my shot.png`)).toBe('PNG one');
    expect(await originals()).not.toContain('unused.png');
    expect(await staged()).toEqual([]);
  });

  it('are kept once, whatever is sent again', async () => {
    const first = await ingest(TRIP);
    const before = await originals();
    const again = await ingest(TRIP);
    expect(again).toMatchObject({ counts: { unchanged: 2, attached: 6, not_linked: 1 } });
    expect(again.attachments).toEqual(first.attachments);
    const more = await ingest({ 'more.md': '# More\n\n![[my shot.png]]\n', 'my shot.png': 'PNG one' });
    const forced = await ingest(TRIP, { force: true });
    expect(forced).toMatchObject({ counts: { duplicates: 2, attached: 6 } });
    expect((await pageOf(more, 'more.md')).text).toContain(`/my shot.png]]`);
    expect(await originals()).toEqual([...before, 'more.md.txt'].sort());
  });

  it('of one name get names of their own, and each note its own', async () => {
    const answer = await ingest({
      'a/one.md': '# One\n\n![](image.png)\n',
      'a/image.png': 'PNG a',
      'b/two.md': '# Two\n\n![[image.png]]\n',
      'b/image.png': 'PNG b',
      'c/three.md': '# Three\n\n![[image.png]]\n',
      'c/image.png': 'PNG a',
    });
    expect(answer).toMatchObject({ counts: { pages: 3, attached: 3 } });
    const shown = async (file: string) => {
      const [, at = 'absent'] = /!\[\[([^|\]]+)/.exec((await pageOf(answer, file)).text) ?? [];
      return note(at);
    };
    expect(await shown('a/one.md')).toBe('PNG a');
    expect(await shown('b/two.md')).toBe('PNG b');
    expect(await shown('c/three.md')).toBe('PNG a');
    expect((await originals()).filter((name) => name.endsWith('.png'))).toHaveLength(2);
  });

  it('are not kept in a dry run, nor without a note', async () => {
    const before = await server.snapshot();
    const batch = await opened();
    await sendFile(batch, 'x.png', 'PNG');
    const alone = await server.http('POST', '/ingest-batch/done', { batch });
    expect(alone.body.error).toMatchObject({ code: 'empty_content' });
    await sendFile(batch, 'x.md', '# X\n\n![[x.png]]\n');
    const dry = await server.http('POST', '/ingest-batch/done', { batch, dry_run: true });
    expect(dry.body).toMatchObject({ counts: { pages: 1, attached: 1 } });
    expect(await server.snapshot()).toEqual(before);
  });

  it('may come from a token that only proposes', async () => {
    const files = { 'x.md': '# X\n\n![[x.png]]\n', 'x.png': 'PNG' };
    expect(await ingest(files, {}, 'dropbox')).toMatchObject({ counts: { pages: 1, attached: 1 } });
    const [name = 'absent'] = (await readdir(join(server.root, 'raw'))).filter((each) =>
      each.endsWith('.md'),
    );
    expect(await note(`raw/${name}`)).toContain(`![[inbox/processed/${await day()}/x.png]]`);
  });
});
