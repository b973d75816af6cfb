import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const sandbox = new Sandbox();
let server: ServerProcess;

beforeAll(async () => {
  put('raw/2026-11-01-fan.md', '---\nwing: homelab\nhall: facts\n---\n# Fan\n\nIt rattles.\n');
  put('raw/2026-11-02-disk.md', '---\nwing: homelab\nhall: failures\n---\n# Disk\n\nIt broke.\n');
  put('raw/2026-11-03-half.md', '---\nwing: homelab\n---\n# Half\n\nNo hall.\n');
  put('raw/2026-11-04-none.md', '# None\n\nNo address.\n');
  put('raw/2026-11-05-bad.md', '---\nwing: "../up"\nhall: facts\n---\n# Bad\n\nA wing that is a path.\n');
  put('wiki/office/facts/printer.md', '---\ncreated_at: 2026-01-01T00:00:00Z\n---\n# Printer\n\nJams.\n');
  server = await sandbox.serve();
});
afterAll(() => sandbox.remove());

function put(at: string, text: string): void {
  const file = path.join(sandbox.vault, at);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const brain = (args: readonly string[], input?: string) =>
  sandbox.run(args, { env: { BRAIN_URL: server.url }, ...(input !== undefined && { input }) });
const queue = () => readdirSync(path.join(sandbox.vault, 'raw')).filter((name) => name.endsWith('.md'));

describe('the review queue', () => {
  it('is listed in pages', async () => {
    const { code, stdout } = await brain(['pending', '--limit', '1', '--offset', '1']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^5 notes to review, 1 shown\nraw\/2026-11-02-disk\.md {2}Disk\n/);
    expect(stdout).toMatch(/\n5 notes in all; see the next with --offset 2\n$/);
    expect((await brain(['pending', '--offset', '9'])).stdout).toContain('all before --offset 9');
  });

  it('is promoted where the notes suggest an address, after a dry run that changes nothing', async () => {
    const before = queue();
    const dry = await brain(['promote', '--suggested', '--dry-run']);
    expect(dry.stdout).toContain('Would promote raw/2026-11-01-fan.md to wiki/homelab/facts/fan.md\n');
    expect(queue()).toEqual(before);
    const { code, stdout, stderr } = await brain(['promote', '--suggested']);
    expect(stdout).toContain('Promoted raw/2026-11-01-fan.md to wiki/homelab/facts/fan.md\n');
    expect(stdout).toContain('Promoted raw/2026-11-02-disk.md to wiki/homelab/failures/disk.md\n');
    expect(stdout).toContain('raw/2026-11-03-half.md: left, it suggests no hall\n');
    expect(stdout).toContain('raw/2026-11-04-none.md: left, it suggests no wing and no hall\n');
    expect(stdout).toMatch(/raw\/2026-11-05-bad\.md: failed, .+ \(invalid_wing\)\n/);
    expect(stdout).toMatch(/\n2 promoted, 2 left, 1 failed\n$/);
    expect([code, stderr]).toEqual([1, 'brain: 1 note could not be promoted.\n']);
    expect(queue()).toEqual(['2026-11-03-half.md', '2026-11-04-none.md', '2026-11-05-bad.md']);
  });

  it('is one JSON object with --json, also when notes were left', async () => {
    const { code, stdout } = await brain(['promote', '--suggested', 'raw/2026-11-03-half.md', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        promoted: [],
        left: [{ path: 'raw/2026-11-03-half.md', missing: ['hall'] }],
        failed: [],
        not_tried: 0,
      },
    ]);
    const gone = await brain(['promote', '--suggested', 'raw/nothing.md', '--json']);
    expect([gone.code, JSON.parse(gone.stdout)]).toMatchObject([1, { failed: [{ code: 'source_missing' }] }]);
  });

  it('gives several notes one address', async () => {
    const names = ['raw/2026-11-03-half.md', 'raw/2026-11-04-none.md', 'raw/nothing.md'];
    const { code, stdout } = await brain(['promote', ...names, '--wing', 'attic', '--hall', 'facts']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n2 promoted, 0 left, 1 failed\n$/);
    expect(readdirSync(path.join(sandbox.vault, 'wiki/attic/facts'))).toEqual(['half.md', 'none.md']);
  });

  it('takes a promotion back, and a rejection', async () => {
    const { code, stdout } = await brain(['unpromote', 'wiki/attic/facts/none.md']);
    expect([code, stdout]).toEqual([0, 'Returned wiki/attic/facts/none.md to raw/2026-11-04-none.md\n']);
    expect((await brain(['reject', 'raw/2026-11-04-none.md'])).code).toBe(0);
    const dry = await brain(['restore', 'raw/rejected/2026-11-04-none.md', '--dry-run']);
    expect(dry.stdout).toMatch(/^Would return raw\/rejected\//);
    const back = await brain(['restore', 'raw/rejected/2026-11-04-none.md', '--json']);
    expect(JSON.parse(back.stdout)).toEqual({
      path: 'raw/2026-11-04-none.md',
      from: 'raw/rejected/2026-11-04-none.md',
    });
    expect(queue()).toContain('2026-11-04-none.md');
    expect((await brain(['unpromote', 'wiki/office/facts/printer.md'])).stderr).toContain('(not_in_queue)');
  });

  it.each<[string, string[], RegExp]>([
    ['neither notes nor --suggested', ['promote'], /Name the notes to promote, or give --suggested/],
    ['no address', ['promote', 'raw/a.md', '--wing', 'a'], /Give --wing and --hall, or --suggested/],
    ['two addresses', ['promote', '--suggested', '--wing', 'a'], /Leave --wing and --hall out/],
    [
      'one name for several',
      ['promote', 'raw/a.md', 'raw/b.md', '--wing', 'a', '--hall', 'facts', '--slug', 'x'],
      /One note alone can have --slug and --expected-hash/,
    ],
  ])('is not promoted with %s', async (_, args, message) => {
    const { code, stderr, stdout } = await brain(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });
});

describe('what the vault holds', () => {
  it('is listed by wing', async () => {
    const { stdout } = await brain(['list']);
    expect(stdout).toMatch(/^WING {5}NOTES {2}FACTS {2}DECISIONS .*\n/);
    expect(stdout).toMatch(/\nhomelab {2}2 {6}1 {6}0 .*\n/);
    expect(JSON.parse((await brain(['list', '--json'])).stdout)).toMatchObject({
      wings: [{ wing: 'attic' }, { wing: 'homelab' }, { wing: 'office' }],
    });
  });

  it('is listed for a wing and a hall', async () => {
    const { stdout } = await brain(['list', 'homelab', '--limit', '1']);
    expect(stdout).toBe('wiki/homelab/facts/fan.md  Fan\n2 notes in all; see the next with --offset 1\n');
    const facts = await brain(['list', 'homelab', '--hall', 'facts']);
    expect(facts.stdout).toBe('wiki/homelab/facts/fan.md  Fan\n');
    expect((await brain(['list', 'nowhere'])).stderr).toMatch(
      /There is no wing "nowhere".+\(invalid_wing\)\n$/,
    );
    expect((await brain(['list', '--limit', '3'])).code).toBe(2);
  });

  it('is listed with the last change first', async () => {
    const { stdout } = await brain(['list', '--recent']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}wiki\//);
    expect(lines.at(-1)).toBe('2026-01-01 00:00  wiki/office/facts/printer.md  Printer');
  });

  it('is summed up by status', async () => {
    const { code, stdout } = await brain(['status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^Brain Server \\d+\\.\\d+\\.\\d+ on ${server.url}\\n[^]* {2}notes {14}\\d`),
    );
    expect(stdout).toMatch(/\n {2}review queue {7}2 notes, the oldest of 2026-11-04\n/);
    expect(stdout).toMatch(/\n {2}search by meaning {2}off\n/);
  });
});

describe('the status for a token that does not administer', () => {
  const statusOf = async (...limits: readonly string[]) => {
    const token = (await brain(['token', 'add', `agent-${limits.length}`, ...limits])).stdout.trim();
    return sandbox.run(['status'], { env: { BRAIN_URL: server.url, BRAIN_TOKEN: token } });
  };

  it('shows what it sees, and what it may do', async () => {
    const { code, stdout, stderr } = await statusOf();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Brain Server on http.*\n {2}notes {11}[1-9]\d*, \d+ of them reviewed\n/);
    expect(stdout).toMatch(/\n {2}review queue {4}\d+ notes?\n {2}this token may {2}read, /);
    expect(stdout).not.toContain('reads only');
  });

  it('shows its limits', async () => {
    const { stdout } = await statusOf('--read', 'wiki/homelab', '--write-wings', 'homelab');
    expect(stdout).toMatch(/\n {2}reads only {8}wiki\/homelab\n {2}writes only into {2}homelab\n/);
  });
});

describe('a note', () => {
  it('is captured from the call, from standard input and from a file', async () => {
    const said = await brain([
      'capture',
      'The',
      'attic',
      'leaks.',
      '--wing',
      'attic',
      '--hall',
      'hypotheses',
      '--tags',
      'roof, rain',
    ]);
    expect([said.code, said.stdout]).toEqual([0, expect.stringMatching(/^Wrote wiki\/attic\/hypotheses\//)]);
    const at = /^Wrote (\S+)\n/.exec(said.stdout)?.[1] ?? '';
    const text = readFileSync(path.join(sandbox.vault, at), 'utf8');
    expect(text).toContain('The attic leaks.');
    expect(text).toMatch(/\ntags: \["roof", "rain"\]\n/);
    const piped = await brain(['capture', '--title', 'Piped', '--json'], 'From a pipe.\n');
    expect(JSON.parse(piped.stdout)).toMatchObject({ slug: 'piped', created: true });
    put('../file.txt', 'From a file.\n');
    const file = await brain(['capture', '--file', path.join(sandbox.folder, 'file.txt'), '--dry-run']);
    expect(file.stdout).toMatch(/^Would write wiki\//);
  });

  it.each(['notes/fan.md', './fan', '~/fan', 'fan.md', 'report.xyz', 'C:\\notes\\fan'])(
    'is not captured from what looks like a path: %s',
    async (text) => {
      const { code, stdout, stderr } = await brain(['capture', text]);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('looks like a path')]);
    },
  );

  it.each(['notes/fan.md', './my fan', '~/my notes', '../x', 'my report.pdf', 'report.xyz'])(
    'is not made of what looks like a path and does not exist: %s',
    async (text) => {
      const { code, stdout, stderr } = await brain(['ingest', text]);
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringContaining(`no file or folder "${text}" here`),
      ]);
    },
  );

  it('is shown under both names, and its versions are listed', async () => {
    await brain(['write', 'office', 'facts', 'desk'], '# Desk\n\nWood.\n');
    await brain(['update', 'wiki/office/facts/desk.md', '--reason', 'looked again'], '# Desk\n\nSteel.\n');
    const at = 'wiki/office/facts/desk.md';
    const shown = await brain(['show', at]);
    expect(shown.stdout).toContain('Steel.');
    expect((await brain(['get', at])).stdout).toBe(shown.stdout);
    const { stdout } = await brain(['history', at]);
    expect(stdout).toMatch(/^[0-9a-f]{64} {2}now · \S+Z · by owner .*\n {2}looked again\n[0-9a-f]{64} {2}/);
    const older = /\n([0-9a-f]{64}) /.exec(stdout)?.[1] ?? '';
    expect((await brain(['show', '--hash', older, '--body'])).stdout).toContain('Wood.');
    expect((await brain(['history', 'wiki/none.md'])).stderr).toContain('(note_not_found)');
  });

  it('is found under both names of the search', async () => {
    const asked = ['printer', '--json'];
    const { stdout } = await brain(['search', ...asked]);
    expect(JSON.parse(stdout)).toMatchObject({ count: 1 });
    expect((await brain(['query', ...asked])).stdout).toBe(stdout);
  });
});

describe('a search without results', () => {
  it('says how many notes were searched, and of a wing that does not exist which there are', async () => {
    const nothing = /^No notes match\. \d+ notes were searched\.\n/;
    expect((await brain(['query', 'zeppelin'])).stdout).toMatch(nothing);
    const unknown = await brain(['query', 'zeppelin', '--wing', 'homelabs']);
    expect(unknown.code).toBe(0);
    expect(unknown.stdout).toMatch(nothing);
    expect(unknown.stdout).toMatch(/\nwarning: No wing "homelabs"\. Wings: homelab/);
    const folder = await brain(['query', 'zeppelin', '--under', 'Projekt']);
    expect(folder.stdout).toMatch(/\nwarning: No folder "Projekt"\. Folders: /);
  });
});

it("the owner's notes are found and listed as theirs", async () => {
  put('Projects/garden.md', '# Garden\n\nThe quince needs pruning.\n');
  for (;;) {
    const { stdout } = await brain(['query', 'quince']);
    if (stdout.startsWith('No notes match')) continue;
    expect(stdout).toMatch(/^1\. Garden\n {3}Projects\/garden\.md\n.*\n {3}your own note\n$/);
    break;
  }
  expect((await brain(['list', '--under', 'Projects'])).stdout).toBe('Projects/garden.md  Garden\n');
  expect((await brain(['status'])).stdout).toMatch(/\n {2}notes {14}\d+, \d+ of them reviewed\n/);
});
