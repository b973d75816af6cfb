import fc from 'fast-check';
import {
  linkTo,
  newReferences,
  withPage,
  readReference,
  referenceKey,
} from '../../../src/core/links/references';
import { linkTargets } from '../../support/link-targets';

const targets = linkTargets([{ path: 'wiki/net/facts/mtu.md', title: 'MTU' }]);
const key = (element: string) => referenceKey(element, targets);

it.each([
  ['[[inbox/processed/2026-11-20/report.pdf#page=3|report.pdf]]', 'link'],
  ['[[wiki/net/facts/mtu]]', 'link'],
  ['https://example.org/a?b=1#c', 'address'],
  ['HTTP://EXAMPLE.ORG', 'address'],
  ['javascript:alert(1)', 'words'],
  ['see [[wiki/net/facts/mtu]]', 'words'],
  ['https://example.org/ and more', 'words'],
  ['[[]]', 'words'],
  ['file:report.pdf', 'words'],
])('%s is read as %s', (element, kind) => {
  expect(readReference(element).kind).toBe(kind);
});

it.each([
  ['[[inbox/a.pdf#page=3|a]]', '[[inbox/a.pdf|other words]]'],
  ['[[wiki/net/facts/mtu|MTU]]', '[[MTU]]'],
  ['[[wiki/net/facts/mtu.md]]', '[[wiki/net/facts/mtu]]'],
  ['https://Example.org', 'https://example.org/'],
  ['https://example.org/a?utm_source=x&b=1&utm_medium=y', 'https://example.org/a?b=1#part'],
  ['https://example.org/a?utm_source=x', 'https://example.org/a'],
  ['file:report.pdf#page=2', 'file:report.pdf'],
])('%s and %s are the same source', (one, other) => {
  expect(key(one)).toBe(key(other));
});

it.each([
  ['https://example.org/a', 'http://example.org/a'],
  ['https://example.org/a', 'https://example.org/A'],
  ['https://example.org/?b=1', 'https://example.org/?b=2'],
  ['[[inbox/a.pdf]]', '[[inbox/b.pdf]]'],
  ['[[inbox/a.pdf]]', 'file:inbox/a.pdf'],
])('%s and %s are two', (one, other) => {
  expect(key(one)).not.toBe(key(other));
});

it.each([
  ['[[inbox/a.pdf|a.pdf]]', '[[inbox/a.pdf#page=3|a.pdf]]'],
  ['[[inbox/a.pdf]]', '[[inbox/a.pdf#page=3]]'],
  ['file:a.pdf', 'file:a.pdf'],
  ['https://example.org/a.pdf', 'https://example.org/a.pdf'],
  ['[[inbox/a.pdf#page=1|a.pdf]]', '[[inbox/a.pdf#page=1|a.pdf]]'],
])('page 3 of %s is %s', (element, expected) => {
  expect(withPage(element, 3)).toBe(expected);
  expect(withPage(element, undefined)).toBe(element);
});

it('writes a link that reads back, and none to a path that no link can hold', () => {
  expect(linkTo('wiki/net/facts/mtu.md', 'MTU [1]\n| 2')).toBe('[[wiki/net/facts/mtu|MTU (1) / 2]]');
  expect(linkTo('inbox/a.pdf', '')).toBe('[[inbox/a.pdf]]');
  expect(linkTo('inbox/a [b].pdf', 'a')).toBeNull();
});

it('adds each source once, whatever stands there, and keeps the order', () => {
  const element = fc.oneof(
    fc.constantFrom('[[wiki/net/facts/mtu|MTU]]', '[[MTU]]', 'https://e.org/a', 'https://e.org/a?utm_x=1#y'),
    fc.constantFrom('[[inbox/a.pdf#page=1]]', '[[inbox/a.pdf|a]]', 'file:b.txt', 'https://e.org/b'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(element), fc.array(element), (standing, references) => {
      const added = newReferences(standing, references, targets);
      const known = new Set(standing.map(key));
      const wanted = references.filter((each) => !known.has(key(each)) && known.add(key(each)));
      expect(added).toEqual(wanted);
      expect(newReferences([...standing, ...added], references, targets)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
