import { isRecord, parsedJson } from '../base/json';
import { isBlank } from '../base/text';

/**
 * Returns the words of a canvas as Markdown, a paragraph for each: the text of cards, the labels of groups and connections, the
 * files and addresses that cards show. Returns null for a text that is no canvas. An empty text is an empty canvas.
 */
export function canvasText(json: string): string | null {
  if (isBlank(json)) return '';
  const canvas = parsedJson(json);
  if (!isRecord(canvas)) return null;
  const { nodes = [], edges = [] } = canvas;
  if (!Array.isArray(nodes) || !Array.isArray(edges)) return null;
  const items: readonly (readonly unknown[])[] = [nodes, edges];
  const words = items
    .flat()
    .filter(isRecord)
    .flatMap(({ text, label, file, url }) => [text, label, file, url]);
  return words.filter((word): word is string => typeof word === 'string' && !isBlank(word)).join('\n\n');
}
