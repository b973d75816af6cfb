import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { Sandbox, type ServerProcess, type Variables } from './brain-process';

const TOKEN = 'owner-of-the-vault-0123456789-0123456789';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A page as it stands on the disk, read by another YAML reader than the service's own. */
export interface PageOnDisk {
  readonly path: string;
  readonly text: string;
  readonly frontmatter: Record<string, unknown>;
  readonly body: string;
  readonly sources: readonly string[];
}

/** A vault and the built server that watches its inbox, seen through HTTP and the disk alone. */
export class ServedVault {
  readonly sandbox = new Sandbox();
  #server: ServerProcess | null = null;

  async start(env: Variables = {}): Promise<void> {
    this.#server = await this.sandbox.serve([], {
      BRAIN_TOKEN: TOKEN,
      BRAIN_WATCH: 'on',
      BRAIN_RATE_LIMIT: '0',
      ...env,
    });
    await this.until(async () => Object(await this.status()).state === 'on');
  }

  /** Ends the server and resolves with everything that it has printed. */
  async stop(): Promise<string> {
    const { code, stdout, stderr } = (await this.#server?.stop()) ?? { code: null, stdout: '', stderr: '' };
    if (code !== 0) throw new Error(`The server ended with ${code}: ${stderr}`);
    return stdout + stderr;
  }

  async ask(method: string, route: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.#server?.url}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }

  /** The same for what has to succeed. */
  async get(method: string, route: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.ask(method, route, body);
    expect(answer).toEqual({ status: 200, body: answer.body });
    return answer.body;
  }

  /** What the service says of its inbox. */
  async status(): Promise<unknown> {
    return (await this.get('GET', '/status')).watcher;
  }

  at(...names: string[]): string {
    return path.join(this.sandbox.vault, ...names);
  }

  write(name: string, bytes: string | Uint8Array): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), bytes);
  }

  bytes(name: string): Buffer {
    return readFileSync(this.at(name));
  }

  /** Every file below a folder of the vault, as paths of the vault, sorted; what belongs to the service's state is left out. */
  files(folder = ''): string[] {
    if (!existsSync(this.at(folder))) return [];
    return readdirSync(this.at(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(this.at(), path.join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith('.brain/'))
      .sort();
  }

  /** The hash of every file below a folder, by path. */
  image(folder = ''): Record<string, string> {
    return Object.fromEntries(this.files(folder).map((file) => [file, sha(this.bytes(file))]));
  }

  /** What stands in the inbox and was neither handled nor failed. */
  standing(): string[] {
    return this.files('inbox').filter((file) => !/^inbox\/(?:processed|quarantine)\//.test(file));
  }

  /** Every page that waits for review. */
  pages(): PageOnDisk[] {
    return this.files('raw').map((file) => pageOf(file, this.bytes(file).toString('utf8')));
  }

  /** The test's own time limit ends the wait. */
  async until(check: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Waits until nothing stands in the inbox but these, and nothing is being taken. */
  async drained(stays: readonly string[]): Promise<void> {
    await this.until(() => this.standing().every((file) => stays.includes(file)));
    await this.until(async () => !('running' in Object(await this.status())));
  }

  remove(): Promise<void> {
    return this.sandbox.remove();
  }
}

export function sha(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function pageOf(file: string, text: string): PageOnDisk {
  const [, block = '', body = text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  const frontmatter: Record<string, unknown> = parse(block) ?? {};
  const sources = Array.isArray(frontmatter.sources) ? frontmatter.sources.map(String) : [];
  return { path: file, text, frontmatter, body, sources };
}

/** Where an element of `sources` leads, and to which page of it; null when it is no link to a file of the vault. */
export function linkOf(element: string): { readonly path: string; readonly page: number | null } | null {
  const [, target, page] = /^\[\[([^\]|#]+)(?:#page=(\d+))?\|[^\]|]+\]\]$/.exec(element) ?? [];
  return target === undefined ? null : { path: target, page: page === undefined ? null : Number(page) };
}
