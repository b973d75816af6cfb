import { type NoteRecord, noteStatus, readNote, withFileStat } from '../../../src/core/catalog/record';
import { ANALYSIS, recordsOfText, textOfRecords } from '../../../src/core/catalog/snapshot';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';

/** Notes that lead through all that a record is made of. */
const NOTES: Readonly<Record<string, string>> = {
  'wiki/Home Lab/facts/nas.md': [
    '---',
    'title: The NAS',
    'aliases: [storage box, "Größe"]',
    'tags: [hardware, "two words"]',
    'origin: http',
    'written_by: laptop (claude)',
    'created_at: 2026-01-02T03:04:05Z',
    'updated_at: 2026-02-02T03:04:05Z',
    'tunnels: ["[[wiki/net/facts/mtu|MTU]]"]',
    'nested: {a: [b, {c: d}]}',
    '---',
    '# The NAS',
    '> [!note] A callout with *emphasis* and `code`.',
    '',
    'See [[mtu|the MTU]], ![[plan.png]], [peers](peers.md) and ![x](y.png). #inline %% hidden %%',
    '',
    '```js',
    'const shown = false;',
    '```',
    '## Part ^block',
    '- [ ] a task with a footnote[^1] ^item',
    '',
    '[^1]: The footnote.',
  ].join('\n'),
  'raw/2026-01-01-idea.md': 'Nur ein Satz über Größe und 大きさ.',
  'raw/rejected/no.md': '---\nauto_tunnel: no\ndescription: What it says.\n---\n',
  'knowledge/broken.md':
    '---\na: [\n---\n# Broken\n\n$x^2$ <b>html</b> https://example.com [docs](https://docs.example/a#b)\n\n<div>block</div>',
};

const read = Object.entries(NOTES).map(([at, text]) => {
  const path = vaultPath(at);
  const status = noteStatus(path);
  if (status === null) throw new Error(`${path} is no note.`);
  const { record, fields } = readNote(path, status, text);
  return { record: withFileStat(record, { mtime: 1_700_000_000_000.125, size: text.length }), fields };
});
const stampedAt = ({ ...record }: NoteRecord, born: number) => withFileStat(record, { ...record, born });
const records = read.map(({ record }) => record);

it.each<[string, readonly NoteRecord[]]>([
  ['as it is', records],
  ['of which only a part was read', records.map((record) => ({ ...record, partly: true as const }))],
  ["with the system's own time", records.map((record) => ({ ...record, ctime: 1_700_000_000_001.5 }))],
  ['with the time its file was made', records.map((record) => stampedAt(record, 1_600_000_000_000.5))],
])('keeps all of a record %s', (_, given) => {
  const kept = recordsOfText(textOfRecords(given));
  expect(kept).toEqual(given);
  expect(kept.map((record) => Object.keys(record).sort())).toEqual(
    given.map((record) => Object.keys(record).sort()),
  );
});

it('has a number that is raised when the rules make something else of the same texts', () => {
  // When this fails because a rule has changed: raise ANALYSIS, and put the new number and the new hash here.
  expect({
    analysis: ANALYSIS,
    hash: sha256(textOfRecords(records) + JSON.stringify(read.map(({ fields }) => fields))),
  }).toEqual({
    analysis: 14,
    hash: 'f6b02d466282bd0b41d9362b13b474e09db03e0ebc6e0d90b084d023db70dffc',
  });
});

it('takes nothing for a note that can be none', () => {
  const text = textOfRecords(records).replace('raw/rejected/no.md', 'inbox/rejected/no.md');
  expect(() => recordsOfText(text)).toThrow('There can be no note at inbox/rejected/no.md.');
});
