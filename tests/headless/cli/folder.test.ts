import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { mkdir, writeFile } from 'node:fs/promises';
import { sendFolder } from '../../../src/headless/cli/folder';
import { CommandError } from '../../../src/headless/terminal/io';
import { Client } from '../../../src/headless/terminal/client';
import { withTempFolder } from '../../support/temp-folder';

const io = () => ({
  env: {},
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  command: 'brain',
  program: [],
});

it('drops the batch of a folder that cannot be sent, and sends no further file', () =>
  withTempFolder(async (top) => {
    const folder = path.join(top, 'files');
    await mkdir(folder);
    for (let n = 0; n < 40; n += 1) await writeFile(path.join(folder, `${n}.md`), `# ${n}\n`);
    const client = new Client(new URL('http://127.0.0.1:1'), 'token', 'brain');
    const calls: string[] = [];
    jest.spyOn(client, 'call').mockImplementation((name: string) => {
      calls.push(name);
      const value = { batch: 'b', reads: ['md'], needs_converter: [] };
      return Promise.resolve({ value, text: '' });
    });
    let sent = 0;
    jest.spyOn(client, 'sendFile').mockImplementation(() => {
      sent += 1;
      return Promise.reject(new CommandError('The token was withdrawn.', 'unauthorized'));
    });
    await expect(sendFolder(io(), client, folder, { recursive: true })).rejects.toThrow('withdrawn');
    expect(calls).toEqual(['openBatch', 'dropBatch']);
    expect(sent).toBeLessThanOrEqual(4);
  }));
