import { useEffect, useRef, useState } from 'preact/hooks';
import { tokenNameFault } from '../../core/access/token-name';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { Check, Chips, TextField } from '../kit/controls';
import { Problem } from '../kit/feedback';
import { Hints, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import {
  type Agent,
  AGENT_NAMES,
  type AgentName,
  AGENTS,
  freeName,
  type ScopeName,
  SCOPES,
  type Setup,
  USUAL_SCOPES,
  toggleScope,
} from './agents';
import { type LimitFields, NO_LIMITS, readLimits } from './limits';
import { ByCommand, ByToken } from './setup';
import { type MadeToken, TokenList, useTokens } from './tokens';

interface PermissionsProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly scopes: readonly ScopeName[];
  readonly onScopes: (scopes: readonly ScopeName[]) => void;
  /** The error of the name; null for a valid one. */
  readonly nameProblem: string | null;
  readonly limits: LimitFields;
  readonly onLimits: (limits: LimitFields) => void;
}

/** The name of the token, its scopes and its limits. */
function Permissions(props: PermissionsProps) {
  const { name, onName, scopes, onScopes, nameProblem, limits, onLimits } = props;
  const { problems } = readLimits(limits);
  return (
    <section class="brain-step">
      <h2>What may it do?</h2>
      <div class="brain-form-two">
        <TextField
          label="Token name"
          note="stamped on every write"
          value={name}
          onInput={onName}
          error={nameProblem ?? undefined}
        />
      </div>
      <div class="brain-form-two brain-scopes" role="group" aria-label="What it may do">
        {SCOPES.map(({ scope, title, help }) => (
          <Check
            key={scope}
            title={title}
            help={help}
            checked={scopes.includes(scope)}
            onChange={(ticked) => onScopes(toggleScope(scopes, scope, ticked))}
          />
        ))}
      </div>
      <div class="brain-form-two">
        <TextField
          label="Reads only"
          note="folders and files, with commas"
          placeholder="the whole vault"
          value={limits.read}
          onInput={(read) => onLimits({ ...limits, read })}
          error={problems.read ?? undefined}
          help={
            <p class="brain-small brain-muted">
              For example: wiki/homelab, knowledge. It finds nothing else.
            </p>
          }
        />
        <TextField
          label="Writes only into"
          note="wings, with commas"
          placeholder="every wing"
          value={limits.wings}
          onInput={(wings) => onLimits({ ...limits, wings })}
          error={problems.wings ?? undefined}
          help={<p class="brain-small brain-muted">A note that names no wing waits in the queue.</p>}
        />
      </div>
      {scopes.length === 0 && <Problem>Tick at least one, or the token can do nothing.</Problem>}
    </section>
  );
}

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

/** The screen that gives an agent access: the agent, its scopes, and a configuration with a token to copy. */
export function ConnectScreen({ params }: { params: ScreenParams }) {
  const { host } = useUi();
  const [agentName, setAgentName] = useState<AgentName>(() => parseAgent(params.agent));
  useEffect(() => setAgentName(parseAgent(params.agent)), [params.agent]);
  const [form, setForm] = useState('');
  const [typedName, setTypedName] = useState<string | null>(null);
  const [scopes, setScopes] = useState<readonly ScopeName[]>(USUAL_SCOPES);
  const [limitFields, setLimitFields] = useState<LimitFields>(NO_LIMITS);
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
    actions: [{ keys: ['y'], run: () => pressCopy(root.current) }],
  });

  const step = { agent, setup, onForm: setForm, limits: readLimits(limitFields).limits };
  return (
    <div
      class="brain-frame brain-connect"
      data-tokens={host.tokens === undefined ? 'none' : 'here'}
      {...frame}
    >
      <h1 class="brain-sr">Connect an agent</h1>
      <ScrollArea label="Connect an agent" areaRef={root}>
        <div class="brain-steps">
          <AgentChoice
            value={agentName}
            onChange={(next) => {
              setAgentName(next);
              // A typed name is kept until a token has it.
              if (typedName !== null && taken.includes(typedName)) setTypedName(null);
              setNameProblem(null);
            }}
          />
          <Permissions
            name={name}
            onName={(text) => {
              setTypedName(text);
              setNameProblem(null);
            }}
            scopes={scopes}
            onScopes={setScopes}
            nameProblem={tokenNameFault(name) ?? nameProblem}
            limits={limitFields}
            onLimits={setLimitFields}
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

function AgentChoice(props: { readonly value: AgentName; readonly onChange: (agent: AgentName) => void }) {
  return (
    <section class="brain-step">
      <h2>Which agent?</h2>
      <Chips
        label="Agent"
        chips={AGENT_NAMES.map((value) => ({ value, label: AGENTS[value].title }))}
        value={props.value}
        onChange={props.onChange}
      />
    </section>
  );
}

/** Presses the button that copies the last shown configuration. Returns false when there is none. */
function pressCopy(root: HTMLElement | null): void | false {
  const button = root?.querySelector<HTMLElement>('.brain-codebox:last-of-type .mod-cta');
  if (button === null || button === undefined) return false;
  button.click();
}

/** Parses the parameter `agent` of the screen. */
function parseAgent(param: string | undefined): AgentName {
  return AGENT_NAMES.find((name) => name === param) ?? 'claude-code';
}
