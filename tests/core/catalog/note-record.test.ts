import { Catalog } from '../../../src/core/catalog/catalog';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { searchNotes } from '../../support/search-notes';

const STAT = { mtime: 1, size: 1 };

function catalogOf(files: Readonly<Record<string, string>>): Catalog {
  const catalog = new Catalog();
  for (const [path, text] of Object.entries(files)) catalog.put(vaultPath(path), text, STAT);
  return catalog;
}

describe('a record', () => {
  const text = `---
wing: elsewhere
hall: decisions
title: WireGuard MTU
aliases: [tunnel size, "MTU: the story"]
tags: [vpn, '#net']
created_at: 2026-01-02T03:04:05Z
promoted_at: 2026-02-03T00:00:00Z
origin: mcp
written_by: laptop (claude-code 2.1.300)
auto_tunnel: false
tunnels: ["[[wiki/home/facts/router|Router]]", not a link]
supersedes: ${'a'.repeat(64)}
---
# Another title

The MTU is **1420**, see [[router]] and ![[picture.png]]. #inline

## Why

Because. ^why
`;
  const record = catalogOf({ 'wiki/net/facts/wireguard-mtu.md': text }).record(
    vaultPath('wiki/net/facts/wireguard-mtu.md'),
  );

  it('says what the note says, and where it stands', () => {
    expect(record).toMatchObject({
      path: 'wiki/net/facts/wireguard-mtu.md',
      status: 'wiki',
      title: 'WireGuard MTU',
      aliases: ['tunnel size', 'MTU: the story'],
      tags: ['vpn', 'net', 'inline'],
      headings: ['Another title', 'Why'],
      blockIds: ['why'],
      wing: 'net',
      hall: 'facts',
      slug: 'wireguard-mtu',
      origin: 'mcp',
      written_by: 'laptop (claude-code 2.1.300)',
      created_at: '2026-01-02T03:04:05Z',
      updated_at: '2026-02-03T00:00:00Z',
      problem: null,
      autoTunnel: false,
      tunnels: ['wiki/home/facts/router.md'],
      content_hash: sha256(text),
      mtime: 1,
      size: 1,
    });
    expect(record?.frontmatter.supersedes).toBe('a'.repeat(64));
    expect(record?.links.map(({ target, kind }) => [kind, target])).toEqual([
      ['wikilink', 'router'],
      ['embed', 'picture.png'],
    ]);
    expect(record?.excerpt).toContain('The MTU is 1420');
  });

  it.each([
    ['the folders below wiki/', 'wiki/net/facts/a.md', 'net', 'facts'],
    ['a folder below a hall', 'wiki/net/facts/deep/a.md', 'net', 'facts'],
    ['its wing folder and else the note', 'wiki/net/a.md', 'net', 'decisions'],
    ['the note without a wing folder', 'wiki/a.md', 'elsewhere', 'decisions'],
    ['the note in knowledge/', 'knowledge/a.md', 'elsewhere', 'decisions'],
    ['the suggestion in raw/', 'raw/2026-01-01-a.md', 'elsewhere', 'decisions'],
  ])('takes wing and hall from %s', (_, path, wing, hall) => {
    const note = catalogOf({ [path]: text }).record(vaultPath(path));
    expect(note).toMatchObject({ wing, hall });
  });

  it('leaves out what the note does not say', () => {
    const note = catalogOf({ 'raw/2026-01-01-first-note.md': 'text' }).record(
      vaultPath('raw/2026-01-01-first-note.md'),
    );
    expect(note).toMatchObject({
      title: 'first note',
      slug: 'first-note',
      wing: null,
      hall: null,
      created_at: null,
    });
    expect(note).not.toHaveProperty('origin');
    expect(note).not.toHaveProperty('updated_at');
  });

  it.each([
    ['a hall outside the set', '---\nhall: gossip\n---\n', { hall: null }],
    ['front matter that cannot be read', '---\na: [\n---\ntext', { excerpt: 'text' }],
    [
      'one alias and tags in one line',
      '---\naliases: One\ntags: a, b\n---\n',
      { aliases: ['One'], tags: ['a', 'b'] },
    ],
    [
      'an update',
      '---\nupdated_at: 2026-03-01\npromoted_at: 2026-02-01\n---\n',
      { updated_at: '2026-03-01T00:00:00Z' },
    ],
    ['an empty file', '', { title: 'a', excerpt: '', aliases: [] }],
  ])('is made of %s', (_, content, expected) => {
    expect(catalogOf({ 'knowledge/a.md': content }).record(vaultPath('knowledge/a.md'))).toMatchObject(
      expected,
    );
  });

  it('says why front matter cannot be read', () => {
    const note = catalogOf({ 'raw/a.md': '---\na: [\n---\ntext' }).record(vaultPath('raw/a.md'));
    expect(note?.problem).toEqual(expect.any(String));
  });

  it('stays the same object while the file does', () => {
    const path = vaultPath('wiki/net/facts/a.md');
    const catalog = catalogOf({ [path]: 'text' });
    const before = catalog.record(path);
    catalog.put(path, 'text', STAT);
    expect(catalog.record(path)).toBe(before);
    catalog.put(path, 'text', { mtime: 2, size: 4 });
    expect(catalog.record(path)).toMatchObject({ mtime: 2, size: 4 });
  });
});

describe('what is found by a name', () => {
  const found = (files: Readonly<Record<string, string>>, query: string) =>
    searchNotes(catalogOf(files), query, { limit: 3, includeRaw: true }).map((hit) => hit.record.path);

  it('is the note whose file has it, whatever its title says', () => {
    const files = {
      'wiki/a/facts/start.md': '# Welcome\n\nHome is where this begins, and home again.',
      'wiki/a/facts/Home.md': '# Welcome to the vault\n\nPick a wing.',
      'raw/2026-01-01-kettle.md': '# Boiling water\n\nDescale it.',
    };
    expect(found(files, 'home')[0]).toBe('wiki/a/facts/Home.md');
    expect(found(files, 'kettle')).toEqual(['raw/2026-01-01-kettle.md']);
  });

  it('is the note of another name of it, before one that says it twice', () => {
    const files = {
      'wiki/a/facts/boiler.md':
        '---\naliases: [Kettle with a lid]\n---\n# Boiler\n\nIt heats the water for the tea.',
      'wiki/a/facts/list.md': '# Shopping\n\nA kettle, milk, a lid for the kettle, and tea.',
    };
    expect(found(files, 'kettle')).toEqual(['wiki/a/facts/boiler.md', 'wiki/a/facts/list.md']);
  });

  it('is the note with the heading, before one that only holds its words', () => {
    const files = {
      'wiki/a/facts/long.md': `# Router\n\n${'The disk is not mounted. '.repeat(3)}\n\n## Mount the disk\n\n${'Text. '.repeat(90)}`,
      'wiki/a/facts/words.md': '# Disks\n\nMount a disk. The disk mounts. Mounted disks, disk mount.',
    };
    expect(found(files, 'mount the disk')[0]).toBe('wiki/a/facts/long.md');
  });
});
