import { likeness, listNearest } from '../../../src/core/base/text';

it('likens names by their pairs of letters', () => {
  expect(likeness('wireguard', 'wireguard')).toBe(1);
  expect(likeness('a', 'b')).toBe(0);
  expect(likeness('', '')).toBe(1);
  expect(likeness('', 'x')).toBe(0);
  expect(likeness('homelabs', 'homelab')).toBeGreaterThan(likeness('homelabs', 'household'));
});

it('lists names by likeness, then by their letters', () => {
  expect(listNearest(['tools', 'household', 'homelab', 'books'], 'homelabs')).toBe(
    'homelab, household, books, tools',
  );
});

it('lists the eight nearest names, and says that there are more', () => {
  expect(listNearest([], 'x')).toBe('');
  expect(listNearest(['b', 'a'], 'x')).toBe('a, b');
  const ten = Array.from({ length: 10 }, (_, at) => `wing-${at}`);
  expect(listNearest(ten, 'wing-9')).toBe('wing-9, wing-0, wing-1, wing-2, wing-3, wing-4, wing-5, wing-6 …');
  expect(listNearest(ten.slice(0, 8), 'q')).not.toContain('…');
});
