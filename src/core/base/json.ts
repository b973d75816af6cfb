/**
 * JSON in ASCII, for the lines of a file that only grows: wherever a crash or a full disk cuts off the last one, the file is
 * still text, and all the lines before it can be read.
 */
export function asciiJson(value: object | string): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** True for what a JSON object is read as: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
