import { isRecord } from '../../src/core/base/json';

/** Returns the text of a tool's result. */
export function shownText(result: unknown): string {
  const content = isRecord(result) && Array.isArray(result.content) ? result.content : [];
  const [first]: unknown[] = content;
  return isRecord(first) && typeof first.text === 'string' ? first.text : '';
}

/** Returns the answer in a tool's result: its structured content, or for a change and an error the JSON of its text. */
export function shownValue(result: unknown): Record<string, unknown> {
  if (!isRecord(result)) return {};
  if (isRecord(result.structuredContent)) return result.structuredContent;
  const text = shownText(result);
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  return isRecord(parsed) ? parsed : {};
}
