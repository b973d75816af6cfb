import type { FrontMatterInfo } from 'obsidian';
import { parse, stringify } from 'yaml';

/** YAML to values, as the host reads it: dates stay texts, a wrong text throws. */
export function parseYaml(yaml: string): unknown {
  return parse(yaml);
}

/** Values to YAML, as the host writes it: lists as blocks, nothing for null, quotes only where they must be. */
export function stringifyYaml(obj: unknown): string {
  return stringify(obj, { lineWidth: 0, nullStr: '' });
}

/** Where the front matter of a note begins and ends. */
export function getFrontMatterInfo(content: string): FrontMatterInfo {
  const found = /^---[ \t]*\r?\n([\s\S]*?\r?\n)?---[ \t]*(\r?\n|$)/.exec(content);
  if (found === null) return { exists: false, frontmatter: '', from: 0, to: 0, contentStart: 0 };
  const inner = found[1] ?? '';
  const from = content.indexOf('\n') + 1;
  return { exists: true, frontmatter: inner, from, to: from + inner.length, contentStart: found[0].length };
}
