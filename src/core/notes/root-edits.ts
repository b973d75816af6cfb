import * as z from 'zod';
import type { Brain } from '../brain';
import { readHistory } from '../history-store';
import { asciiJson } from '../rules/ascii-json';
import type { StateStore } from '../ports';
import { isSha, type Sha, sha256, utf8Length } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { compareText } from '../rules/text';
import type { Version } from './versions';

/**
 * One line of the record of root note edits. The root note carries no stamps of its own, so who changed it and what
 * stood there before is kept here. `undone` marks an edit whose record was written but which then failed, `undo` one that took
 * edits of a writer back.
 */
const rootEdit = z.object({
  v: z.literal(1),
  ts: z.string(),
  id: z.string(),
  actor: z.string(),
  client: z.string().optional(),
  path: z.string(),
  before_hash: z.string().optional(),
  after_hash: z.string(),
  before_bytes: z.number(),
  after_bytes: z.number(),
  reason: z.string(),
  history_path: z.string().optional(),
  undone: z.boolean().optional(),
  undo: z.boolean().optional(),
});
export type RootEdit = z.output<typeof rootEdit>;

const FOLDER = 'audit';

/** Where this device records its edits of the root note. */
export function rootEditsPath(device: string): string {
  return `${FOLDER}/root-edits.${device}.jsonl`;
}

/** Records an edit durably, before it is made: an edit without a record cannot be. */
export async function recordRootEdit(brain: Pick<Brain, 'state' | 'device'>, edit: RootEdit): Promise<void> {
  const path = rootEditsPath(brain.device);
  const log = (await brain.state.read(path)) ?? '';
  // A line that a crash or a full disk left without its end must not swallow this one.
  const gap = log === '' || log.endsWith('\n') ? '' : '\n';
  await brain.state.append(path, `${gap}${asciiJson(edit)}\n`, true);
}

/** Every recorded edit of every device that was made, by its time; lines that cannot be read are left out. */
export async function recordedRootEdits(brain: Pick<Brain, 'state'>): Promise<RootEdit[]> {
  const edits: RootEdit[] = [];
  for (const path of await brain.state.list(FOLDER)) {
    if (!/\/root-edits\.[^/]+\.jsonl$/.test(path)) continue;
    for (const line of ((await brain.state.read(path)) ?? '').split('\n')) {
      const edit = parseEdit(line);
      if (edit === null) continue;
      const failed = edit.undone === true ? edits.map(({ id }) => id).lastIndexOf(edit.id) : -1;
      if (edit.undone !== true) edits.push(edit);
      else if (failed >= 0) edits.splice(failed, 1);
    }
  }
  return edits.sort((a, b) => compareText(a.ts, b.ts));
}

function parseEdit(line: string): RootEdit | null {
  try {
    const parsed = rootEdit.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // A torn last line: the edit it began to record was never made.
  }
}

/** Versions whose bytes the history has been seen to keep, which it does for ever. */
const kept = new WeakMap<StateStore, Set<Sha>>();

/** How many older versions there are of a state of the root note; reads none of them a second time. */
export async function olderRootVersions({ state }: Pick<Brain, 'state'>, text: string): Promise<number> {
  const known = kept.get(state) ?? new Set();
  kept.set(state, known);
  const before = new Map(
    (await recordedRootEdits({ state })).map((edit) => [edit.after_hash, edit.before_hash]),
  );
  const seen = new Set([sha256(text)]);
  for (let next = before.get(sha256(text)); isSha(next) && !seen.has(next); next = before.get(next)) {
    if (!known.has(next) && (await readHistory(state, next)) === null) break;
    known.add(next);
    seen.add(next);
  }
  return seen.size - 1;
}

/** The versions of the root note, newest first, as its record of edits links them. */
export async function* rootVersions(
  brain: Pick<Brain, 'state'>,
  path: VaultPath,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const edits = new Map((await recordedRootEdits(brain)).map((edit) => [edit.after_hash, edit]));
  const seen = new Set<string>();
  for (let current: string | null = text; current !== null;) {
    const hash = sha256(current);
    if (seen.has(hash)) return;
    seen.add(hash);
    const edit: RootEdit | undefined = edits.get(hash);
    yield {
      hash,
      ...(edit && edit.path === path && { updated_at: edit.ts, reason: edit.reason, written_by: edit.actor }),
      bytes: utf8Length(current),
      text: current,
    };
    current =
      edit !== undefined && isSha(edit.before_hash) ? await readHistory(brain.state, edit.before_hash) : null;
  }
}
