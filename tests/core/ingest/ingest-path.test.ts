import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { nodeSourceFiles } from '../../../src/adapters/vault/sources';
import type { Caller } from '../../../src/core/access/tokens';
import { sha256 } from '../../../src/core/base/hash';
import type { FolderAnswer } from '../../../src/core/operation/shapes';
import { cancelJob, followJob, ingestPath } from '../../../src/core/ingest/operations';
import { openBatch } from '../../../src/core/ingest/upload-batch';
import { perform } from '../../../src/core/operation/operation';
import type { Progress } from '../../../src/core/base/steps';
import { StopController } from '../../../src/core/base/concurrency';
import type { Settings } from '../../../src/core/config/config';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { fakeDocuments } from '../../support/fake-documents';
import { withTempFolder } from '../../support/temp-folder';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

interface World extends TestBrain {
  readonly top: string;
  readonly documents: ReturnType<typeof fakeDocuments>;
  /** Makes a file below `top`, where the inbox of the vault is `vault/inbox`. */
  readonly put: (at: string, text?: string) => Promise<string>;
}

/** Notes in memory; the files that are named to the service lie on the disk. */
function withWorld(work: (world: World) => Promise<void>, settings: Settings = {}) {
  return withTempFolder(async (top) => {
    const root = path.join(top, 'vault');
    await mkdir(path.join(root, 'inbox'), { recursive: true });
    const allowed = [path.join(top, 'allowed')];
    const sources = nodeSourceFiles({
      root,
      watchDir: 'inbox',
      allowed,
      secret: [],
    });
    const documents = fakeDocuments();
    const opened = await openTestBrain({}, settings, undefined, { sources, documents });
    try {
      await work({
        ...opened,
        top,
        documents,
        async put(at, text = `# ${path.basename(at)}\n\nWords of ${at}.\n`) {
          const full = path.join(top, at);
          await mkdir(path.dirname(full), { recursive: true });
          await writeFile(full, text);
          return full;
        },
      });
    } finally {
      await opened.close();
    }
  });
}

async function folder(world: World, ask: object): Promise<FolderAnswer> {
  const answer = await world.run(ingestPath, ask);
  if (!('errors' in answer)) throw new Error('not the answer of a folder');
  return answer;
}

describe('a file', () => {
  it('of the inbox becomes a page that links to it, and stays where it is', () =>
    withWorld(async (world) => {
      const full = await world.put('vault/inbox/report.txt', 'The tunnel needs 1412 bytes.\n');
      const answer = await world.run(ingestPath, {
        path: 'inbox/report.txt',
        wing: 'homelab',
        hall: 'facts',
      });
      expect(answer).toMatchObject({
        file: 'inbox/report.txt',
        converted: false,
        extraction: 'passthrough',
        destination: 'raw',
        counts: { written: 1 },
        pages: [{ status: 'written', path: expect.stringMatching(/^raw\/2026-11-20-.*\.md$/) }],
      });
      const [note = ''] = [...world.files].filter(([at]) => at.startsWith('raw/')).map(([, text]) => text);
      expect(note).toContain('"[[inbox/report.txt|report.txt]]"');
      expect(note).toContain('The tunnel needs 1412 bytes.');
      expect(await readFile(full, 'utf8')).toBe('The tunnel needs 1412 bytes.\n');
    }));

  it.each(['/inbox/report.txt', '/brain/inbox/report.txt'])('of the inbox is also named %s', (at) =>
    withWorld(async (world) => {
      await world.put('vault/inbox/report.txt');
      for (const caller of [agent, person])
        expect(await world.run(ingestPath, { path: at, force: true }, caller)).toMatchObject({
          file: 'inbox/report.txt',
        });
    }),
  );

  it('outside the vault is referred to by its name, whatever page of it a page is from', () =>
    withWorld(async (world) => {
      const markdown = 'The tunnel needs 1412 bytes.';
      world.documents.script('report.pdf', { markdown, pages: [{ page: 1, from: 0 }] });
      await world.run(ingestPath, { path: await world.put('allowed/report.pdf') });
      const [note = ''] = [...world.files].filter(([at]) => at.startsWith('raw/')).map(([, text]) => text);
      expect(note).toContain('sources: ["file:report.pdf"]');
    }));

  it('that tells its address and author passes them on, without template code', () =>
    withWorld(async (world) => {
      world.documents.script('page.html', {
        markdown: 'The tunnel needs 1412 bytes.',
        address: 'https://e.org/tunnel',
        properties: { author: 'A. B <% x %>', date: '2024-03-05', site: 'E: all' },
      });
      await world.run(ingestPath, { path: await world.put('allowed/page.html') });
      const [note = ''] = [...world.files].filter(([at]) => at.startsWith('raw/')).map(([, text]) => text);
      expect(note).toContain('sources: ["file:page.html", "https://e.org/tunnel"]');
      expect(parseNote(note).frontmatter).toMatchObject({
        author: 'A. B < % x %>',
        date: '2024-03-05',
        site: 'E: all',
      });
    }));

  it('of an allowed folder leaves its name, and no copy', () =>
    withWorld(async (world) => {
      const full = await world.put('allowed/b.md');
      expect(await world.run(ingestPath, { path: full })).toMatchObject({
        file: full,
        counts: { written: 1 },
      });
      const notes = [...world.files].filter(([at]) => at.startsWith('raw/'));
      expect(notes).toHaveLength(1);
      expect(notes[0]?.[1]).toContain('file:b.md');
      expect([...world.files.keys()].filter((at) => at.startsWith('inbox/'))).toEqual([]);
    }));

  it('that is known is not taken twice, unless that is wanted', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md');
      await world.run(ingestPath, { path: 'inbox/a.md' });
      const before = new Map(world.files);
      expect(await world.run(ingestPath, { path: 'inbox/a.md' })).toMatchObject({ extraction: 'unchanged' });
      expect(world.files).toEqual(before);
      expect(world.documents.asked).toEqual(['a.md']);
      await world.run(ingestPath, { path: 'inbox/a.md', force: true });
      expect(world.documents.asked).toEqual(['a.md', 'a.md']);
    }));

  it('of a kind that is not read is refused, and so is one for a converter that is not there', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.exe');
      await world.put('vault/inbox/b.docx');
      expect(await world.refusal(ingestPath, { path: 'inbox/a.exe' })).toMatchObject({
        code: 'unsupported_type',
      });
      expect(await world.refusal(ingestPath, { path: 'inbox/b.docx', background: true })).toMatchObject({
        code: 'unsupported_type',
        message: expect.stringContaining('CONVERTER_URL'),
      });
      world.documents.converter = true;
      world.documents.script('b.docx', { markdown: '# B\n\nConverted.', converted: true });
      expect(await world.run(ingestPath, { path: 'inbox/b.docx' })).toMatchObject({ converted: true });
    }));

  it('is only told about in a dry run', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md');
      const before = new Map(world.files);
      const answer = await world.run(ingestPath, { path: 'inbox/a.md', dry_run: true });
      expect(answer).toMatchObject({
        pages: [{ status: 'written', text: expect.stringContaining('Words of') }],
      });
      expect(world.files).toEqual(before);
    }));

  it('is reached by a person in the app nearly everywhere, by a token and on the page only inside the fence', () =>
    withWorld(async (world) => {
      const full = await world.put('elsewhere/a.md');
      const settings = await world.put('vault/.obsidian/data.md');
      const onPage: Caller = { ...person, origin: 'web' };
      for (const caller of [agent, onPage])
        expect(await world.refusal(ingestPath, { path: full }, caller)).toMatchObject({
          code: 'path_not_allowed',
        });
      expect(await world.run(ingestPath, { path: full }, person)).toMatchObject({ counts: { written: 1 } });
      expect(await world.refusal(ingestPath, { path: settings }, person)).toMatchObject({
        code: 'path_not_allowed',
      });
      expect(await world.refusal(ingestPath, { path: 'inbox/x.md' })).toMatchObject({
        code: 'source_missing',
      });
      expect(await world.refusal(ingestPath, { path: ' ' })).toMatchObject({ code: 'invalid_field' });
      const reader = callerWith(['read']);
      expect(await world.refusal(ingestPath, { path: full }, reader)).toMatchObject({
        code: 'forbidden_scope',
      });
    }));

  it('cannot be named where the vault is on no disk', async () => {
    const { refusal, close } = await openTestBrain();
    expect(await refusal(ingestPath, { path: 'inbox/a.md' })).toMatchObject({ code: 'path_not_allowed' });
    await close();
  });
});

describe('a folder', () => {
  it('tells of every file, and fails with none of them', () =>
    withWorld(async (world) => {
      for (const name of ['b.md', 'a.txt', 'sub/c.md', 'sub/d.exe', 'e.docx', '.hidden.md']) {
        await world.put(`vault/inbox/${name}`);
      }
      await world.put('vault/inbox/empty.md', '');
      execFileSync('mkfifo', [path.join(world.top, 'vault/inbox/pipe.md')]);
      const told: Progress[] = [];
      const watch = { progress: (progress: Progress) => told.push(progress) };
      const answer = await perform(world.brain, ingestPath, { path: 'inbox' }, agent, watch);
      expect(answer).toMatchObject({
        path: 'inbox',
        files: [{ file: 'inbox/a.txt' }, { file: 'inbox/b.md' }, { file: 'inbox/sub/c.md' }],
        skipped: ['inbox/e.docx', 'inbox/sub/d.exe'],
        counts: { files: 6, ingested: 3, unchanged: 0, skipped: 2, failed: 1 },
        errors: [{ path: 'inbox/empty.md', code: 'no_text', message: expect.any(String) }],
      });
      const written = told.filter(({ phase }) => phase === 'writing');
      expect(written).toEqual([0, 1, 2, 3, 4, 5, 6].map((done) => ({ done, total: 6, phase: 'writing' })));
      const read = told.filter(({ phase }) => phase === 'reading');
      expect(read).toEqual([1, 2, 3, 4].map((done) => ({ done, total: 4, phase: 'reading' })));
      expect(await folder(world, { path: 'inbox', recursive: false })).toMatchObject({
        counts: { files: 4, ingested: 0, unchanged: 2, skipped: 1, failed: 1 },
      });
    }));

  it('of the vault links to its other files where they are, and leaves them there', () =>
    withWorld(async (world) => {
      await world.put(
        'vault/inbox/trip/notes/trip.md',
        '# Trip\n\n![[shot.png]] ![tap](../img/tap.png) [board](../plan.canvas) ![[tool.exe]] ![[none.png]]\n',
      );
      for (const name of ['img/shot.png', 'img/tap.png', 'plan.canvas', 'img/unused.png', 'tool.exe'])
        await world.put(`vault/inbox/trip/${name}`, name);
      const answer = await folder(world, { path: 'inbox/trip' });
      expect(answer).toMatchObject({ counts: { ingested: 1, skipped: 5, failed: 0 } });
      const text = world.files.get(answer.files[0]?.pages[0]?.path ?? '');
      expect(text).toContain(
        '![[inbox/trip/img/shot.png]] ![[inbox/trip/img/tap.png|tap]] [[inbox/trip/plan.canvas|board]] tool.exe none.png',
      );
      expect(await readFile(path.join(world.top, 'vault/inbox/trip/img/shot.png'), 'utf8')).toBe(
        'img/shot.png',
      );
      expect([...world.files.keys()].filter((at) => at.startsWith('inbox/'))).toEqual([]);
    }));

  it('with too many files is refused before anything is done', () =>
    withWorld(async (world) => {
      for (let number = 0; number <= 1000; number += 1) await world.put(`vault/inbox/${number}.md`);
      expect(await world.refusal(ingestPath, { path: 'inbox' })).toMatchObject({ code: 'too_large' });
      expect(world.documents.asked).toEqual([]);
    }));

  it('goes on when a file brings out a fault of the service, of which no words are shown', () =>
    withWorld(async (world) => {
      for (const name of ['a.md', 'b.md']) await world.put(`vault/inbox/${name}`);
      world.documents.script('a.md', () => Promise.reject(new TypeError('the words of a private note')));
      const answer = await folder(world, { path: 'inbox' });
      expect(answer).toMatchObject({
        files: [{ file: 'inbox/b.md' }],
        errors: [{ path: 'inbox/a.md', code: 'internal' }],
      });
      expect(JSON.stringify(answer)).not.toContain('private');
    }));

  it('that is called off keeps what it has done, and says so', () =>
    withWorld(async (world) => {
      for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) await world.put(`vault/inbox/${name}`);
      const signal = new StopController();
      const progress = ({ done, phase }: Progress) => {
        if (done === 2 && phase === 'writing') signal.stop();
      };
      const answer = await perform(world.brain, ingestPath, { path: 'inbox' }, agent, { signal, progress });
      expect(answer).toMatchObject({
        files: [{ file: 'inbox/a.md' }, { file: 'inbox/b.md' }],
        counts: { files: 4, ingested: 2, failed: 0 },
        errors: [],
        cancelled: true,
      });
      expect([...world.files.keys()].filter((at) => at.startsWith('raw/'))).toHaveLength(2);
      expect(await folder(world, { path: 'inbox' })).toMatchObject({ counts: { ingested: 2, unchanged: 2 } });
    }));

  it('that is cut, edited and sent again gives an edited file the address that links lead to', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md', '# A\n\nSee [[b]].\n');
      await world.put('vault/inbox/b.md', '# B\n\nFrist words.\n');
      const sendAndCut = async () => {
        world.clock.advance(1000);
        const signal = new StopController();
        const progress = ({ done, phase }: Progress) => {
          if (done === 1 && phase === 'writing') signal.stop();
        };
        await perform(world.brain, ingestPath, { path: 'inbox' }, agent, { signal, progress });
      };
      await sendAndCut();
      const raw = () => [...world.files.keys()].filter((at) => at.startsWith('raw/'));
      expect(raw()).toEqual(['raw/2026-11-20-a.md']);
      expect(world.files.get('raw/2026-11-20-a.md')).toContain('See [[raw/2026-11-20-b|B]].');
      await world.put('vault/inbox/b.md', '# B\n\nFirts words.\n');
      await sendAndCut();
      await world.put('vault/inbox/b.md', '# B\n\nFirst words.\n');
      // A file that is planned before it has the name too.
      await world.put('vault/inbox/aa.md', '# B\n\nOther words.\n');
      expect(await folder(world, { path: 'inbox', dry_run: true })).toMatchObject({
        files: [
          {},
          { pages: [{ path: 'raw/2026-11-20-b-2.md' }] },
          { pages: [{ path: 'raw/2026-11-20-b.md' }] },
        ],
      });
      await folder(world, { path: 'inbox' });
      expect(raw().sort()).toEqual(['raw/2026-11-20-a.md', 'raw/2026-11-20-b-2.md', 'raw/2026-11-20-b.md']);
      expect(world.files.get('raw/2026-11-20-b.md')).toContain('First words.');
      // Nothing is promised any more.
      await world.put('vault/inbox/b.md', '# B\n\nLast words.\n');
      await folder(world, { path: 'inbox' });
      expect(world.files.get('raw/2026-11-20-b-3.md')).toContain('Last words.');
    }));

  it('that is called off within a file takes that for no failure of it', () =>
    withWorld(async (world) => {
      for (const name of ['a.md', 'b.md']) await world.put(`vault/inbox/${name}`);
      const signal = new StopController();
      world.documents.script('b.md', () => {
        signal.stop();
        return Promise.reject(new Error('called off'));
      });
      const answer = await perform(world.brain, ingestPath, { path: 'inbox' }, agent, { signal });
      expect(answer).toMatchObject({
        counts: { files: 2, ingested: 0, failed: 0 },
        errors: [],
        cancelled: true,
      });
    }));
});

describe('in the background', () => {
  it('answers with a job, whose outcome is the answer', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md');
      const begun = await world.run(ingestPath, { path: 'inbox/a.md', background: true });
      if (!('job' in begun)) throw new Error('no job');
      await world.brain.jobs.wait(begun.job, agent, 1);
      expect(await world.run(followJob, { id: begun.job })).toMatchObject({
        file: 'inbox/a.md',
        counts: { written: 1 },
      });
      const other = callerWith(undefined, 'other');
      expect(await world.refusal(followJob, { id: begun.job }, other)).toMatchObject({ code: 'not_found' });
      expect(await world.refusal(cancelJob, { id: begun.job }, other)).toMatchObject({ code: 'not_found' });
    }));

  it('can be called off, and tells what it has done', () =>
    withWorld(async (world) => {
      for (const name of ['a.md', 'b.md', 'c.md']) await world.put(`vault/inbox/${name}`);
      let reached = (): void => undefined;
      const atB = new Promise<void>((resolve) => (reached = resolve));
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      world.documents.script('b.md', async () => {
        reached();
        await held;
        throw new Error('called off');
      });
      const begun = await world.run(ingestPath, { path: 'inbox', background: true });
      if (!('job' in begun)) throw new Error('no job');
      await atB;
      expect(await world.run(followJob, { id: begun.job })).toEqual({
        job: begun.job,
        status: 'running',
        done: expect.any(Number),
        total: 3,
        phase: 'reading',
      });
      expect(await world.run(cancelJob, { id: begun.job })).toMatchObject({ status: 'running' });
      letGo();
      await world.brain.jobs.wait(begun.job, agent, 1);
      expect(await world.run(followJob, { id: begun.job })).toMatchObject({
        files: [],
        cancelled: true,
      });
    }));

  it('does not begin with a path that is wrong', () =>
    withWorld(async (world) => {
      expect(await world.refusal(ingestPath, { path: '/etc/passwd', background: true })).toMatchObject({
        code: 'path_not_allowed',
      });
    }));
});

describe('a folder whose files come together', () => {
  it('from another program is read as its export, and the answer says so', () =>
    withWorld(async (world) => {
      const id = (n: number) => String(n).repeat(32);
      await world.put(`allowed/One ${id(1)}.md`, `# One\n\n[two](https://www.notion.so/Two-${id(2)})\n`);
      const full = await world.put(`allowed/Two ${id(2)}.md`, '# Two\n\nStatus: Done\n\nWords.\n');
      const answer = await folder(world, { path: path.dirname(full) });
      expect(answer.warnings).toEqual(['The folder was read as a Notion export.']);
      const notes = new Map([...world.files].filter(([at]) => at.startsWith('raw/')));
      expect(notes.get('raw/2026-11-20-one.md')).toContain('[[raw/2026-11-20-two|two]]');
      expect(notes.get('raw/2026-11-20-two.md')).toContain('Status: Done\n');
    }));

  it('keeps the links to a file that changes between its reading and its turn', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md', '# Alpha\n\nSee [[b]].\n');
      await world.put('vault/inbox/b.md', '# Beta\n\nOld words, see [[a]].\n');
      await world.put('vault/inbox/c.md', '# Beta\n\nAnother one of that name, see [[b]].\n');
      const writes: Promise<unknown>[] = [];
      const changed = '# Beta, changed\n\nNew words, see [[a]].\n';
      const answer = await perform(world.brain, ingestPath, { path: 'inbox' }, agent, {
        progress: ({ phase, done }) => {
          if (phase === 'writing' && done === 0) writes.push(world.put('vault/inbox/b.md', changed));
        },
      });
      await Promise.all(writes);
      expect(answer).toMatchObject({ counts: { ingested: 3, failed: 0 } });
      const files = 'errors' in answer ? answer.files : [];
      const page = (at: string) => {
        const path = files.find(({ file }) => file === `inbox/${at}.md`)?.pages[0]?.path ?? 'absent';
        return { link: path.replace(/\.md$/, ''), text: world.files.get(path) ?? '' };
      };
      expect(page('b').text).toContain('New words');
      expect(page('b').text).toContain(`source_hash: "${sha256(changed)}"`);
      expect(page('b').text).toContain(`[[${page('a').link}|`);
      for (const other of ['a', 'c']) expect(page(other).text).toContain(`[[${page('b').link}|`);
    }));

  it('makes the ledger durable, also when all files say what notes say already', () =>
    withWorld(async (world) => {
      const append = jest.spyOn(world.brain.whole.state, 'append');
      await world.put('allowed/one/a.md', '# One\n\nThe same words.\n');
      await world.put('allowed/one/b.md', '# Two\n\nMore words.\n');
      await folder(world, { path: path.join(world.top, 'allowed/one') });
      append.mockClear();
      await world.put('allowed/two/a.md', '---\ntag: x\n---\n# One\n\nThe same words.\n');
      await world.put('allowed/two/b.md', '---\ntag: x\n---\n# Two\n\nMore words.\n');
      const answer = await folder(world, { path: path.join(world.top, 'allowed/two') });
      expect(answer.files.map(({ counts }) => counts.duplicate)).toEqual([1, 1]);
      const lines = append.mock.calls.filter(([file]) => file.startsWith('ledger.'));
      expect(lines.at(-1)?.[2]).toBe(true);
      expect(lines).toHaveLength(3);
    }));
});

it('opens no batch for a wing into which the caller may not write, and counts each one', async () => {
  const { refusal } = await openTestBrain({}, { rateLimit: 1 });
  const limited: Caller = { ...callerWith(['propose'], 'intern'), limits: { writeWings: ['lab'] } };
  expect(await refusal(openBatch, { wing: 'home' }, limited)).toMatchObject({ code: 'forbidden_scope' });
  // This vault receives no files.
  expect(await refusal(openBatch, { wing: 'lab' }, limited)).toMatchObject({ code: 'path_not_allowed' });
  expect(await refusal(openBatch, { wing: 'lab' }, limited)).toMatchObject({ code: 'rate_limited' });
});

it('makes pages of the attachments of the mails of a folder, linked with the mail and not with files of that name', () =>
  withWorld(async (world) => {
    await world.put('allowed/mails/costs.md', '# Costs\n\nOther costs.\n');
    for (const name of ['a.eml', 'b.eml']) {
      await world.put(`allowed/mails/${name}`, name);
      world.documents.script(name, {
        markdown: `Words of ${name}, as [[costs]] are.\n`,
        attachments: [
          { name: 'costs.csv', text: { markdown: `Costs of ${name}.\n`, converted: false, warnings: [] } },
        ],
      });
    }
    const { files } = await folder(world, { path: path.join(world.top, 'allowed/mails') });
    expect(files.map(({ pages }) => pages.length)).toEqual([2, 2, 1]);
    const textAt = (at: string | undefined) => parseNote(world.files.get(at ?? '') ?? '').body;
    for (const { file, pages } of files.filter((one) => one.file.endsWith('.eml'))) {
      const [mail, attached] = pages;
      expect(textAt(mail?.path)).toContain(`Words of ${path.basename(file)}, as [[raw/2026-11-20-costs-3|`);
      expect(textAt(mail?.path)).toContain(`\n- [[${attached?.path?.slice(0, -3)}|costs]]\n`);
      expect(textAt(attached?.path)).toContain(`Attached to [[${mail?.path?.slice(0, -3)}|`);
    }
  }));
