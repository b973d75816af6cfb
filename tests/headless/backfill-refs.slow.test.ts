import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { pageOf, ServedVault } from './served-vault';

/** A vault of which half of the notes have lost where they came from, or never said it: what is given back, and what is not. */
const vault = new ServedVault();
const NOTES = 12;

interface Change {
  readonly path: string;
  readonly added: readonly string[];
  readonly evidence: readonly string[];
}
const expected: Change[] = [];
let unresolved = 0;
let already = 0;

const sourcesOf = (file: string) => pageOf(file, vault.bytes(file).toString('utf8')).sources;

/** Takes keys out of a note, as a person does with an editor. */
function lose(file: string, ...keys: string[]): void {
  const lines = vault.bytes(file).toString('utf8').split('\n');
  const kept = lines.filter((line) => !keys.some((key) => line.startsWith(`${key}:`)));
  expect(kept).toHaveLength(lines.length - keys.length);
  vault.write(file, kept.join('\n'));
}

function note(name: string, text: string, proved: Record<string, string> | null): void {
  const file = `wiki/net/facts/${name}.md`;
  vault.write(file, text);
  if (proved === null) unresolved += 1;
  else expected.push({ path: file, added: Object.keys(proved), evidence: Object.values(proved) });
}

/** True once every moved note names its new hall, and the map of the wing names every note. */
function isSettled(): boolean {
  const files = vault.files('wiki/net').filter((file) => !file.endsWith('_index.md'));
  const moved = files.filter((file) => file.includes('/hypotheses/'));
  const map = vault.bytes('wiki/net/_index.md').toString('utf8');
  return (
    moved.every((file) => vault.bytes(file).toString('utf8').includes('\nhall: hypotheses\n')) &&
    files.every((file) => map.includes(file.replace(/^wiki\/(.*)\.md$/, '$1')))
  );
}

beforeAll(async () => {
  await vault.start({ BRAIN_INGEST_DESTINATION: 'raw' });
  const ingested: string[] = [];
  for (let n = 0; n < NOTES; n += 1) {
    const text = `# Talk ${n}\n\nWhat was said on day ${n} of the meeting.\n`;
    const place = { wing: 'net', hall: 'facts', destination: 'wiki' };
    const source = n % 3 === 0 && { source: `https://example.org/talk/${n}` };
    const { pages } = await vault.get('POST', '/ingest', { text, ...place, ...source });
    ingested.push(String(Object(Array.isArray(pages) ? pages[0] : null).path));
  }
  // A document from the inbox, whose page is promoted.
  vault.write('inbox/report.pdf', readFileSync('tests/fixtures/documents/report-chromium.pdf'));
  await vault.drained([]);
  const [waiting = ''] = vault.files('raw');
  const original = vault.files('inbox/processed').find((file) => file.endsWith('report.pdf')) ?? '';
  const promoted = await vault.get('POST', '/promote', { path: waiting, wing: 'net', hall: 'sources' });
  const path = String(promoted.path);
  lose(path, 'sources');
  expected.push({ path, added: [`[[${original}|report.pdf]]`], evidence: ['ledger'] });

  for (const [n, file] of ingested.entries()) {
    const sources = sourcesOf(file);
    expect(sources).toHaveLength(n % 3 === 0 ? 2 : 1);
    if (n % 2 === 1) already += 1;
    else {
      const isMoved = n % 4 === 0;
      const at = isMoved ? file.replace('/facts/', '/hypotheses/moved-') : file;
      lose(file, 'sources', ...(n === 2 ? ['source_hash'] : []));
      if (isMoved) {
        mkdirSync(vault.at('wiki/net/hypotheses'), { recursive: true });
        renameSync(vault.at(file), vault.at(at));
      }
      // Of a note that was moved by hand the hash alone says what it is.
      const evidence = sources.map(() => (isMoved ? 'source_hash' : 'ledger'));
      expected.push({ path: at, added: sources, evidence });
    }
  }

  const report = `[[${path.replace(/\.md$/, '')}|Harvest report]]`;
  note('clipped', '---\nsource_url: https://example.org/clip?utm_source=x\n---\nBody.\n', {
    'https://example.org/clip?utm_source=x': 'property',
  });
  note('line', 'Words.\n\nSource: https://example.org/line\n', { 'https://example.org/line': 'source_line' });
  note('linking', 'As the [[Harvest report]] says, it was dry.\n', { [report]: 'source_note' });
  note(
    'both',
    '---\nurl: https://example.org/both\n---\nSee [[Harvest report]].\n\nSource: https://example.org/both#part\n',
    {
      'https://example.org/both': 'property',
      [report]: 'source_note',
    },
  );
  // None of these proves anything, however much it looks like it.
  note('bare', '# Talk 2\n\nWhat was said on day 2 of the meeting, in other words.\n', null);
  note('code', '```\nSource: https://example.org/no\n```\n', null);
  note('uncle', 'Source: my uncle\n\nThe source: https://example.org/no\n', null);
  note('mention', 'The harvest report says that it was dry. https://example.org/no\n', null);
  note('false-hash', `---\nsource_hash: ${'0'.repeat(64)}\n---\nBody.\n`, null);
  const mine = 'wiki/net/facts/mine.md';
  vault.write(mine, '---\nsources: [a book]\n---\nBody.\n');
  already += 1;
  // The service brings the places of the moved notes and the map up to date seconds later, once the vault is quiet.
  await vault.until(() => isSettled());
  // It hears of the notes one by one; what it knows when nothing more comes is looked at below.
  let heard = '';
  for (let quiet = 0; quiet < 20;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const answer = await vault.get('POST', '/backfill-refs', { dry_run: true });
    const now = JSON.stringify([answer, vault.image()]);
    quiet = now === heard ? quiet + 1 : 0;
    heard = now;
  }
}, 180_000);
afterAll(() => vault.remove());

it('is asked of a vault of which half lacks its sources', () => {
  expect(expected.length).toBeGreaterThanOrEqual(already);
});

it('lists exactly what can be proved and by what, without touching anything in a dry run', async () => {
  const before = vault.image();
  const answer = await vault.get('POST', '/backfill-refs', { dry_run: true });
  expect(vault.image()).toEqual(before);
  const byPath = (a: Change, b: Change) => (a.path < b.path ? -1 : 1);
  expect({ ...answer, changes: Array.isArray(answer.changes) && [...answer.changes].sort(byPath) }).toEqual({
    scanned: expected.length + unresolved + already,
    updated: expected.length,
    already,
    unresolved,
    errors: [],
    changes: [...expected].sort(byPath),
  });
});

it('adds that to those notes, and nothing else anywhere', async () => {
  const before = new Map(vault.files('wiki').map((file) => [file, vault.bytes(file).toString('utf8')]));
  const dry = await vault.get('POST', '/backfill-refs', { dry_run: true });
  expect(await vault.get('POST', '/backfill-refs', {})).toEqual(dry);
  const added = new Map(expected.map((change) => [change.path, change.added]));
  for (const [file, text] of before) {
    const now = vault.bytes(file).toString('utf8');
    if (file.endsWith('_index.md')) continue;
    if (!added.has(file)) expect({ file, now }).toEqual({ file, now: text });
    const [old, page] = [pageOf(file, text), pageOf(file, now)];
    expect({ file, body: page.body, frontmatter: page.frontmatter }).toEqual({
      file,
      body: old.body,
      frontmatter: {
        ...old.frontmatter,
        ...(added.has(file) && { sources: [...old.sources, ...(added.get(file) ?? [])] }),
      },
    });
  }
});

it('has nothing to do the second time', async () => {
  const before = vault.image();
  expect(await vault.get('POST', '/backfill-refs', {})).toMatchObject({
    updated: 0,
    already: already + expected.length,
    unresolved,
    changes: [],
    errors: [],
  });
  expect(vault.image()).toEqual(before);
});
