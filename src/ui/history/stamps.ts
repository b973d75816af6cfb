import { PROTECTED_KEYS } from '../../core/vocabulary/envelope';
import type { DiffModel, DiffRow } from '../diff/model';

/** A version: `content` is the whole file, `body` the part below the front matter. */
interface VersionText {
  readonly content: string;
  readonly body: string;
}

/** The properties that the service writes at every change, so that they differ between any two versions. */
const STAMPS: ReadonlySet<string> = new Set(
  [...PROTECTED_KEYS, 'verified_at', 'verified_by'].filter((key) => key !== 'wing' && key !== 'hall'),
);

/** Returns the numbers of the lines of a version's front matter that are stamps, from 1. */
function stampLines(version: VersionText | null): ReadonlySet<number> {
  const lines = new Set<number>();
  if (version === null || !version.content.endsWith(version.body)) return lines;
  const head = version.content.slice(0, version.content.length - version.body.length).split('\n');
  let isStamp = false;
  for (const [index, line] of head.entries()) {
    // A value may go on over indented lines and items of a list.
    if (!/^(?:\s+\S|- )/.test(line)) isStamp = STAMPS.has(/^([\w-]+)\s*:/.exec(line)?.[1] ?? '');
    if (isStamp) lines.add(index + 1);
  }
  return lines;
}

/** Returns a comparison without the lines that are stamps. The other lines keep their numbers. */
export function withoutStamps(
  model: DiffModel,
  { older, newer }: { readonly older: VersionText | null; readonly newer: VersionText | null },
): DiffModel {
  const [left, right] = [stampLines(older), stampLines(newer)];
  const rows: DiffRow[] = [];
  let [changes, added, removed, last] = [0, 0, 0, -1];
  for (const row of model.rows) {
    if (row.kind === 'same') {
      if (!left.has(row.left)) rows.push(row);
      continue;
    }
    const was = row.left !== null && left.has(row.left.number) ? null : row.left;
    const is = row.right !== null && right.has(row.right.number) ? null : row.right;
    if (was === null && is === null) continue;
    if (row.change !== last) changes += 1;
    last = row.change;
    if (was !== null) removed += 1;
    if (is !== null) added += 1;
    rows.push({ kind: 'changed', change: changes - 1, left: was, right: is });
  }
  return { ...model, rows, changes, added, removed };
}
