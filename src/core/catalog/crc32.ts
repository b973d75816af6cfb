/** The reflected polynomial of CRC-32 as zip and Ethernet use it. */
const POLYNOMIAL = 0xedb88320;

/** Eight tables, one for each byte of a step (Kounavis and Berry, Novel Table Lookup-Based Algorithms for CRC, 2008). */
const tables = makeTables();

function makeTables(): Int32Array {
  const made = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at += 1) {
    const before = made[at - 256] ?? 0;
    made[at] = (before >>> 8) ^ (made[before & 0xff] ?? 0);
  }
  return made;
}

/**
 * The CRC-32 of an even number of 32-bit words, as their bytes stand in memory on a little-endian machine.
 * @param before the CRC-32 of what stands in front of them
 */
export function crc32(words: Uint32Array, before = 0): number {
  const table = tables;
  let crc = ~before;
  for (let at = 0; at + 1 < words.length; at += 2) {
    const low = crc ^ (words[at] ?? 0);
    const high = words[at + 1] ?? 0;
    crc =
      (table[0x700 | (low & 0xff)] ?? 0) ^
      (table[0x600 | ((low >>> 8) & 0xff)] ?? 0) ^
      (table[0x500 | ((low >>> 16) & 0xff)] ?? 0) ^
      (table[0x400 | (low >>> 24)] ?? 0) ^
      (table[0x300 | (high & 0xff)] ?? 0) ^
      (table[0x200 | ((high >>> 8) & 0xff)] ?? 0) ^
      (table[0x100 | ((high >>> 16) & 0xff)] ?? 0) ^
      (table[high >>> 24] ?? 0);
  }
  return ~crc >>> 0;
}
