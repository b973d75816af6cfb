import { phrase } from '../../../src/core/links/title';

it.each([
  ['WireGuard: MTU', 'wireguard mtu'],
  ['  split-horizon_views, “DNS”!', 'split horizon views dns'],
  ['Größe é', 'grosse e'],
  ['', ''],
  ['...', ''],
  [`a ${'x'.repeat(101)} b`, 'a b'],
])('%j reads %j', (text, expected) => {
  expect(phrase(text)).toBe(expected);
});
