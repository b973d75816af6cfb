import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Served } from '../../bench/support';
import { parseAuditLine } from '../../src/core/audit/line';
import { send } from './kill-client';
import type { Known, Traffic } from './kill-traffic';

/** A file of the vault as it was read. */
interface Seen {
  readonly stamp: string;
  readonly hash: string;
  readonly id: string;
  /** The hash that ends the body: a word that stands in no other note, nor in another version of this one. */
  readonly sum: string;
  readonly isWhole: boolean;
}

/** Notes that the search is asked for at a look. */
const ASKED_FOR = 20;

/**
 * Looks at a vault after every kill and restart. Files that have not changed since the last look are not read again, unless
 * it is told to be thorough.
 */
export class Inspector {
  readonly #seen = new Map<string, Seen>();
  /** Places of notes that were made, changed or moved since the look before. */
  #fresh: string[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  /** Lines of the audit log at the last look. */
  #lines = 0;

  constructor(private readonly vault: string) {}

  /** Everything that is wrong with the vault after the restart, in words. Brings what is known of the notes up to date. */
  async inspect(
    notes: ReadonlyMap<string, Known>,
    server: Pick<Served, 'url'>,
    traffic: Traffic,
    isThorough: boolean,
  ): Promise<string[]> {
    this.#fresh = [];
    const problems: string[] = [];
    const places = new Map<string, string[]>();
    const paths = await this.#files(['wiki', 'raw']);
    for (const path of paths) {
      if (path.endsWith('/_index.md')) continue;
      const { id, isWhole } = await this.#look(path, isThorough);
      if (!isWhole) problems.push(`${path} is torn`);
      places.set(id, [...(places.get(id) ?? []), path]);
    }
    for (const note of notes.values()) {
      const found = places.get(note.id) ?? [];
      places.delete(note.id);
      problems.push(...(await this.#note(note, found, server)));
    }
    for (const [id, unknown] of places) problems.push(`${id} in ${unknown.join(', ')} was never written`);
    problems.push(...(await this.#announced()), ...(await this.#audit(traffic, server)));
    problems.push(...(await this.#derived(paths, server)), ...(await this.#findable(server)));
    return problems;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** One note: in one place, as it was acknowledged or as the call under way would have it, every version to be had. */
  async #note(note: Known, found: readonly string[], server: Pick<Served, 'url'>): Promise<string[]> {
    const { acked, pending } = note;
    if (acked === null && pending === null) return [];
    const problems = found.length > 1 ? [`${note.id} is in ${found.join(' and ')}`] : [];
    const [at] = found;
    if (at === undefined) {
      if (acked !== null) problems.push(`${note.id} is lost; acknowledged at ${acked.path}`);
      return problems;
    }
    const hash = this.#seen.get(at)?.hash ?? '';
    const asAcked = acked !== null && at === acked.path && (acked.hash === '' || hash === acked.hash);
    const asPending = pending !== null && at === pending;
    if (!asAcked && !asPending)
      problems.push(`${note.id} is at ${at} with another content than acknowledged`);
    if (asPending && !asAcked && acked !== null && !acked.path.startsWith('raw/'))
      note.hashes.push(acked.hash);
    note.acked = { path: at, hash };
    note.pending = null;
    for (const version of note.hashes.splice(0).filter(Boolean)) {
      const answer = await send(this.#agent, `${server.url}/history?hash=${version}`, 'GET');
      if (answer?.status !== 200)
        problems.push(`${note.id}: the version ${version} cannot be read (${answer?.status})`);
    }
    return problems;
  }

  /**
   * Temporary files that are left when the server has stopped: while it runs, one may be of the index, which is kept in the
   * background.
   */
  async litter(): Promise<string[]> {
    const paths = await this.#files(['.brain', 'wiki', 'raw']);
    return paths.filter((path) => /\/tmp\/|\/\.~/.test(path)).map((path) => `litter: ${path}`);
  }

  /** Changes that are announced, although nobody changes anything. */
  async #announced(): Promise<string[]> {
    const problems: string[] = [];
    for (const path of await this.#files(['.brain'])) {
      if (!path.endsWith('/journal.jsonl')) continue;
      const isEmpty = (await readFile(join(this.vault, path), 'utf8')).trim() === '';
      if (!isEmpty) problems.push(`${path} announces a change after the start`);
    }
    return problems;
  }

  /** One line for each acknowledged tool call, no line that nobody has asked for, and a chain that is whole. */
  async #audit(traffic: Traffic, server: Pick<Served, 'url'>): Promise<string[]> {
    // A month with many lines has several files: `2026-11.abcd.jsonl`, then `2026-11.abcd.2.jsonl`.
    const place = (path: string): string => path.replace(/\.jsonl$/, '');
    const files = (await this.#files(['.brain/audit']))
      .filter((path) => /\/\d{4}-\d\d\./.test(path))
      .sort((a, b) => place(a).localeCompare(place(b), 'en', { numeric: true }));
    const texts = await Promise.all(files.map((path) => readFile(join(this.vault, path), 'utf8')));
    const lines = texts.flatMap((text) => text.split('\n').filter(Boolean));
    const fresh = lines.slice(this.#lines);
    this.#lines = lines.length;
    const problems: string[] = [];
    const most = traffic.audited.length + traffic.unansweredTools + traffic.refusedTools;
    if (fresh.length > most) problems.push(`${fresh.length} audit lines for ${most} tool calls`);
    const counts = new Map<string, number>();
    for (const line of fresh) {
      const entry = parseAuditLine(line);
      const rejected = entry?.paths.find((path) => path.startsWith('raw/rejected/'));
      const key = `${entry?.tool} ${entry?.content_hash ?? rejected ?? ''}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const key of traffic.audited) {
      if (counts.get(key) !== 1) problems.push(`${counts.get(key) ?? 0} audit lines for ${key}`);
    }
    const verified = await this.#get(server, '/audit/verify');
    if (verified.problem_count !== 0) problems.push(`the audit log: ${JSON.stringify(verified.problems)}`);
    return problems;
  }

  /** The maps are what they would be if they were made anew, and the service counts the notes that stand there. */
  async #derived(paths: readonly string[], server: Pick<Served, 'url'>): Promise<string[]> {
    const answer = await send(this.#agent, `${server.url}/index`, 'POST', '{"dry_run":true}');
    const { wings }: { wings: { path: string; changed: boolean }[] } = JSON.parse(answer?.text ?? '{}');
    const stale = wings.filter(({ changed }) => changed).map(({ path }) => `${path} is not up to date`);
    const status = await this.#get(server, '/status');
    const inWiki = paths.filter((path) => path.startsWith('wiki/') && !path.endsWith('/_index.md')).length;
    if (status.notes !== inWiki) stale.push(`the service knows ${String(status.notes)} of ${inWiki} notes`);
    return stale;
  }

  /**
   * The search finds notes by a word that only their last version has, where they stand now, and none that was rejected. It is
   * asked for some of those that changed since the look before, which are the ones that an index could have missed.
   */
  async #findable(server: Pick<Served, 'url'>): Promise<string[]> {
    const problems: string[] = [];
    const step = Math.max(1, Math.ceil(this.#fresh.length / ASKED_FOR));
    for (const path of this.#fresh.filter((_, index) => index % step === 0)) {
      const body = JSON.stringify({ query: this.#seen.get(path)?.sum, include_raw: true });
      const answer = await send(this.#agent, `${server.url}/query`, 'POST', body);
      if (answer?.status !== 200) throw new Error(`/query answered ${answer?.status}`);
      const { results }: { results: { path: string }[] } = JSON.parse(answer.text);
      const hits = results.map((hit) => hit.path);
      const isRejected = path.startsWith('raw/rejected/');
      if (isRejected && hits.includes(path)) problems.push(`the search finds ${path}, which was rejected`);
      if (!isRejected && !hits.includes(path))
        problems.push(`the search does not find ${path} by its words, but ${hits.join(', ') || 'nothing'}`);
    }
    return problems;
  }

  async #get(server: Pick<Served, 'url'>, path: string): Promise<Record<string, unknown>> {
    const answer = await send(this.#agent, server.url + path, 'GET');
    if (answer?.status !== 200) throw new Error(`${path} answered ${answer?.status}`);
    const body: Record<string, unknown> = JSON.parse(answer.text);
    return body;
  }

  /** @param anew reads a file that seems to be as it was, too */
  async #look(path: string, anew: boolean): Promise<Seen> {
    const full = join(this.vault, path);
    const { mtimeMs, ctimeMs, size, ino } = await lstat(full);
    const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    const known = this.#seen.get(path);
    if (!anew && known?.stamp === stamp) return known;
    const text = await readFile(full, 'utf8');
    const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
    const hash = createHash('sha256').update(text).digest('hex');
    const seen = {
      stamp,
      hash,
      id: /id:(\w+)/.exec(body)?.[1] ?? `unknown in ${path}`,
      sum: /sum:(\w+)/.exec(body)?.[1] ?? '',
      isWhole: isWhole(body),
    };
    if (seen.isWhole && known?.hash !== hash) this.#fresh.push(path);
    this.#seen.set(path, seen);
    return seen;
  }

  async #files(folders: readonly string[]): Promise<string[]> {
    const paths: string[] = [];
    for (const folder of folders) {
      const entries = await readdir(join(this.vault, folder), { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        if (entry.isFile()) paths.push(join(entry.parentPath, entry.name).slice(this.vault.length + 1));
      }
    }
    return paths;
  }
}

function isWhole(body: string): boolean {
  const at = body.lastIndexOf('sum:');
  const text = body.slice(0, at);
  return at >= 0 && body.slice(at + 4).trim() === createHash('sha256').update(text).digest('hex');
}
