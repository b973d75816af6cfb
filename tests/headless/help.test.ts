import { PassThrough, Readable } from 'node:stream';
import { runCli } from '../../src/headless/cli';

async function helpOf(...command: string[]): Promise<string> {
  const stdout = new PassThrough();
  const io = { env: {}, stdin: Readable.from([]), stdout, stderr: new PassThrough(), command: 'brain' };
  expect(await runCli([...command, '--help'], io)).toBe(0);
  return String(stdout.read());
}

it.each([
  [[]],
  [['serve']],
  [['write']],
  [['update']],
  [['query']],
  [['answer']],
  [['get']],
  [['pass-rate']],
  [['pending']],
  [['promote']],
  [['reject']],
  [['index']],
  [['tunnels']],
  [['token']],
  [['token', 'add']],
  [['token', 'revoke']],
  [['mcp']],
  [['audit', 'verify']],
  [['undo']],
  [['undo', 'back']],
  [['backfill-embeddings']],
  [['doctor']],
  [['ingest']],
  [['backfill-refs']],
])('brain %j --help', async (command) => {
  expect(await helpOf(...command)).toMatchSnapshot();
});
