import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Served } from '../../bench/support';
import { ask, type Ask, type Made } from './kill-client';

/** How much traffic a round has before its kill. */
export interface Round {
  readonly number: number;
  readonly writesPerRound: number;
  readonly clients: number;
  /** The server dies when so many calls have been acknowledged. */
  readonly killAfter: number;
  readonly random: () => number;
}

/** What the clients know of one note: what was acknowledged, and what was under way when the server died. */
export interface Known {
  readonly id: string;
  /** Where the note was last acknowledged to be, and the hash it had there; null before its first acknowledgement. */
  acked: { path: string; hash: string } | null;
  /** Where an unanswered call may have left it instead. */
  pending: string | null;
  /** Hashes of versions that something has taken the place of, and that have not been asked for since. */
  readonly hashes: string[];
}

/** What became of the calls of a round. */
export interface Traffic {
  acknowledged: number;
  unanswered: number;
  /** Acknowledged calls by what they did. */
  readonly byKind: Record<Kind, number>;
  /** Of the calls over MCP: what each acknowledged one must have left in the audit log, and how many got no answer. */
  readonly audited: string[];
  unansweredTools: number;
  /** Calls over MCP that were refused because the vault was still being read. */
  refusedTools: number;
}

export type Kind = 'write' | 'update' | 'promote' | 'reject';

const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'];

/** A body that proves itself: its last line is the hash of what stands before it. */
export function bodyOf(id: string, version: number, random: () => number): string {
  const words = Array.from({ length: 50 + Math.floor(random() * 400) }, () =>
    Math.floor(random() * 1e9).toString(36),
  );
  const text = `# Note ${id}\n\nid:${id} version:${version}\n\n${words.join(' ')}\n\n`;
  return `${text}sum:${createHash('sha256').update(text).digest('hex')}\n`;
}

/** Puts notes into the queue as a person does, one for every fourth call of a round. */
export async function seedQueue(vault: string, notes: Map<string, Known>, round: Round): Promise<void> {
  for (let n = 0; n < round.writesPerRound; n += 4) {
    const id = `q${round.number}x${n}`;
    const path = `raw/2026-11-01-${id}.md`;
    const text = `---\ncustom: "kept ${id}"\n---\n${bodyOf(id, 0, round.random)}`;
    await writeFile(join(vault, path), text);
    const hash = createHash('sha256').update(text).digest('hex');
    notes.set(id, { id, acked: { path, hash }, pending: null, hashes: [] });
  }
}

/** Lets the clients work, half of the calls over HTTP and half over MCP, and kills the server in the middle of it. */
export async function drive(server: Served, notes: Map<string, Known>, round: Round): Promise<Traffic> {
  const agent = new Agent({ keepAlive: true, maxSockets: round.clients });
  const byKind = { write: 0, update: 0, promote: 0, reject: 0 };
  const traffic: Traffic = {
    acknowledged: 0,
    unanswered: 0,
    byKind,
    audited: [],
    unansweredTools: 0,
    refusedTools: 0,
  };
  const all = [...notes.values()];
  let killed = false;
  const client = async (number: number) => {
    const mine = all.filter((_, index) => index % round.clients === number);
    const queue = mine.filter(({ acked }) => acked?.path.startsWith('raw/2'));
    const written = mine.filter(({ acked }) => acked?.path.startsWith('wiki/'));
    for (let n = 0; !killed && n < round.writesPerRound; n += 1) {
      const call = nextCall({ notes, queue, written }, `r${round.number}c${number}n${n}`, round.random);
      const { note, kind } = call;
      note.pending = call.pending;
      const overMcp = round.random() < 0.5;
      const result = await ask(agent, server.url, call, overMcp, () => (traffic.refusedTools += 1));
      if (result === null) {
        traffic.unanswered += 1;
        if (overMcp) traffic.unansweredTools += 1;
        return;
      }
      if (overMcp) traffic.audited.push(lineOf(call, result));
      if (note.acked !== null && !note.acked.path.startsWith('raw/')) note.hashes.push(note.acked.hash);
      note.acked = { path: result.rejected_path ?? result.path, hash: result.content_hash ?? '' };
      note.pending = null;
      if (note.acked.path.startsWith('wiki/') && kind !== 'update') written.push(note);
      traffic.acknowledged += 1;
      byKind[kind] += 1;
      if (traffic.acknowledged >= round.killAfter && !killed) {
        killed = true;
        server.process.kill('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: round.clients }, (_, number) => client(number)));
  if (!killed) server.process.kill('SIGKILL');
  await server.exited;
  agent.destroy();
  return traffic;
}

interface Call extends Ask {
  readonly kind: Kind;
  readonly note: Known;
  readonly pending: string;
}

interface Choice {
  readonly notes: Map<string, Known>;
  readonly queue: Known[];
  readonly written: readonly Known[];
}

/** A promotion, a rejection, an update, or, also when there is nothing to do that to, a new note. */
function nextCall({ notes, queue, written }: Choice, id: string, random: () => number): Call {
  const dice = random();
  const waiting = dice < 0.3 ? queue.pop() : undefined;
  if (waiting !== undefined) return dice < 0.2 ? promotion(waiting) : rejection(waiting);
  const standing = dice < 0.55 ? written[Math.floor(random() * written.length)] : undefined;
  return standing === undefined ? creation(notes, id, random) : update(standing, id, random);
}

function creation(notes: Map<string, Known>, id: string, random: () => number): Call {
  const [wing, hall] = [`wing-${Math.floor(random() * 3)}`, HALLS[Math.floor(random() * 5)] ?? 'facts'];
  const note: Known = { id, acked: null, pending: null, hashes: [] };
  notes.set(id, note);
  const input = { wing, hall, slug: id, content: bodyOf(id, 0, random) };
  return { kind: 'write', input, note, pending: `wiki/${wing}/${hall}/${id}.md` };
}

function update(note: Known, id: string, random: () => number): Call {
  const path = note.acked?.path ?? '';
  const content = bodyOf(note.id, 1 + Math.floor(random() * 1e6), random);
  return { kind: 'update', input: { path, content, reason: `kill loop ${id}` }, note, pending: path };
}

function promotion(note: Known): Call {
  const path = note.acked?.path ?? '';
  const input = { path, wing: 'promoted', hall: 'facts', slug: note.id };
  return { kind: 'promote', input, note, pending: `wiki/promoted/facts/${note.id}.md` };
}

function rejection(note: Known): Call {
  const path = note.acked?.path ?? '';
  const pending = path.replace('raw/', 'raw/rejected/');
  return { kind: 'reject', input: { path, reason: 'kill loop' }, note, pending };
}

/** What tells the line of a call from those of all others: its tool, and the version or the place that it made. */
function lineOf({ kind }: Call, { content_hash, rejected_path }: Made): string {
  return `brain_${kind} ${content_hash ?? rejected_path ?? ''}`;
}
