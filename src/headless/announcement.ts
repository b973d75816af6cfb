import type { Exposure } from './exposure';
import { bridgeEntry } from './started-as';
import { VERSION } from './version';

export interface Announced {
  readonly url: string;
  /** Absolute path of the vault. */
  readonly vault: string;
  /** How to start this program again: `brain`, or `node dist/brain.mjs`. */
  readonly command: string;
  /** What a client has to start to start this program. */
  readonly program: readonly string[];
  /** Where tokens are kept, when a program that is started elsewhere would not look there. */
  readonly configFolder: string | null;
  /** False when everybody who reaches the port may do everything. */
  readonly auth: boolean;
  /** For the link to the page. Only for a terminal: a log or a pipe must not keep it. */
  readonly pageToken: string | null;
  /** Null when only this machine reaches the server. */
  readonly exposure: Exposure | null;
}

/**
 * What `brain serve` says once it listens. The first line is for programs too: `Brain Server <version> on <url>`.
 * Every command can be pasted into a POSIX shell; the one that makes a token configures nothing when it cannot. No secret
 * stands in them. The link to the page carries its token behind the `#`, which browsers never send to any server.
 */
export function announcement(announced: Announced): string {
  const { url, vault, command, program, configFolder, auth, pageToken, exposure } = announced;
  const bearer = auth ? ` -H "Authorization: Bearer $(${command} token show)"` : '';
  const lines = [
    `Brain Server ${VERSION} on ${url}`,
    `Vault: ${vault}`,
    ...(exposure === null ? [] : exposureLines(exposure)),
    '',
    'Try it:',
    `  curl -s ${url}/query${bearer} \\`,
    `    -H 'Content-Type: application/json' -d '{"query":"backup"}'`,
    '',
    ...(auth ? agentLines(url, command) : ['Connect an agent over HTTP:', `  ${addToClaude(url)}`]),
    '',
    'For clients that start a program instead:',
    `  ${bridgeEntry(program, url, auth && configFolder !== null ? { BRAIN_CONFIG_DIR: configFolder } : {})}`,
    ...(auth ? ['  It writes as "bridge"; BRAIN_TOKEN in its "env" gives it a token of its own.'] : []),
  ];
  if (!auth) {
    lines.push('', 'BRAIN_AUTH is off: every program on this machine can read and change the vault.');
    lines.push('', 'Your page:', `  Open ${url}/`);
  } else if (pageToken === null) {
    lines.push('', `Your page: ${url}/ asks for the token that "${command} token show" prints.`);
  } else {
    lines.push(
      '',
      'Your page; the link holds for this run, and what is done there counts as your own acts:',
      `  Open ${url}/#token=${pageToken}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The token is made before the client is told of it: where it cannot be made, nothing is configured. */
function agentLines(url: string, command: string): string[] {
  return [
    'Connect an agent over HTTP, with a token of its own:',
    `  AGENT_TOKEN=$(${command} token add claude) &&`,
    `    ${addToClaude(url)} --header "Authorization: Bearer $AGENT_TOKEN"`,
  ];
}

function addToClaude(url: string): string {
  return `claude mcp add --transport http brain ${url}/mcp`;
}

function exposureLines({ urls, unlisted, tls }: Exposure): string[] {
  const hint =
    unlisted === null
      ? 'Name the address by which they call it in BRAIN_ALLOWED_HOSTS.'
      : `Set BRAIN_ALLOWED_HOSTS=${unlisted} to be called by that address.`;
  return [
    `From other machines: ${urls.length > 0 ? urls.join(', ') : `refused so far. ${hint}`}`,
    '',
    tls
      ? 'Anyone in the network who has a token can read and change this vault.'
      : 'Anyone in the network who has a token can read and change this vault, and tokens and notes cross it in plain text. ' +
        'Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks HTTPS.',
  ];
}
