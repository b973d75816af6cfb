import { readNote } from '../../../src/core/catalog/record';
import { vaultPath } from '../../../src/core/vocabulary/paths';

function propertiesOf(path: string, status: 'vault' | 'wiki', text: string): string[] {
  const { fields } = readNote(vaultPath(path), status, text);
  return fields.filter(({ kind }) => kind === 'property').map((field) => field.text);
}

const BLOCK = `---
title: Solaris
aliases: [Solyaris]
tags: [film]
wing: films
hall: facts
created_at: 2026-01-02T03:04:05Z
origin: http
written_by: laptop
source_type: external
sources: ["[[imports/solaris.pdf]]"]
tunnels: ["[[wiki/books/facts/solaris]]"]
director: "[[People/Andrei Tarkovsky]]"
year: 1972
cast:
  - Donatas Banionis
  - "[[Natalya Bondarchuk|Bondarchuk]]"
seen: { where: Kino Arsenal }
empty:
---
Text. ![[stills/Ocean.png]] ![[Poster]] ![](<a b.jpg>) [[Other]] %%secret%%
`;

const OWN = [
  'Andrei Tarkovsky',
  '1972',
  'Donatas Banionis',
  'Bondarchuk (Natalya Bondarchuk)',
  'Kino Arsenal',
  'Ocean.png',
  'Poster',
  'a b.jpg',
];

it('are the values of properties, lists and maps included, and the names of embeds', () => {
  expect(propertiesOf('wiki/films/facts/solaris.md', 'wiki', BLOCK)).toEqual(OWN);
});

it('are all properties but names and tags in a note outside of the folders of the service, and its comments', () => {
  const found = propertiesOf('Films/Solaris.md', 'vault', BLOCK);
  expect(found).toEqual(expect.arrayContaining([...OWN, 'secret', 'laptop']));
  for (const name of ['Solaris', 'Solyaris', 'film']) expect(found).not.toContain(name);
});

it("are comments only of a note that is its owner's", () => {
  const mine = BLOCK.replace('origin: http\nwritten_by: laptop\n', '');
  expect(propertiesOf('wiki/films/facts/solaris.md', 'wiki', mine)).toEqual([...OWN, 'secret']);
});
