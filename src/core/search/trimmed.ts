/** Numbers of which the first `used` count, with an eighth of room behind them, when there was more. */
export function trimmed(numbers: Uint16Array, used: number): Uint16Array;
export function trimmed(numbers: Uint32Array, used: number): Uint32Array;
export function trimmed(numbers: Uint16Array | Uint32Array, used: number): Uint16Array | Uint32Array {
  const room = used + (used >>> 3) + 1;
  return numbers.length > room ? numbers.slice(0, room) : numbers;
}
