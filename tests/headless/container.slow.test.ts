import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { Builder, type Image } from '../support/dockerfile';
import { freePort } from '../support/free-port';
import { notOn } from '../support/systems';
import { finished, type Finished, ServerProcess } from './brain-process';

const posix = notOn(['win32'], 'the steps of a Dockerfile are for a shell of Unix');
const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'brain-container-')));
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Service {
  readonly read_only?: boolean;
  readonly configs?: readonly { readonly source: string }[];
}

/** The variables of the container, with its folders where they are here, and a port that is free here. */
function environment(image: Image, port: number): Record<string, string> {
  const inside = path.join(image.root, 'usr/local/bin');
  const moved = Object.entries(image.env).map(([name, value]) => [
    name,
    value.startsWith('/') ? path.join(image.root, value) : value,
  ]);
  return {
    ...Object.fromEntries(moved),
    BRAIN_PORT: String(port),
    HOME: place,
    PATH: `${inside}:${process.env.PATH ?? ''}`,
  };
}

posix.it(
  'is built by the steps of the Dockerfile, serves its volume, and knows whether it is well',
  async () => {
    const image = new Builder(process.cwd(), place).build();
    expect(image.user).toBe('node');
    expect(image.volumes).toEqual([image.env.BRAIN_VAULT, image.env.BRAIN_CONFIG_DIR]);
    expect(image.env).toMatchObject({ BRAIN_HOST: '0.0.0.0', BRAIN_AUTH: 'on', BRAIN_PORT: '27246' });

    const env = environment(image, await freePort());
    const run = ([command = '', ...args]: readonly string[]): Promise<Finished> =>
      finished(spawn(command, args, { env, cwd: image.root }));
    expect((await run(image.health)).code).toBe(1);
    const [command = '', ...args] = image.command;
    const server = await ServerProcess.listening(spawn(command, args, { env, cwd: image.root }));
    try {
      expect((await run(image.health)).code).toBe(0);
      // A request under the name of the machine is refused until that name is listed, and none does without a token.
      expect((await fetch(`http://127.0.0.1:${env.BRAIN_PORT}/wings`)).status).toBe(401);
      const token = await run(['brain', 'token', 'add', 'claude']);
      expect(token.code).toBe(0);
      const headers = { authorization: `Bearer ${token.stdout.trim()}` };
      expect((await fetch(`http://127.0.0.1:${env.BRAIN_PORT}/wings`, { headers })).status).toBe(200);
    } finally {
      await server.stop();
    }
    expect((await run(image.health)).code).toBe(1);
  },
  120_000,
);

it('is described for compose as the image has it', () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'));
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const [port] = services.brain.ports;
  // Published on this machine alone, under the port that the server expects in the header Host.
  expect(port).toBe('127.0.0.1:27246:27246');
  expect(dockerfile).toContain('EXPOSE 27246');
  const targets = services.brain.volumes.map((volume: string) => volume.split(':').at(-1));
  expect(dockerfile).toContain(`VOLUME ${JSON.stringify(targets).replaceAll(',', ', ')}`);
  expect(services.postgres).toMatchObject({ profiles: ['postgres'] });
  expect(services.postgres.ports).toBeUndefined();
});

it('is described for a team, with one pooler before the database and nothing else to be reached', () => {
  const { services, configs } = parse(readFileSync('docs/compose.team.yaml', 'utf8'), { merge: true });
  const servers = Object.keys(services).filter((name) => name.startsWith('brain-'));
  expect(servers).toHaveLength(2);
  for (const name of servers) {
    const { environment: set, ports, build } = services[name];
    expect(ports).toEqual([`127.0.0.1:${set.BRAIN_PORT}:${set.BRAIN_PORT}`]);
    expect(realpathSync(path.join('docs', build))).toBe(process.cwd());
    const [, host, port] = /@(\w+):(\d+)\/brain$/.exec(set.BRAIN_STORE) ?? [];
    expect(services).toHaveProperty(host ?? '');
    expect(configs.pgbouncer.content).toContain(`listen_port = ${port}\n`);
  }
  for (const name of ['pgbouncer', 'postgres']) expect(services[name].ports).toBeUndefined();
  expect(configs.pgbouncer.content).toMatch(/^pool_mode = transaction$/m);
  // Docker Compose writes a config with `content` into the container, and refuses to where that is read-only.
  for (const { read_only: isReadOnly, configs: given = [] } of Object.values<Service>(services))
    for (const { source } of given)
      expect(isReadOnly === true && configs[source].content !== undefined).toBe(false);
  const targets = services.pgbouncer.configs.map(({ target }: { target: string }) => target);
  expect(targets).toContain(/^auth_file = (.+)$/m.exec(configs.pgbouncer.content)?.[1]);
  expect(services.pgbouncer.build.dockerfile_inline).toContain(targets[0]);
});
