import type * as z from 'zod';

/** What a model said, read; or what is wrong with it, in words that it can act on. */
export type ReadReply<T> = { readonly value: T } | { readonly problem: string };

/** So many braces are tried as the beginning of the object, so that hostile text costs linear time. */
const MAX_STARTS = 50;

/**
 * Reads the JSON object in a reply: alone, in a code fence, between prose, or after the thoughts of a model that thinks
 * aloud. Of several objects the first that fits the schema counts. Never throws.
 */
export function readReply<T>(text: string, schema: z.ZodType<T>): ReadReply<T> {
  let problem: string | null = null;
  for (const reading of readings(text)) {
    for (const found of objectsIn(reading)) {
      const parsed = schema.safeParse(found);
      if (parsed.success) return { value: parsed.data };
      const [issue] = parsed.error.issues;
      problem ??= `"${issue?.path.join('.') ?? ''}" does not fit the schema: ${issue?.message ?? 'not usable'}`;
    }
  }
  return { problem: problem ?? 'it holds no complete JSON object' };
}

const THOUGHTS_END = '</think>';

/**
 * What of a reply may be the answer, in the order in which it is tried. Some models write their thoughts before it, and may
 * try out an object there; some services cut off the mark that begins the thoughts. But an answer may speak of such a mark.
 */
function readings(text: string): string[] {
  const end = text.indexOf(THOUGHTS_END);
  if (end < 0 || /^\s*(?:```\w*\s*)?\{/.test(text)) return [text];
  const answer = text.slice(end + THOUGHTS_END.length);
  return /^\s*<think>/.test(text) ? [answer] : [answer, text];
}

function* objectsIn(text: string): Generator<unknown> {
  let from = text.indexOf('{');
  for (let tries = 0; from >= 0 && tries < MAX_STARTS; tries += 1) {
    const end = objectEnd(text, from);
    const object = end < 0 ? undefined : parsed(text.slice(from, end));
    if (object !== undefined) yield object;
    from = text.indexOf('{', object === undefined ? from + 1 : end);
  }
}

/** Where the object that begins at `from` ends, exclusive; -1 when it never does. */
function objectEnd(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No JSON; another brace may begin some.
  }
}
