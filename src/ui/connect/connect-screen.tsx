import { useEffect, useRef, useState } from 'preact/hooks';
import { useUi } from '../context';
import { Chips } from '../parts/chips';
import { Hints } from '../parts/hints';
import type { KeyHelpGroup } from '../parts/keys';
import { ScrollArea } from '../parts/scroll-area';
import { useKeys } from '../parts/use-keys';
import type { ScreenParams } from '../screens';
import { type Agent, AGENT_NAMES, type AgentName, AGENTS, freeName, type Setup } from './agents';
import { ByCommand } from './by-command';
import { ByToken } from './by-token';
import type { MadeToken } from './made-token';
import { Permissions } from './permissions';
import { type ScopeName, USUAL_SCOPES } from './scopes';
import { TokenList } from './token-list';
import { tokenNameFault } from '../../core/rules/token-name';
import { useTokens } from './use-tokens';

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Here',
    lines: [
      { label: 'Copy the configuration', keys: ['Y'] },
      { label: 'Tick', keys: ['Space'] },
      { label: 'Next field', keys: ['Tab'] },
    ],
  },
];

/** Gives an agent access: who it is, what it may do, and the configuration to copy, with a token of its own. */
export function ConnectScreen({ params }: { params: ScreenParams }) {
  const { host } = useUi();
  const [agentName, setAgentName] = useState<AgentName>(() => agentOf(params.agent));
  useEffect(() => setAgentName(agentOf(params.agent)), [params.agent]);
  const [form, setForm] = useState('');
  const [typedName, setTypedName] = useState<string | null>(null);
  const [scopes, setScopes] = useState<readonly ScopeName[]>(USUAL_SCOPES);
  const [nameProblem, setNameProblem] = useState<string | null>(null);
  const [made, setMade] = useState<MadeToken | null>(null);
  const tokens = useTokens(made !== null);
  const root = useRef<HTMLDivElement>(null);

  const agent: Agent = AGENTS[agentName];
  const setup: Setup = agent.setups.find((one) => one.form === form) ?? agent.setups[0];
  const taken = (tokens.list ?? []).map(({ name }) => name);
  const name = typedName ?? (made?.agent === agentName ? made.name : freeName(agent.tokenName, taken));
  const frame = useKeys({
    title: 'Keys on this screen',
    help: HELP,
    actions: [
      {
        keys: ['y'],
        run: () => {
          const button = root.current?.querySelector<HTMLElement>('.brain-codebox:last-of-type .mod-cta');
          if (button === null || button === undefined) return false;
          button.click();
          return undefined;
        },
      },
    ],
  });

  const step = { agent, setup, onForm: setForm };
  return (
    <div class="brain-connect" data-tokens={host.tokens === undefined ? 'none' : 'here'} {...frame}>
      <h1 class="brain-sr">Connect an agent</h1>
      <ScrollArea label="Connect an agent" areaRef={root}>
        <div class="brain-steps">
          <section class="brain-step">
            <h2>Which agent?</h2>
            <Chips
              label="Agent"
              chips={AGENT_NAMES.map((value) => ({ value, label: AGENTS[value].title }))}
              value={agentName}
              onChange={(next) => {
                setAgentName(next);
                // A typed name is kept until a token has it.
                if (typedName !== null && taken.includes(typedName)) setTypedName(null);
                setNameProblem(null);
              }}
            />
          </section>
          <Permissions
            name={name}
            onName={(text) => {
              setTypedName(text);
              setNameProblem(null);
            }}
            scopes={scopes}
            onScopes={setScopes}
            nameProblem={tokenNameFault(name) ?? nameProblem}
          />
          {host.tokens === undefined ? (
            <ByCommand {...step} name={name} scopes={scopes} />
          ) : (
            <ByToken
              {...step}
              admin={host.tokens}
              agentName={agentName}
              name={name}
              scopes={scopes}
              tokens={tokens}
              made={made?.agent === agentName && made.name === name ? made : null}
              onMade={setMade}
              onNameProblem={setNameProblem}
            />
          )}
        </div>
      </ScrollArea>
      {host.tokens !== undefined && <TokenList tokens={tokens} admin={host.tokens} />}
      <Hints
        hints={[
          { keys: ['Tab'], label: 'next field', wide: true },
          { keys: ['Space'], label: 'tick' },
          { keys: ['Y'], label: 'copy' },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}

function agentOf(asked: string | undefined): AgentName {
  return AGENT_NAMES.find((name) => name === asked) ?? 'claude-code';
}
