import * as fc from 'fast-check';

/** Single characters, those that have made trouble for file names and links much more often than others. */
export const characters = fc.oneof(
  fc.constantFrom(...'aZ0é ßœłſıİΣςйक्षि東가❤-_.~%#^[]|:*?"<>&;/\\'),
  fc.constantFrom(
    '\0',
    '\n',
    '\r',
    '\t',
    '\u001b',
    '\u0085',
    '\u00a0',
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u200b',
  ),
  fc.constantFrom(
    '\u200c',
    '\u200d',
    '\u2025',
    '\u2026',
    '\u2028',
    '\u202e',
    '\u2066',
    '\u2100',
    '\u20e3',
    '\u3000',
    '\u3164',
  ),
  fc.constantFrom(
    '\u0301',
    '\u0308',
    '\u0327',
    '\u0338',
    '\u0345',
    '\u1dc4',
    '\ufe0f',
    '\ufeff',
    '\uff0e',
    '\uff0f',
    '\uff3c',
  ),
  fc.constantFrom(
    '\ud800',
    '\udfff',
    '\ud83d\ude00',
    '\u{e0100}',
    '\u{1f1e6}',
    'con',
    'NUL',
    'index',
    '.md',
    '..',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

/** Texts of such characters, among them lone surrogates, look-alikes, invisible and half-composed ones. */
export const hostileText = fc.array(characters, { maxLength: 24 }).map((parts) => parts.join(''));

/** Every character that this version of Unicode assigns, one by one. */
export function* assignedCharacters(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (!/[\p{Unassigned}\p{Private_Use}]/u.test(character)) yield character;
  }
}
