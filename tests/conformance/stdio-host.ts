import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that speaks MCP over its standard input and output, and what its host says to it. */
export class StdioHost {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #said = '';
  #next = 0;

  constructor(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(program, args, { env });
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.#said += chunk));
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Shakes hands as a host of 2025 does. */
  async connect(name: string): Promise<void> {
    const clientInfo = { name, version: '1.0' };
    await this.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
  }

  /** Sends a request and resolves to its result. */
  async ask(method: string, params: unknown): Promise<Record<string, unknown>> {
    const id = (this.#next += 1);
    this.#send({ id, method, params });
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`It ended before it answered. ${this.#said}`);
      const message: { id?: unknown; result?: Record<string, unknown>; error?: unknown } = JSON.parse(value);
      if (message.id !== id) continue;
      if (message.result === undefined) throw new Error(JSON.stringify(message.error));
      return message.result;
    }
  }

  async close(): Promise<void> {
    const over = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    this.#child.kill();
    await over;
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
