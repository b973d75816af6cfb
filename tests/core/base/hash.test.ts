import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { isSha, sha256, sha256Steps, useDigest, utf8Length } from '../../../src/core/base/hash';

describe('sha256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('of %j', (text, hash) => {
    expect(sha256(text)).toBe(hash);
  });

  it('equals the hash of the UTF-8 bytes that Node computes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (text, bytes) => {
        expect(sha256(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
        expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(isSha(sha256(text))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('sha256Steps', () => {
  it('hashes a long text a part a step, and cuts no character', () => {
    for (const head of ['', 'x', 'xy']) {
      const text = head + '𝔘é'.repeat(120_000) + '\ud835';
      const steps = sha256Steps(text);
      let count = 1;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count += 1;
      expect(step.value).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
      expect(count).toBeGreaterThan(5);
    }
  });

  it('hashes bytes a part a step', () => {
    for (const length of [0, 1, 65_535, 65_536, 65_537, 500_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31) % 251);
      const steps = sha256Steps(bytes);
      let count = 1;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count += 1;
      expect(step.value).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(count).toBe(Math.max(1, Math.ceil(length / 65_536)));
    }
  });
});

describe('isSha', () => {
  const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

  it.each([hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`, hash.replace('e', 'g'), '', null, 64])(
    'refuses %j',
    (value) => {
      expect(isSha(value)).toBe(false);
    },
  );
});

describe('utf8Length', () => {
  it('counts what Node writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'));
      }),
      { numRuns: 1000 },
    );
  });
});

it('takes the digest of the host instead, with the same values', () => {
  const pure = sha256('Größe');
  useDigest((bytes) => createHash('sha256').update(bytes).digest('hex'));
  for (const text of ['', 'a', 'Größe', 'x'.repeat(100_000)]) {
    expect(sha256(`${text}.`)).toBe(createHash('sha256').update(`${text}.`).digest('hex'));
  }
  expect(sha256(new TextEncoder().encode('Größe'))).toBe(pure);
});
