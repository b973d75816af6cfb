import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Ask } from '../../core/registry/client';
import { HALL_TITLES, HALLS } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { asCallError, useCall, useChanges } from '../kit/async';
import { Field, Menu, type MenuOption, TextField } from '../kit/controls';
import { Empty, FailureNotice, failureWords, Notice, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea, useUniqueId } from '../kit/lists';
import { count, counted, moment } from '../kit/words';
import { parseWriter } from '../kit/writer';

type Rule = Answer<'rules'>['rules'][number];
type Tried = Answer<'setRule'>;

const HINTS = [
  { keys: ['N'], label: 'new rule' },
  { keys: ['?'], label: 'all keys' },
] as const;
const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Rules',
    lines: [
      { label: 'New rule', keys: ['N'] },
      { label: 'Try the rule, in a field', keys: ['↵'] },
    ],
  },
];

/** The most notes a day that the service takes for a rule. */
const MAX_PER_DAY = 1000;

/** What is typed into the form. */
interface Draft {
  readonly name: string;
  readonly by: string;
  readonly wing: string;
  readonly hall: NonNullable<Rule['hall']> | '';
  readonly perDay: string;
}
const HALL_OPTIONS: readonly MenuOption<Draft['hall']>[] = [
  { value: '', label: 'Any hall' },
  ...HALLS.map((hall) => ({ value: hall, label: HALL_TITLES[hall] })),
];

const NO_DRAFT: Draft = { name: '', by: '', wing: '', hall: '', perDay: '50' };

function draftOf({ name, by, wing = '', hall, per_day: perDay }: Rule): Draft {
  return { name, by, wing, hall: hall ?? '', perDay: String(perDay) };
}

/** Returns what is asked for the rule of a draft. */
function askOf({ name, by, wing, hall, perDay }: Draft): Ask<'setRule'> {
  return {
    name: name.trim(),
    by: by.trim(),
    ...(wing.trim() !== '' && { wing: wing.trim() }),
    ...(hall !== '' && { hall }),
    per_day: Number(perDay),
  };
}

/** The rules, the draft of one, and what its last try found. */
function useRules() {
  const { client } = useUi();
  const listed = useCall('rules', {}, { keep: true });
  useChanges(listed.reload);
  const [draft, setDraft] = useState(NO_DRAFT);
  /** The outcome of a try, with the draft that was tried: a changed draft has to be tried again. */
  const [found, setFound] = useState<{ readonly draft: Draft; readonly tried: Tried } | null>(null);
  const [working, setWorking] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const busy = useRef(false);
  const attempt = async (what: string, act: () => Promise<string>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setWorking(what);
    setProblem(null);
    try {
      setSaid(await act());
    } catch (error) {
      setProblem(failureWords(asCallError(error)));
    }
    busy.current = false;
    setWorking('');
    listed.reload();
  };
  return {
    ...{ listed, draft, working, problem, said },
    tried: found !== null && found.draft === draft ? found.tried : null,
    change: (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part })),
    tryIt: (next: Draft): void => {
      setDraft(next);
      void attempt('try', async () => {
        const tried = await client.call('setRule', { ...askOf(next), dry_run: true });
        setFound({ draft: next, tried });
        return `“${next.name.trim()}” would promote ${counted(tried.ready_count ?? 0, 'note')} and leave ${count(tried.left_count ?? 0)} to you. Nothing was promoted.`;
      });
    },
    switchOn: ({ tried }: Tried): void =>
      void attempt('on', async () => {
        await client.call('setRule', { ...askOf(draft), on: true, tried });
        setFound(null);
        setDraft(NO_DRAFT);
        return `“${draft.name.trim()}” is on.`;
      }),
    switchOff: ({ name }: Rule): void =>
      void attempt(name, async () => {
        await client.call('setRule', { name });
        return `“${name}” is off.`;
      }),
    remove: ({ name }: Rule): void =>
      void attempt(name, async () => {
        await client.call('setRule', { name, remove: true });
        return `“${name}” is removed. What it promoted stays.`;
      }),
  };
}

/**
 * The rules that promote queued notes which nobody needs to look at. A rule is tried first: the screen then lists which notes are
 * ready and why others are left, and only then it can be switched on.
 */
export function RulesScreen(_: { params: ScreenParams }) {
  const rules = useRules();
  const { listed, problem, said, tried } = rules;
  const first = useRef<HTMLInputElement>(null);
  const keys = useKeys({
    title: 'Keys of rules',
    help: HELP,
    actions: [{ keys: ['n'], run: () => first.current?.focus() }],
  });
  const { value, error } = listed;
  return (
    <div class="brain-frame brain-rules" {...keys}>
      <h1 class="brain-sr">Rules</h1>
      <ScrollArea label="Rules">
        <div class="brain-sections brain-rules-main">
          {error !== null && <FailureNotice error={error} />}
          {value?.problem !== undefined && <Notice tone="red">{value.problem}</Notice>}
          {value === null && error === null && <SkeletonLines lines={4} label="Reading the rules" />}
          {value !== null && value.count === 0 && value.problem === undefined && (
            <Empty icon="list-checks" title="Every note waits for you">
              <p>
                A rule promotes the notes of one writer that have no risk, such as those of a build robot.
              </p>
            </Empty>
          )}
          {value !== null && value.count > 0 && (
            <section aria-label="Your rules">
              <h2 class="brain-heading">Your rules</h2>
              <ul class="brain-pile">
                {value.rules.map((rule) => (
                  <RuleCard key={rule.name} rule={rule} rules={rules} />
                ))}
              </ul>
            </section>
          )}
          <RuleForm rules={rules} firstRef={first} />
          {problem !== null && (
            <p class="brain-problem" role="alert">
              {problem}
            </p>
          )}
          <p role="status" class={said === '' ? 'brain-sr' : 'brain-rules-said'}>
            {said}
          </p>
          {tried !== null && <Found tried={tried} rules={rules} />}
        </div>
      </ScrollArea>
      <Hints hints={HINTS} />
    </div>
  );
}

type Rules = ReturnType<typeof useRules>;

/** Returns what a rule does and has done, in plain words. */
function ruleWords(rule: Rule): string {
  const { by, wing, hall, on, here, per_day: perDay, last_at: last } = rule;
  const place = [wing, hall].filter((part) => part !== undefined).join(' / ');
  const state = on ? (here ? 'Promotes' : 'On another device, promotes') : 'Off. Promotes';
  return [
    `${state} notes of ${by}${place === '' ? '' : ` in ${place}`}`,
    `${count(rule.promoted_today)} of ${count(perDay)} today`,
    `${count(rule.promoted)} in all`,
    ...(last === undefined ? [] : [`last ${moment(last)}`]),
  ].join(' · ');
}

function RuleCard({ rule, rules }: { readonly rule: Rule; readonly rules: Rules }) {
  const { host } = useUi();
  const { name, on, here, stopped, promoted, made_by: madeBy } = rule;
  return (
    <li class={stopped === undefined ? 'brain-card brain-rule' : 'brain-card mod-red brain-rule'}>
      <Icon
        name={stopped === undefined ? (on ? 'circle-check' : 'circle') : 'circle-x'}
        class={stopped !== undefined ? 'brain-bad' : on ? 'brain-ok' : 'brain-muted'}
      />
      <div>
        <b class="brain-strong">{name}</b>
        <p class="brain-muted">{ruleWords(rule)}</p>
        {stopped !== undefined && <p class="brain-bad">Switched off by itself. {stopped}</p>}
      </div>
      <div class="brain-row brain-rule-acts">
        {on && (
          <button type="button" aria-label={`Switch off ${name}`} onClick={() => rules.switchOff(rule)}>
            Switch off
          </button>
        )}
        {!(on && here) && (
          <button type="button" aria-label={`Try it: ${name}`} onClick={() => rules.tryIt(draftOf(rule))}>
            Try it
          </button>
        )}
        {promoted > 0 && (
          <button
            type="button"
            aria-label={`Undo what ${name} did`}
            onClick={() => host.go('audit', { undo: `${madeBy}/rule:${name}` })}
          >
            Undo
          </button>
        )}
        <button type="button" aria-label={`Remove ${name}`} onClick={() => rules.remove(rule)}>
          Remove
        </button>
      </div>
    </li>
  );
}

function RuleForm(props: { readonly rules: Rules; readonly firstRef: { current: HTMLInputElement | null } }) {
  const { rules, firstRef } = props;
  const { draft, change, working, tryIt } = rules;
  const list = useUniqueId();
  const perDay = Number(draft.perDay);
  const isNumber = Number.isInteger(perDay) && perDay >= 1 && perDay <= MAX_PER_DAY;
  const isReady = draft.name.trim() !== '' && draft.by.trim() !== '' && isNumber;
  return (
    <section aria-label="Make or try a rule">
      <h2 class="brain-heading">Make or try a rule</h2>
      <form
        class="brain-card brain-rules-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) tryIt(draft);
        }}
      >
        <TextField
          label="Name"
          note="such as ci"
          inputRef={firstRef}
          value={draft.name}
          onInput={(name) => change({ name })}
        />
        <Field label="Writer" note="whole name">
          {(control) => (
            <>
              <input
                {...control}
                type="text"
                list={list}
                value={draft.by}
                spellcheck={false}
                autocomplete="off"
                onInput={(event) => change({ by: event.currentTarget.value })}
              />
              <Writers id={list} />
            </>
          )}
        </Field>
        <TextField label="Wing" note="optional" value={draft.wing} onInput={(wing) => change({ wing })} />
        <Field label="Hall" note="optional">
          {(control) => (
            <Menu
              {...control}
              value={draft.hall}
              options={HALL_OPTIONS}
              onChange={(hall) => change({ hall })}
            />
          )}
        </Field>
        <TextField
          label="At most a day"
          value={draft.perDay}
          error={isNumber ? null : 'A whole number from 1 to 1,000'}
          onInput={(text) => change({ perDay: text })}
        />
        <button type="submit" class="mod-cta" disabled={!isReady || working !== ''}>
          <Icon name={working === 'try' ? 'loader-circle' : 'search'} />
          {working === 'try' ? 'Trying' : 'Try it'}
        </button>
      </form>
    </section>
  );
}

/** The writers of the queue, as choices of a field. */
function Writers({ id }: { readonly id: string }) {
  const { value } = useCall('pending', { limit: 200, similar: false });
  const names = (value?.pending ?? []).flatMap(({ written_by: stamp }) => {
    if (stamp === undefined) return [];
    const { name, person } = parseWriter(stamp);
    return [person ? `human:${name}` : name];
  });
  return (
    <datalist id={id}>
      {[...new Set(names)].sort().map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

/** What a try found: the notes that are ready, and those that are left with the reason. */
function Found({ tried, rules }: { readonly tried: Tried; readonly rules: Rules }) {
  const { host } = useUi();
  const { ready = [], ready_count: readyCount = 0, left = [], left_count: leftCount = 0 } = tried;
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [tried]);
  return (
    <section ref={box} aria-label="What it would do now" class="brain-rules-found">
      <div class="brain-row">
        <h2 class="brain-heading">What it would do now</h2>
        <span class="brain-push" />
        <button
          type="button"
          class="mod-cta"
          disabled={rules.working !== ''}
          onClick={() => rules.switchOn(tried)}
        >
          Switch on
        </button>
      </div>
      <h3 class="brain-label">Promote: {counted(readyCount, 'note')}</h3>
      <ul class="brain-pile">
        {ready.map(({ path, title, to }) => (
          <li key={path}>
            <button type="button" class="brain-plain" onClick={() => host.openNote(path)}>
              {title}
            </button>
            <span class="brain-muted"> to {to}</span>
          </li>
        ))}
      </ul>
      {readyCount > ready.length && <p class="brain-muted">and {count(readyCount - ready.length)} more</p>}
      <h3 class="brain-label">Leave to you: {counted(leftCount, 'note')}</h3>
      <ul class="brain-pile">
        {left.map(({ path, title, why }) => (
          <li key={path}>
            <button type="button" class="brain-plain" onClick={() => host.openNote(path)}>
              {title}
            </button>
            <span> {why}</span>
          </li>
        ))}
      </ul>
      {leftCount > left.length && <p class="brain-muted">and {count(leftCount - left.length)} more</p>}
    </section>
  );
}
