import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { Sandbox, type ServerProcess } from '../headless/brain-process';

/** The built server over a vault of its own, and pages in a real browser that talk to it. */
export class Served {
  readonly sandbox = new Sandbox();
  token = '';
  #server: ServerProcess | null = null;

  get server(): ServerProcess {
    if (this.#server === null) throw new Error('The server was not started.');
    return this.#server;
  }

  /** Writes the files into the vault and starts the server. */
  async start(files: Readonly<Record<string, string>> = {}, env: Record<string, string> = {}): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.sandbox.vault, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    this.#server = await this.sandbox.serve([], env);
    const shown = await this.sandbox.run(['token', 'show']);
    this.token = shown.stdout.trim();
  }

  /** Stops the server and starts it again at the same address. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.server.stop();
    await this.startAgain(env);
  }

  async startAgain(env: Record<string, string> = {}): Promise<void> {
    this.#server = await this.sandbox.serve(['--port', new URL(this.server.url).port], env);
  }

  /** A page in a session of its own. Everything that the browser complains about ends up in `complaints`. */
  async page(
    browser: Browser,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints };
  }

  /** A page that is signed in, on the screen whose fragment is given. */
  async open(
    browser: Browser,
    fragment = '#/home',
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const made = await this.page(browser, options);
    await made.page.goto(`${this.server.url}/#token=${this.token}`);
    await made.page.getByRole('heading', { name: 'Brain home' }).waitFor({ state: 'attached' });
    if (fragment !== '#/home') await made.page.evaluate((hash) => (window.location.hash = hash), fragment);
    return made;
  }

  /** Calls the server as the owner. */
  async call(route: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await fetch(this.server.url + route, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const value: unknown = await answer.json();
    if (answer.status !== 200 || typeof value !== 'object' || value === null) {
      throw new Error(`${route} answered ${answer.status}: ${JSON.stringify(value)}`);
    }
    return { ...value };
  }

  async end(): Promise<void> {
    await this.sandbox.remove();
  }
}

/** A note of the wiki. */
export function wikiNote(title: string, body = 'Text.'): string {
  return `---\ntitle: ${title}\ncreated_at: 2026-01-02T03:04:05Z\norigin: mcp\nwritten_by: laptop (claude-code 2.1.300)\n---\n\n# ${title}\n\n${body}\n`;
}
