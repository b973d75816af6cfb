/**
 * Encodes a value as JSON in ASCII, for the lines of an append-only file: wherever a crash cuts off the last line, the file is
 * valid UTF-8 and all lines before it can be read.
 */
export function asciiJson(value: object | string): string {
  return asciiOf(JSON.stringify(value));
}

/** Returns a JSON text, or a part of one, in ASCII: the escape of each other UTF-16 unit stands for it. */
export function asciiOf(json: string): string {
  return json.replace(/[\u0080-\uffff]+/g, (run) => {
    let escapes = '';
    for (let at = 0; at < run.length; at += 1)
      escapes += `\\u${run.charCodeAt(at).toString(16).padStart(4, '0')}`;
    return escapes;
  });
}

/** Returns the value of a JSON text; undefined, which is the value of none, for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns true for an object that is no array: the type of a parsed JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
