import { isRecord, parsedJson } from '../base/json';
import { isBlank } from '../base/text';
import { type VaultPath, vaultPath } from '../vocabulary/paths';

/** The path of a card that shows a file, as JSON. Inside another text of the canvas its quotation marks would be escaped. */
const CARD = /("file"\s*:\s*)("(?:[^"\\]|\\.)*")/g;

/** Returns true for a canvas, a file of JSON whose cards show notes and other files. */
export function isCanvas(path: VaultPath): boolean {
  return /\.canvas$/i.test(path);
}

/** Returns the text of a canvas whose cards show the moved files at their new paths; every other byte stays. */
export function retargetCards(canvas: string, to: ReadonlyMap<VaultPath, VaultPath | null>): string {
  const moved = new Map([...to].map(([from, path]) => [JSON.stringify(from), path]));
  return canvas.replace(CARD, (all, key: string, written: string) => {
    const path = moved.get(written) ?? null;
    return path === null ? all : key + JSON.stringify(path);
  });
}

/** Returns the files that the cards of a canvas show. */
export function cardsOf(canvas: string): VaultPath[] {
  return [...canvas.matchAll(CARD)].map(([, , file = '']) => vaultPath(String(parsedJson(file))));
}

/** Returns true when the cards of two texts of a canvas show the same files. */
export function haveSameCards(one: string, other: string): boolean {
  return cardsOf(one).join('\n') === cardsOf(other).join('\n');
}

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
