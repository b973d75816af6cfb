/**
 * Encodes a value as JSON in ASCII, for the lines of an append-only file: wherever a crash cuts off the last line, the file is
 * valid UTF-8 and all lines before it can be read.
 */
export function asciiJson(value: object | string): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns true for an object that is no array: the type of a parsed JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
