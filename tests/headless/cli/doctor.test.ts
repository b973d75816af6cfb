import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { doctorLines } from '../../../src/headless/cli/doctor';
import { rendered } from '../../../src/headless/terminal/output';
import { Sandbox } from '../brain-process';

it('prints the worst first, with the sentence and the command that put it right', () => {
  const lines = doctorLines({
    version: '1.2.3',
    checks: [
      { name: 'version', state: 'ok', message: 'Brain Server 1.2.3.' },
      {
        name: 'maps',
        state: 'warning',
        message: 'Wings without.',
        fix: 'Rebuild.',
        action: 'rebuild-index',
      },
      {
        name: 'folder rights',
        state: 'failed',
        message: 'No.',
        fix: 'Change them.',
        command: 'chmod wiki',
      },
    ],
  });
  expect(lines.map((line) => rendered(line, false))).toEqual([
    'Brain Server 1.2.3',
    'FAILED  folder rights: No.',
    '        Change them.',
    '        $ chmod wiki',
    'LOOK    maps: Wings without.',
    '        Rebuild.',
    'ok      version: Brain Server 1.2.3.',
  ]);
  expect(rendered(lines[1] ?? '', true)).toBe('\u001b[31mFAILED \u001b[39m folder rights: No.');
});

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
