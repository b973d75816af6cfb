import * as fc from 'fast-check';

/** One way to spoil a text; places are given as a share of its length. */
type Mutation = (text: string) => string;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const at = (text: string, place: number): number => Math.floor(place * text.length);

/**
 * Texts made of good ones by cutting, doubling, swapping and inserting: near enough to what a reader expects that it goes on
 * reading. `inserts` are what opens, closes and escapes in the format at hand.
 */
export function mutated(
  seeds: fc.Arbitrary<string>,
  inserts: readonly string[],
  maxMutations = 6,
): fc.Arbitrary<string> {
  const insert = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...inserts) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  );
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    fc.tuple(share, insert).map(
      ([place, piece]): Mutation =>
        (text) =>
          text.slice(0, at(text, place)) + piece + text.slice(at(text, place)),
    ),
    fc.tuple(share, fc.nat(12)).map(
      ([place, length]): Mutation =>
        (text) =>
          text.slice(0, at(text, place)) + text.slice(at(text, place) + length),
    ),
    fc.tuple(share, share, fc.nat(60)).map(
      ([from, to, length]): Mutation =>
        (text) =>
          text.slice(0, at(text, to)) +
          text.slice(at(text, from), at(text, from) + length) +
          text.slice(at(text, to)),
    ),
    fc.tuple(share, insert).map(([place, piece]): Mutation => (text) => {
      const start = text.lastIndexOf('\n', at(text, place)) + 1;
      return text.slice(0, start) + piece + text.slice(start);
    }),
    share.map(
      (place): Mutation =>
        (text) =>
          text.slice(0, at(text, place)),
    ),
  );
  return fc
    .tuple(seeds, fc.array(mutation, { maxLength: maxMutations }))
    .map(([seed, mutations]) => mutations.reduce((text, change) => change(text), seed));
}

/** Bytes made of good ones in the same manner, with single bits and whole runs changed. */
export function mutatedBytes(seeds: readonly Uint8Array[], maxMutations = 8): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(
    share,
    fc.constantFrom('flip', 'set', 'cut', 'double', 'insert'),
    fc.nat(255),
    fc.nat(64),
  );
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: maxMutations }))
    .map(([seed, changes]) =>
      changes.reduce<Uint8Array>((bytes, [place, kind, value, length]) => {
        const from = Math.floor(place * bytes.length);
        const [before, after] = [bytes.subarray(0, from), bytes.subarray(from)];
        switch (kind) {
          case 'flip':
            return joined(before, Uint8Array.of((bytes[from] ?? 0) ^ (1 << (value & 7))), after.subarray(1));
          case 'set':
            return joined(before, Uint8Array.of(value), after.subarray(1));
          case 'cut':
            return joined(before, after.subarray(length));
          case 'double':
            return joined(before, after.subarray(0, length), after);
          case 'insert':
            return joined(before, new Uint8Array(length).fill(value), after);
        }
      }, seed),
    );
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Short units said over and over: what costs more than linear time shows. At most `length` characters. */
export function repeated(pieces: readonly string[], length: number): fc.Arbitrary<string> {
  const unit = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''));
  return fc.tuple(unit, unit, fc.boolean()).map(([one, other, half]) => {
    const whole = one.repeat(Math.ceil((half ? length / 2 : length) / one.length));
    return (half ? whole + other.repeat(Math.ceil(length / 2 / other.length)) : whole).slice(0, length);
  });
}
