import { crc32 } from '../../../src/core/catalog/snapshot';

describe('crc32', () => {
  it('is the CRC-32 of zip', () => {
    // "12345678" and "1234567812345678", as other implementations have it.
    const words = Uint32Array.of(0x34333231, 0x38373635);
    expect(crc32(words).toString(16)).toBe('9ae0daaf');
    expect(crc32(words, crc32(words))).toBe(crc32(Uint32Array.of(...words, ...words)));
  });
});
