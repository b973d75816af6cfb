import { announcement } from '../../src/headless/announcement';
import { startedAs } from '../../src/headless/started-as';

const announced = {
  url: 'http://127.0.0.1:27246',
  vault: '/home/ada/brain',
  command: 'brain',
  auth: true,
  pageToken: null,
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

it.each([
  ['/usr/local/bin/brain', 'brain'],
  [`${process.cwd()}/dist/brain.mjs`, 'node dist/brain.mjs'],
  ['/opt/brain-server/dist/brain.mjs', 'node /opt/brain-server/dist/brain.mjs'],
  [`${process.cwd()}/my tools/brain.mjs`, "node 'my tools/brain.mjs'"],
])('says how to start %s again', (script, command) => {
  expect(startedAs(script)).toBe(command);
});
