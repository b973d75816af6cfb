import { announcement } from '../../src/headless/announcement';
import { exposureOf } from '../../src/headless/exposure';
import { startedAs } from '../../src/headless/started-as';

const announced = {
  url: 'http://127.0.0.1:27246',
  vault: '/home/ada/brain',
  command: 'brain',
  auth: true,
  pageToken: null,
  exposure: null,
};

it('can be pasted, and holds no secret', () => {
  expect(announcement(announced)).toMatchInlineSnapshot(`
   "Brain Server 0.1.0 on http://127.0.0.1:27246
   Vault: /home/ada/brain

   Try it:
     curl -s http://127.0.0.1:27246/query -H "Authorization: Bearer $(brain token show)" \\
       -H 'Content-Type: application/json' -d '{"query":"backup"}'

   Connect an agent over HTTP, with a token of its own:
     claude mcp add --transport http brain http://127.0.0.1:27246/mcp --header "Authorization: Bearer $(brain token add claude)"
   Clients that start a program instead: brain mcp

   Your page: http://127.0.0.1:27246/ asks for the token that "brain token show" prints.
   "
  `);
});

it('links the page with its token on a terminal', () => {
  expect(announcement({ ...announced, pageToken: 'PAGE' })).toMatch(
    /your own acts:\n {2}Open http:\/\/127\.0\.0\.1:27246\/#token=PAGE\n$/,
  );
});

it('says loudly that authentication is off, and sends no token then', () => {
  const text = announcement({ ...announced, auth: false, pageToken: 'PAGE' });
  expect(text).toContain('BRAIN_AUTH is off');
  expect(text).not.toMatch(/Bearer|PAGE/);
  expect(text).toMatch(/\n {2}Open http:\/\/127\.0\.0\.1:27246\/\n$/);
});

it('names another address to the bridge', () => {
  const text = announcement({ ...announced, url: 'http://127.0.0.1:8080', command: 'node dist/brain.mjs' });
  expect(text).toContain('BRAIN_URL=http://127.0.0.1:8080 node dist/brain.mjs mcp\n');
});

describe('who else can reach the server', () => {
  const card = { netmask: '255.255.255.0', mac: '00:00:00:00:00:00', cidr: null };
  const four = (address: string, internal = false) => ({
    ...card,
    address,
    internal,
    family: 'IPv4' as const,
  });
  const six = (address: string) => ({
    ...card,
    address,
    internal: false,
    family: 'IPv6' as const,
    scopeid: 0,
  });
  const interfaces = {
    lo: [four('127.0.0.1', true)],
    eth0: [six('fe80::1'), six('2001:db8::5'), four('192.168.1.5')],
  };
  const server = { port: 27246, tls: false };
  const said = (host: string, allowedHosts: string[], tls = false): string =>
    announcement({
      ...announced,
      exposure: exposureOf({ host, allowedHosts }, { ...server, tls }, interfaces),
    });

  it.each(['127.0.0.1', 'localhost', '::1', '127.3.2.1'])('is nobody for %s', (host) => {
    expect(exposureOf({ host, allowedHosts: ['nas'] }, server, interfaces)).toBeNull();
    expect(said(host, ['nas'])).toBe(announcement(announced));
  });

  it('finds it under the names that are answered, and travels in plain text', () => {
    expect(said('0.0.0.0', ['nas.home.arpa', 'brain.lan:8443'])).toMatchInlineSnapshot(`
     "Brain Server 0.1.0 on http://127.0.0.1:27246
     Vault: /home/ada/brain
     From other machines: http://nas.home.arpa:27246, http://brain.lan:8443

     Anyone in the network who has a token can read and change this vault, and tokens and notes cross it in plain text. Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks HTTPS.

     Try it:
       curl -s http://127.0.0.1:27246/query -H "Authorization: Bearer $(brain token show)" \\
         -H 'Content-Type: application/json' -d '{"query":"backup"}'

     Connect an agent over HTTP, with a token of its own:
       claude mcp add --transport http brain http://127.0.0.1:27246/mcp --header "Authorization: Bearer $(brain token add claude)"
     Clients that start a program instead: brain mcp

     Your page: http://127.0.0.1:27246/ asks for the token that "brain token show" prints.
     "
    `);
  });

  it.each([
    ['0.0.0.0', '192.168.1.5'],
    ['::', '192.168.1.5'],
    ['10.0.0.7', '10.0.0.7'],
    ['2001:db8::7', '[2001:db8::7]'],
  ])('is refused on %s until a name is listed, such as its own', (host, own) => {
    expect(said(host, [])).toContain(
      `\nFrom other machines: refused so far. Set BRAIN_ALLOWED_HOSTS=${own} to be called by that address.\n`,
    );
  });

  it('does not know a name of a machine without a network', () => {
    const exposure = exposureOf({ host: '0.0.0.0', allowedHosts: [] }, server, {});
    expect(announcement({ ...announced, exposure })).toContain(
      'From other machines: refused so far. Name the address by which they call it in BRAIN_ALLOWED_HOSTS.',
    );
  });

  it('is not said to read along when it speaks HTTPS', () => {
    const text = said('0.0.0.0', ['nas'], true);
    expect(text).toContain('From other machines: https://nas:27246\n');
    expect(text).toContain('\nAnyone in the network who has a token can read and change this vault.\n');
    expect(text).not.toContain('plain text');
  });
});

it.each([
  ['/usr/local/bin/brain', 'brain'],
  [`${process.cwd()}/dist/brain.mjs`, 'node dist/brain.mjs'],
  ['/opt/brain-server/dist/brain.mjs', 'node /opt/brain-server/dist/brain.mjs'],
  [`${process.cwd()}/my tools/brain.mjs`, "node 'my tools/brain.mjs'"],
])('says how to start %s again', (script, command) => {
  expect(startedAs(script)).toBe(command);
});
