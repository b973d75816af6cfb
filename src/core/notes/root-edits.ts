import * as z from 'zod';
import type { Brain } from '../brain';
import { readHistory } from '../history-store';
import { asciiJson } from '../rules/ascii-json';
import { isSha, sha256, utf8Length } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import type { Version } from './versions';

/**
 * One line of the record of root note edits. The root note carries no stamps of its own, so who changed it and what
 * stood there before is kept here. `undone` marks an edit whose record was written but which then failed.
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

/** Every recorded edit of every device by the hash it led to; lines that cannot be read are left out. */
async function recordedEdits(brain: Pick<Brain, 'state'>): Promise<Map<string, RootEdit>> {
  const edits = new Map<string, RootEdit>();
  for (const path of await brain.state.list(FOLDER)) {
    if (!/\/root-edits\.[^/]+\.jsonl$/.test(path)) continue;
    for (const line of ((await brain.state.read(path)) ?? '').split('\n')) {
      const edit = parseEdit(line);
      if (edit === null) continue;
      if (edit.undone !== true) edits.set(edit.after_hash, edit);
      else if (edits.get(edit.after_hash)?.id === edit.id) edits.delete(edit.after_hash);
    }
  }
  return edits;
}

function parseEdit(line: string): RootEdit | null {
  try {
    const parsed = rootEdit.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // A torn last line: the edit it began to record was never made.
  }
}

/** The versions of the root note, newest first, as its record of edits links them. */
export async function* rootVersions(
  brain: Pick<Brain, 'state'>,
  path: VaultPath,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const edits = await recordedEdits(brain);
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
