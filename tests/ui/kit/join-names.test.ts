import { joinNames } from '../../../src/ui/kit/names';

it.each([
  [[], ''],
  [['Alpha'], 'Alpha'],
  [['Alpha', 'Beta'], 'Alpha and Beta'],
  [['Alpha', 'Beta', 'Gamma'], 'Alpha, Beta and Gamma'],
  [Array.from({ length: 12 }, (_, index) => `n${index}`), 'n0, n1, n2, n3, n4, n5, n6, n7, n8 and 3 more'],
])('%j is told as %s', (names, words) => expect(joinNames(names)).toBe(words));
