import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const TOKEN = 'a-token-for-these-tests-alone-0123456789';
const PAGES = 400;
const PICTURES = 40;
/** How often each act is cut. */
const CUTS = 10;

interface Import {
  readonly state: string;
  readonly pages: number;
}

async function ask<T>(server: ServerProcess, route: string, body?: object | Buffer): Promise<T> {
  const answer = await fetch(server.url + route, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body !== undefined && !(body instanceof Buffer) && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect({ route, status: answer.status, text }).toMatchObject({ status: 200 });
  // What the server answers is looked at field by field.
  return JSON.parse(text) as T;
}

/** The files of the vault with their bytes, without the state of the service. */
function filesOf(vault: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const at of readdirSync(vault, { recursive: true, encoding: 'utf8' })) {
    const full = path.join(vault, at);
    if (!at.startsWith('.brain') && statSync(full).isFile()) found.set(at, readFileSync(full, 'base64'));
  }
  return found;
}

async function importOf(server: ServerProcess): Promise<Import | undefined> {
  return (await ask<{ imports: Import[] }>(server, '/imports')).imports[0];
}

/** Starts the server, and ends it without warning once so many files of the import stand, or no longer stand. */
async function cutWhen(
  server: ServerProcess,
  vault: string,
  isReached: (count: number) => boolean,
): Promise<void> {
  for (;;) {
    const folder = path.join(vault, 'imports/big');
    const names = (() => {
      try {
        return readdirSync(folder, { recursive: true, encoding: 'utf8' });
      } catch {
        return [];
      }
    })();
    if (isReached(names.length)) break;
    const { state } = (await importOf(server)) ?? { state: 'none' };
    if (state === 'imported' || state === 'taken_back') break;
  }
  await server.stop('SIGKILL');
}

it('goes on after every cut, forth and back, and loses no byte', async () => {
  const sandbox = new Sandbox();
  try {
    const serve = () => sandbox.serve([], { BRAIN_TOKEN: TOKEN });
    mkdirSync(path.join(sandbox.vault, 'Own'), { recursive: true });
    writeFileSync(path.join(sandbox.vault, 'Own/mine.md'), '# Mine\n\nStays.\n');
    let server = await serve();
    const before = filesOf(sandbox.vault);
    const { batch } = await ask<{ batch: string }>(server, '/imports', { name: 'big' });
    const sent = new Map<string, Buffer>();
    for (let n = 0; n < PAGES; n += 1)
      sent.set(
        `f${n % 7}/note ${n}.md`,
        Buffer.from(`# Note ${n}\n\n[[note ${(n + 1) % PAGES}]] ![[p${n % PICTURES}.png]]\n`),
      );
    for (let n = 0; n < PICTURES; n += 1) sent.set(`p/p${n}.png`, Buffer.from([137, 80, n, 0, 255 - n]));
    for (const [name, bytes] of sent)
      await ask(server, `/ingest-batch/file?${new URLSearchParams({ batch, name }).toString()}`, bytes);
    await ask(server, '/ingest-batch/done', { batch, background: true });
    const total = sent.size;
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await cutWhen(server, sandbox.vault, (count) => count >= (cut * total) / (CUTS + 1));
      server = await serve();
      // From the first file on it has a name, whole or not.
      if (filesOf(sandbox.vault).size > before.size) expect((await importOf(server))?.pages).toBe(PAGES);
    }
    while ((await importOf(server))?.state === 'writing') await new Promise((go) => setTimeout(go, 50));
    const whole = filesOf(sandbox.vault);
    for (const [name, bytes] of sent) expect(whole.get(`imports/big/${name}`)).toBe(bytes.toString('base64'));
    expect(whole.size).toBe(before.size + total);

    await ask(server, '/imports/take-back', { name: 'big', background: true });
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await cutWhen(server, sandbox.vault, (count) => count <= total - (cut * total) / (CUTS + 1));
      server = await serve();
    }
    while ((await importOf(server))?.state === 'leaving') await new Promise((go) => setTimeout(go, 50));
    expect(filesOf(sandbox.vault)).toEqual(before);

    await ask(server, '/imports/take-back', { name: 'big', undo: true });
    expect(filesOf(sandbox.vault)).toEqual(whole);
    await server.stop();
  } finally {
    await sandbox.remove();
  }
});
