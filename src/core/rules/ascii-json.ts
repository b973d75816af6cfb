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
