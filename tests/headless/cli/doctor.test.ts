import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox } from '../brain-process';

describe('brain doctor', () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it('ends with 0 when all is well or needs a look, and with 1 when something failed', async () => {
    const server = await sandbox.serve();
    const env = { BRAIN_URL: server.url };
    rmSync(path.join(sandbox.vault, 'sessions'), { recursive: true });
    const well = await sandbox.run(['doctor'], { env });
    expect([well.code, well.stderr]).toEqual([0, '']);
    expect(well.stdout).toMatch(
      /^Brain Server \d.*\nLOOK {4}vault layout: Missing: sessions\.\n {8}Make them, or/,
    );

    rmSync(path.join(sandbox.vault, 'raw'), { recursive: true });
    writeFileSync(path.join(sandbox.vault, 'raw'), 'a file');
    const ill = await sandbox.run(['doctor', '--json'], { env });
    expect([ill.code, ill.stderr]).toEqual([1, expect.stringMatching(/^brain: \d checks? failed\.\n$/)]);
    expect(JSON.parse(ill.stdout)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: 'folders', state: 'failed' })]),
    });
    rmSync(path.join(sandbox.vault, 'raw'));
    mkdirSync(path.join(sandbox.vault, 'raw'));
    await server.stop();
  });

  it('says that no server runs', async () => {
    const { code, stderr } = await sandbox.run(['doctor'], { env: { BRAIN_URL: 'http://127.0.0.1:1' } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('No server at http://127.0.0.1:1')]);
  });
});
