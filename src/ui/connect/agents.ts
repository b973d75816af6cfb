import { tokenNameFault } from '../../core/access/token-name';
import type { TokenLimits } from '../../core/access/tokens';
import type { Connection } from '../client/host';
import { limitOptions } from './limits';

/** One way to configure an agent. */
export interface Setup {
  /** Its name among the ways of the same agent. */
  readonly form: string;
  /** The instruction above the text. */
  readonly title: string;
  /** The place of the text, or what else it needs. */
  readonly note?: string;
  /** Returns the text with the token in it. */
  text(connection: Connection, token: string): string;
}

export interface Agent {
  readonly title: string;
  /** The default name of its token. */
  readonly tokenName: string;
  readonly setups: readonly [Setup, ...Setup[]];
}

const mcp = ({ url }: Connection): string => `${url}/mcp`;
const bearer = (token: string): string => `Bearer ${token}`;
const json = (value: object): string => JSON.stringify(value, null, 2);

/**
 * The configuration of each agent, by the documentation of its vendor as of 2026. These formats change: the linked page has
 * the current one.
 */
export const AGENTS = {
  // https://code.claude.com/docs/en/mcp: `--header` takes all arguments after it, so it comes last.
  'claude-code': {
    title: 'Claude Code',
    tokenName: 'claude-code',
    setups: [
      {
        form: 'Command',
        title: 'Run this in a terminal',
        text: (connection, token) =>
          `claude mcp add --transport http --scope user brain ${mcp(connection)} \\\n` +
          `  --header "Authorization: ${bearer(token)}"`,
      },
      {
        form: 'File',
        title: 'Put this into a file',
        note: 'In .mcp.json of one project, or under mcpServers in ~/.claude.json for all of them.',
        text: (connection, token) =>
          json({
            mcpServers: {
              brain: { type: 'http', url: mcp(connection), headers: { Authorization: bearer(token) } },
            },
          }),
      },
    ],
  },
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers: it starts programs and opens no local URLs, so it
  // starts mcp-remote. mcp-remote leaves spaces in arguments to the shell, hence the variable.
  'claude-desktop': {
    title: 'Claude Desktop',
    tokenName: 'claude-desktop',
    setups: [
      {
        form: 'With brain',
        title: 'Put this into claude_desktop_config.json',
        note:
          'Settings, Developer, Edit config. Where brain is no command on this machine, the command is node, and the ' +
          'whole path of dist/brain.mjs comes before "mcp". Then start Claude Desktop again.',
        text: ({ url }, token) =>
          json({
            mcpServers: {
              brain: { command: 'brain', args: ['mcp'], env: { BRAIN_URL: url, BRAIN_TOKEN: token } },
            },
          }),
      },
      {
        form: 'With npx',
        title: 'Put this into claude_desktop_config.json',
        note: 'Settings, Developer, Edit config. It needs Node.js, and fetches the package mcp-remote from npm.',
        text: (connection, token) =>
          json({
            mcpServers: {
              brain: {
                command: 'npx',
                args: ['-y', 'mcp-remote', mcp(connection), '--header', 'Authorization:${BRAIN_HEADER}'],
                env: { BRAIN_HEADER: bearer(token) },
              },
            },
          }),
      },
    ],
  },
  // https://cursor.com/docs/mcp: a server with a URL needs no type.
  cursor: {
    title: 'Cursor',
    tokenName: 'cursor',
    setups: [
      {
        form: 'File',
        title: 'Put this into ~/.cursor/mcp.json',
        note: 'Into .cursor/mcp.json of a project for that project alone.',
        text: (connection, token) =>
          json({
            mcpServers: { brain: { url: mcp(connection), headers: { Authorization: bearer(token) } } },
          }),
      },
    ],
  },
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: the object is called `servers` here.
  'vs-code': {
    title: 'VS Code',
    tokenName: 'vs-code',
    setups: [
      {
        form: 'File',
        title: 'Put this into mcp.json',
        note: 'The command "MCP: Open User Configuration" opens it.',
        text: (connection, token) =>
          json({
            servers: {
              brain: { type: 'http', url: mcp(connection), headers: { Authorization: bearer(token) } },
            },
          }),
      },
    ],
  },
  // https://developers.openai.com/codex/mcp: `http_headers`. It ignores a field `headers` or `bearer_token`.
  codex: {
    title: 'Codex',
    tokenName: 'codex',
    setups: [
      {
        form: 'File',
        title: 'Put this into ~/.codex/config.toml',
        note: 'Below what stands there already.',
        text: (connection, token) =>
          [
            '[mcp_servers.brain]',
            `url = "${mcp(connection)}"`,
            `http_headers = { "Authorization" = "${bearer(token)}" }`,
          ].join('\n'),
      },
    ],
  },
  http: {
    title: 'Other, by HTTP',
    tokenName: 'agent',
    setups: [
      {
        form: 'Command',
        title: 'Try this in a terminal',
        note: 'GET /openapi.json describes every route. MCP clients use the address that ends in /mcp.',
        text: ({ url }, token) =>
          `curl -s ${url}/query \\\n  -H "Authorization: ${bearer(token)}" \\\n` +
          `  -H "Content-Type: application/json" -d '{"query":"backup"}'`,
      },
    ],
  },
} as const satisfies Readonly<Record<string, Agent>>;

export type AgentName = keyof typeof AGENTS;

export const AGENT_NAMES: readonly AgentName[] = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vs-code',
  'codex',
  'http',
];

/** Returns the name, with a number when it is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** The scopes of a token, in the words of this screen. */
export const SCOPES = [
  { scope: 'read', title: 'Read', help: 'Search, read notes and their history.' },
  { scope: 'write', title: 'Write', help: 'Add notes, change them, fill the queue.' },
  { scope: 'propose', title: 'Propose', help: 'Whatever it writes goes to the review queue first.' },
  { scope: 'review', title: 'Review', help: 'Promote and reject. Usually left to people.' },
  { scope: 'admin', title: 'Admin', help: 'Change AGENTS.md, which steers every agent; read the audit log.' },
] as const;

export type ScopeName = (typeof SCOPES)[number]['scope'];

/** The default scopes of a new token. */
export const USUAL_SCOPES: readonly ScopeName[] = ['read', 'write'];

/**
 * Returns the scopes after one is ticked or unticked. `write` and `propose` exclude each other, for `write` includes
 * `propose`.
 */
export function toggleScope(
  scopes: readonly ScopeName[],
  scope: ScopeName,
  ticked: boolean,
): readonly ScopeName[] {
  const excluded = scope === 'write' ? 'propose' : scope === 'propose' ? 'write' : null;
  return SCOPES.map((one) => one.scope).filter((one) =>
    one === scope ? ticked : scopes.includes(one) && !(ticked && one === excluded),
  );
}

/**
 * Returns the command that creates a token. Returns null for a name that no token can have, which a shell might interpret,
 * and for a token without scopes.
 */
export function tokenCommand(
  name: string,
  scopes: readonly ScopeName[],
  limits: TokenLimits = {},
): string | null {
  if (tokenNameFault(name) !== null || scopes.length === 0) return null;
  const isUsual = scopes.join() === USUAL_SCOPES.join();
  return `brain token add ${name}${isUsual ? '' : ` --scopes ${scopes.join(',')}`}${limitOptions(limits)}`;
}
