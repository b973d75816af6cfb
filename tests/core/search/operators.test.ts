import fc from 'fast-check';
import { readNote } from '../../../src/core/catalog/record';
import {
  filterTest,
  keysIn,
  parseQuery,
  type ParsedQuery,
  writtenOperators,
} from '../../../src/core/search/operators';
import { vaultPath } from '../../../src/core/vocabulary/paths';

const KNOWN = new Set(['cuisine', 'due date']);

const filter = (key: string, value: string, not = false) => ({ key, value, not });
const parsed = (words: string, filters: ParsedQuery['filters'], without: string[] = []) => ({
  words,
  filters,
  without,
});

describe('the operators of a query', () => {
  it.each<[string, ParsedQuery]>([
    ['soup tag:winter', parsed('soup', [filter('tag', 'winter')])],
    ['tag:#winter/soup', parsed('', [filter('tag', '#winter/soup')])],
    ['-tag:winter soup', parsed('soup', [filter('tag', 'winter', true)])],
    ['path:Recipes/ soup', parsed('soup', [filter('path', 'Recipes/')])],
    ['path:"My Recipes" soup', parsed('soup', [filter('path', 'My Recipes')])],
    ['title:“hot soup”', parsed('', [filter('title', 'hot soup')])],
    ['Cuisine:Thai soup', parsed('soup', [filter('Cuisine', 'Thai')])],
    ['due-date:2026-11-30', parsed('', [filter('due-date', '2026-11-30')])],
    ['load balancer -IPVS', parsed('load balancer', [], ['IPVS'])],
    ['load -IPVS balancer -nginx', parsed('load balancer', [], ['IPVS', 'nginx'])],
    ['"load balancer" tag:net', parsed('"load balancer"', [filter('tag', 'net')])],
    ['soup -title:hot -v', parsed('soup -v', [filter('title', 'hot', true)])],
  ])('are read: %s', (query, expected) => {
    expect(parseQuery(query, KNOWN)).toEqual(expected);
  });

  it.each([
    'soup',
    '',
    'http://example.com/x',
    'see https://example.com -- now',
    'C:\\x',
    'std::vector',
    'director:Tarkovsky',
    'cuisine: Thai',
    'tag:',
    'tag:""',
    '"tag:winter soup"',
    '«path:x»',
    'grep -v -f words',
    'docker run -d -verbose',
    'curl --silent -verbose',
    'soup -ab',
    'soup - bread',
    'well-known',
    '-verbose',
    '10:30 12:45',
    'tag:/x',
  ])('are none of: %s', (query) => {
    expect(parseQuery(query, KNOWN)).toBeNull();
  });

  it('are as many as are tested', () => {
    const query = Array.from({ length: 40 }, (_, n) => `tag:t${n}`).join(' ');
    const result = parseQuery(query, KNOWN);
    expect(result?.filters).toHaveLength(16);
    expect(result?.words.split(' ')).toHaveLength(24);
  });

  const letters = fc.stringMatching(/^[a-z]{3,8}$/);
  const value = fc.oneof(
    letters,
    fc.tuple(letters, letters).map((pair) => pair.join(' ')),
  );
  const filters = fc.array(
    fc.record({ key: fc.constantFrom('tag', 'path', 'title', 'cuisine'), value, not: fc.boolean() }),
    { minLength: 1, maxLength: 4 },
  );

  it('come back as they were written, wherever they stand', () => {
    const words = fc.array(letters, { minLength: 1, maxLength: 4 });
    const without = fc.array(letters, { maxLength: 3 });
    fc.assert(
      fc.property(words, filters, without, fc.infiniteStream(fc.nat()), (some, asked, left, places) => {
        const parts = [...some];
        const written = writtenOperators({ filters: asked, without: left });
        // In order, at places of their own.
        let from = 0;
        for (const each of written) {
          const place = from + ((places.next().value ?? 0) % (parts.length - from + 1));
          parts.splice(place, 0, each);
          from = place + 1;
        }
        expect(parseQuery(parts.join(' '), KNOWN)).toEqual(parsed(some.join(' '), asked, left));
      }),
    );
  });

  it('are read of any text, and lose none of its words', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(fc.constantFrom('tag:', '-', '"', '“', '”', 'a', ' ', ':', 'xyz', '#', '\\', '(', '/'), {
          maxLength: 25,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (query) => {
        keysIn(query);
        const result = parseQuery(query, KNOWN);
        if (result === null) return;
        const all = [
          result.words,
          ...result.without,
          ...result.filters.flatMap(({ key, value: asked }) => [key, asked]),
        ];
        filterTest(result.filters);
        const only = (each: string) =>
          each
            .match(/[\p{L}\p{N}]/gu)
            ?.sort()
            .join('') ?? '';
        expect(only(all.join(' '))).toBe(only(query));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a filter', () => {
  const note = (path: string, text: string) => readNote(vaultPath(path), 'vault', text).record;
  const full = {
    ...note(
      'Cooking/Thai Soup.md',
      '---\ntags: [winter/soup, Été]\ncuisine: "[[Places/Thailand|Thai]]"\nrating: 4.5\nDue Date: 2026-11-30\nby: [Ann Lee, Bo]\n---\nText #quick.',
    ),
    mtime: 0,
    size: 0,
  };

  it.each<[string, string, boolean]>([
    ['tag', 'winter', true],
    ['tag', '#WINTER/soup', true],
    ['tag', 'win', false],
    ['tag', 'ete', true],
    ['tag', 'quick', true],
    ['path', 'cooking/', true],
    ['path', 'thai soup', true],
    ['path', 'Baking', false],
    ['title', 'soup', true],
    ['title', 'cooking', false],
    ['cuisine', 'thai', true],
    ['cuisine', 'Thailand', true],
    ['cuisine', 'tha', false],
    ['rating', '4.5', true],
    ['rating', '4', false],
    ['rating', '5', false],
    ['due-date', '2026', true],
    ['due date', '2026-11-30', true],
    ['by', 'Lee', true],
    ['by', 'lee, bo', false],
    ['by', '(ann', false],
  ])('by %s and %s', (key, value, passes) => {
    expect(filterTest([filter(key, value)])(full)).toBe(passes);
    expect(filterTest([filter(key, value, true)])(full)).toBe(!passes);
  });
});
