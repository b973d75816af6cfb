import { type ScriptedConverter, startScriptedConverter } from '../support/scripted-converter';
import { stillActive } from '../support/still-active';
import { convertFixtures, REAL_FILES, type RealFile } from './real-input';
import { linkOf, type PageOnDisk, ServedVault, sha } from './served-vault';

/** Documents of every kind, good and bad, as people drop them: what becomes of them in the inbox of a running server. */
const CONVERTER_TOKEN = 'only-for-the-converter';
const STAYING = REAL_FILES.filter(({ fate }) => fate.becomes === 'nothing').map(
  ({ name }) => `inbox/${name}`,
);
const READABLE = REAL_FILES.filter(({ fate }) => fate.becomes === 'page');
const FAILING = REAL_FILES.filter(({ fate }) => fate.becomes === 'quarantine');

const vault = new ServedVault();
let converter: ScriptedConverter;
let printed = '';

/** Where the files that were handled, or failed, are by now, by the hash of their bytes. */
function placesBelow(folder: string): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const [path, hash] of Object.entries(vault.image(folder))) {
    if (!path.endsWith('.error.json')) places.set(hash, [...(places.get(hash) ?? []), path]);
  }
  return places;
}

/** Those of a page's references that lead to a handled original; a document may bring others along. */
function originalsOf({ sources }: PageOnDisk) {
  const links = sources.flatMap((element) => linkOf(element) ?? []);
  return links
    .filter((link) => link.path.startsWith('inbox/processed/'))
    .map((link) => ({ ...link, hash: sha(vault.bytes(link.path)) }));
}

/** The pages that refer to an original, by the hash of its bytes. */
function pagesByOriginal(): Map<string, PageOnDisk[]> {
  const pages = new Map<string, PageOnDisk[]>();
  for (const page of vault.pages()) {
    for (const { hash } of originalsOf(page)) pages.set(hash, [...(pages.get(hash) ?? []), page]);
  }
  return pages;
}

function drop(files: readonly RealFile[]): void {
  for (const { name, bytes } of files) vault.write(`inbox/${name}`, bytes);
}

beforeAll(async () => {
  converter = await startScriptedConverter();
  converter.script(convertFixtures);
  await vault.start({ CONVERTER_URL: converter.url, CONVERTER_BEARER_TOKEN: CONVERTER_TOKEN });
  drop(REAL_FILES);
  await vault.drained(STAYING);
}, 120_000);
afterAll(async () => {
  await converter.close();
  await vault.remove();
});

it('is enough of a test', () => {
  expect(READABLE.length).toBeGreaterThanOrEqual(60);
  const kinds = new Set(REAL_FILES.map(({ name }) => name.split('.').at(-1)));
  expect([...kinds]).toEqual(
    expect.arrayContaining(
      'md markdown txt text html htm csv tsv json jsonl log org rst eml pdf docx xlsx pptx png jpg'.split(
        ' ',
      ),
    ),
  );
});

it('gives every file one place', () => {
  const [processed, quarantined] = [placesBelow('inbox/processed'), placesBelow('inbox/quarantine')];
  const copies = (files: readonly RealFile[], bytes: Uint8Array) =>
    files.filter((file) => sha(file.bytes) === sha(bytes)).length;
  const placed = (files: readonly RealFile[], places: Map<string, string[]>) =>
    files.map(({ name, bytes }) => ({ name, places: places.get(sha(bytes))?.length ?? 0 }));
  const wanted = (files: readonly RealFile[]) =>
    files.map(({ name, bytes }) => ({ name, places: copies(files, bytes) }));
  expect(placed(READABLE, processed)).toEqual(wanted(READABLE));
  expect(placed(FAILING, quarantined)).toEqual(wanted(FAILING));
  expect([processed.size, quarantined.size]).toEqual([
    new Set(READABLE.map(({ bytes }) => sha(bytes))).size,
    FAILING.length,
  ]);
  expect(vault.standing()).toEqual([...STAYING].sort());
  // A note among the originals would be shown and run.
  expect(
    vault.files('inbox').filter((file) => /\.(md|markdown)$/.test(file) && !STAYING.includes(file)),
  ).toEqual([]);
});

it.each(FAILING.map((file) => [file.name, file] as const))('says why %s failed', async (name, file) => {
  if (file.fate.becomes !== 'quarantine') throw new Error('It was not to fail.');
  const [place = ''] = placesBelow('inbox/quarantine').get(sha(file.bytes)) ?? [];
  const note: unknown = JSON.parse(vault.bytes(`${place}.error.json`).toString('utf8'));
  expect(note).toEqual({
    file: `inbox/${name}`,
    code: file.fate.code,
    message: expect.stringMatching(file.fate.message),
    at: expect.any(String),
    attempts: 1,
    source_hash: sha(file.bytes),
  });
  const { quarantine } = await vault.get('GET', '/status');
  expect(quarantine).toContainEqual(expect.objectContaining({ path: place, code: file.fate.code }));
});

it('names the files that it leaves', async () => {
  const left = STAYING.filter((file) => /mp4|LICENSE|zip/.test(file)).sort();
  expect(await vault.status()).toMatchObject({
    left: [
      ...left.map((path) => ({ path, reason: 'unknown_type' })),
      { path: 'inbox/empty.txt', reason: 'empty' },
    ].sort((a, b) => (a.path < b.path ? -1 : 1)),
    left_count: left.length + 1,
    retrying: [],
  });
});

it('links every page in the queue to a source that is there, and a PDF file to its page', async () => {
  const pages = vault.pages();
  expect(pages.length).toBeGreaterThanOrEqual(new Set(READABLE.map(({ bytes }) => sha(bytes))).size - 1);
  for (const page of pages) {
    const { path, frontmatter } = page;
    const originals = originalsOf(page);
    expect({ path, hashes: originals.map(({ hash }) => hash) }).toEqual({
      path,
      hashes: expect.arrayContaining([frontmatter.source_hash]),
    });
    for (const original of originals) {
      expect({ path, page: original.page }).toEqual({
        path,
        page: original.path.endsWith('.pdf') ? 1 : null,
      });
    }
  }
  const byOriginal = pagesByOriginal();
  for (const { name, bytes } of READABLE)
    expect([name, byOriginal.get(sha(bytes))?.length]).toEqual([name, 1]);
  const { total, pending } = await vault.get('GET', '/pending?limit=200');
  expect(total).toBe(pages.length);
  expect(pending).toEqual(
    expect.arrayContaining(pages.map(({ path, sources }) => expect.objectContaining({ path, sources }))),
  );
});

it('lets no page do anything', () => {
  const active = vault.pages().map(({ path, body }) => ({ path, active: stillActive(body) }));
  expect(active.filter((page) => page.active.length > 0)).toEqual([]);
});

it('believes no page what it says of itself', () => {
  const [liar] = vault.pages().filter(({ path }) => path.endsWith('liar.md'));
  expect(liar?.frontmatter).toMatchObject({ origin: 'watcher', extracted_by: 'passthrough' });
  expect(liar?.text).not.toMatch(/1999|human:owner/);
});

it('finds each by a word of it, and only when unreviewed pages are asked for', async () => {
  const byOriginal = pagesByOriginal();
  for (const { name, bytes, fate } of READABLE) {
    if (fate.becomes !== 'page') throw new Error('It was to fail.');
    const { word } = fate;
    const found = await vault.get('POST', '/query', { query: word, include_raw: true, limit: 50 });
    const pages = byOriginal.get(sha(bytes)) ?? [];
    expect(pages).not.toEqual([]);
    expect({ name, results: found.results }).toEqual({
      name,
      results: expect.arrayContaining(
        pages.map(({ path }) => expect.objectContaining({ path, status: 'raw' })),
      ),
    });
    expect(await vault.get('POST', '/query', { query: word })).toMatchObject({ results: [] });
  }
});

it('writes nothing new when the same files come again, in this run or in the next', async () => {
  const before = vault.image('raw');
  const first = vault.files('inbox/processed').length;
  const asked = converter.asked.length;
  for (const round of [2, 3]) {
    if (round === 3) {
      printed += await vault.stop();
      await vault.start();
    }
    drop(
      [...READABLE, ...FAILING].filter(
        ({ name }) => round === 2 || !/\.(docx|xlsx|pptx|png|jpg)$/.test(name),
      ),
    );
    await vault.drained(STAYING);
    expect(vault.image('raw')).toEqual(before);
  }
  expect(vault.files('inbox/processed').length).toBeGreaterThan(2 * first);
  // What is known is not read again; what failed is.
  expect(converter.asked.length - asked).toBe(2);
}, 120_000);

it('has told nobody the token of the converter', async () => {
  printed += await vault.stop();
  expect(printed).toContain('inbox.taken');
  expect(printed).not.toContain(CONVERTER_TOKEN);
  expect(new Set(converter.asked.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${CONVERTER_TOKEN}`]),
  );
  for (const file of vault.files()) expect(vault.bytes(file).includes(CONVERTER_TOKEN)).toBe(false);
});
