import { sha256 } from '../../../src/core/base/hash';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { ingestText } from '../../../src/core/ingest/operations';
import { updateNote } from '../../../src/core/notes/update';
import { listDecisions } from '../../../src/core/review/decisions';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { snoozeNote } from '../../../src/core/review/snooze';
import { listRules, setRule } from '../../../src/core/rules/operations';
import { status } from '../../../src/core/status/status';
import { undoWriter } from '../../../src/core/undo/undo';
import { agent, callerWith, person } from '../../support/test-brain';
import { about, bot, RULE, rulesWorld } from './rules-world';

describe('a rule', () => {
  it('is tried, switched on, and promotes what is ready under its own stamp', async () => {
    const { propose, dryRun, switchOn, act, files, run } = await rulesWorld();
    const path = await propose('mtu', about('MTU'));
    const other = await propose('vpn', about('VPN'), { hall: 'decisions' });
    expect(await dryRun()).toMatchObject({
      ready: [{ path, title: 'MTU', to: 'wiki/net/facts/mtu.md' }],
      ready_count: 1,
      left: [],
      left_count: 0,
    });
    await act();
    expect(files.has(path)).toBe(true);

    expect(await switchOn()).toMatchObject({ rule: { on: true, here: true, made_by: 'human:me' } });
    await act();
    expect(files.has(path)).toBe(false);
    expect(files.has(other)).toBe(true);
    const promoted = parseNote(files.get('wiki/net/facts/mtu.md') ?? '').frontmatter;
    expect(promoted).toMatchObject({ promoted_by: 'human:me/rule:ci', written_by: 'ci-bot' });
    const { decisions } = await run(listDecisions);
    expect(decisions).toMatchObject([{ kind: 'promoted', by: 'human:me/rule:ci', rule: 'ci' }]);
    expect((await run(listRules)).rules).toMatchObject([
      { name: 'ci', promoted: 1, promoted_today: 1, last_at: '2026-11-20T10:32:00Z', failures: 0 },
    ]);
  });

  it('is undone as one: bytes back, nothing else touched, and it does not promote them again', async () => {
    const { propose, switchOn, act, files, run, clock } = await rulesWorld();
    await run(updateNote, { path: 'wiki/net/facts/dns.md', content: about('DNS'), reason: 'more' });
    const paths = [await propose('mtu', about('MTU')), await propose('vpn', about('VPN'))];
    const before = new Map(files);
    await switchOn();
    await act();
    expect(paths.some((path) => files.has(path))).toBe(false);
    clock.advance(60_000);
    const ask = { by: 'human:me/rule:ci', since: '1h' };
    const { plan, count, left } = await run(undoWriter, { ...ask, dry_run: true }, person);
    expect([count, left]).toEqual([2, []]);
    await run(undoWriter, { ...ask, plan }, person);
    const withoutMaps = (all: ReadonlyMap<string, string>) =>
      [...all].filter(([path]) => !path.endsWith('_index.md')).sort();
    expect(withoutMaps(files)).toEqual(withoutMaps(before));
    await act();
    expect(withoutMaps(files)).toEqual(withoutMaps(before));
  });

  it('leaves a note in which the gate made something harmless, whatever the note says now', async () => {
    const { propose, dryRun, switchOn, act, files, vault } = await rulesWorld();
    const path = await propose('mtu', `${about('MTU')}\n![x](https://example.org/x.png)\n`);
    const left = [{ path, why: 'The gate made something in it harmless when it came in.' }];
    expect(await dryRun()).toMatchObject({ ready_count: 0, left });
    await switchOn();
    await act();
    expect(files.has(path)).toBe(true);
    vault.outside(path, files.get(path) ?? '');
    await act();
    expect(files.has(path)).toBe(true);
  });

  it('takes texts that a model or the pipeline made for its writer', async () => {
    const { dryRun, run } = await rulesWorld();
    await run(ingestText, { text: about('Copper'), title: 'Copper', wing: 'net', hall: 'facts' }, bot);
    expect(await dryRun()).toMatchObject({ ready_count: 1 });
    expect(await dryRun({ ...RULE, by: 'ci' })).toMatchObject({ ready_count: 0, left_count: 0 });
  });

  it.each<[string, Record<string, unknown>, Partial<Record<'content' | 'wing' | 'hall', string>>]>([
    ['another hall', { hall: 'decisions' }, {}],
    ['another wing', { wing: 'home' }, {}],
    ['another writer', { by: 'laptop' }, {}],
  ])('leaves notes of %s out', async (_, rule, note) => {
    const { propose, dryRun } = await rulesWorld();
    await propose('mtu', about('MTU'), note);
    expect(await dryRun({ ...RULE, ...rule })).toMatchObject({ ready_count: 0, left_count: 0 });
  });

  it('finds its wing in any spelling', async () => {
    const { propose, dryRun } = await rulesWorld({ 'wiki/Home Lab/facts/a.md': '# A\n' });
    await propose('mtu', about('MTU'), { wing: 'home-lab' });
    const { ready } = await dryRun({ ...RULE, wing: 'Home Lab' });
    expect(ready).toMatchObject([{ to: 'wiki/Home Lab/facts/mtu.md' }]);
  });

  it('names a new wing only when the rule does', async () => {
    const { propose, dryRun } = await rulesWorld();
    await propose('mtu', about('MTU'), { wing: 'lab' });
    expect((await dryRun()).left[0]?.why).toBe(
      'It would be the first note of the wing "lab", which the rule does not name.',
    );
    expect(await dryRun({ ...RULE, wing: 'lab' })).toMatchObject({ ready_count: 1 });
  });
});

const reviser = callerWith(['read', 'write'], 'ci-bot');

type World = Awaited<ReturnType<typeof rulesWorld>>;
const mtu = ({ propose }: World, fields = {}): Promise<string> => propose('mtu', about('MTU'), fields);

const raw = ({ queued }: World, more: string): Promise<string> => queued('mtu', `${about('MTU')}\n${more}`);

/** Makes a note of the writer that a person has to look at; the reason begins with these words. */
const LEFT: readonly (readonly [string, string | RegExp, (world: World) => Promise<unknown>])[] = [
  ['active content', 'It has active content.', (w) => raw(w, '<script>x()</script>\n')],
  ['a remote picture', 'It has active content.', (w) => raw(w, '![x](https://e.org/x.png)\n')],
  ['a bare address that runs', 'It has active content.', (w) => raw(w, '[x](javascript:x())\n')],
  ['invisible characters', 'The gate would change it.', (w) => raw(w, 'a\u202Eb\n')],
  [
    'a template',
    'It has active content.',
    (w) => w.queued('mtu', about('MTU'), 'written_by: ci-bot\nx: <% y %>'),
  ],
  [
    'quotes that nobody found',
    'None of its quotes',
    (w) => w.queued('mtu', about('MTU'), 'written_by: ci-bot\nevidence: unverified'),
  ],
  ['a link to nothing', 'It would lose a link.', (w) => raw(w, 'See [[nowhere]].\n')],
  [
    'a link to the queue',
    'It would lose a link.',
    async (w) => {
      await w.propose('vpn', about('VPN'), {}, callerWith(['read', 'propose'], 'other'));
      await raw(w, 'See [[vpn]].\n');
    },
  ],
  [
    'a taken address',
    'There is a note at its address, wiki/net/facts/dns.md.',
    (w) => w.propose('dns', about('Other names')),
  ],
  [
    'a twin in the queue',
    /^It is like another note of the queue, raw\/.*\.md\.$/,
    async (w) => {
      await mtu(w);
      await w.propose('mtu-2', `${about('MTU')}Once.\n`, {}, callerWith(['read', 'propose'], 'other'));
    },
  ],
  [
    'a twin in the wiki',
    'It is like another note.',
    (w) => w.propose('names', parseNote(w.files.get('wiki/net/facts/dns.md') ?? '').body),
  ],
  ['no wing and hall', 'It names no wing and hall', (w) => mtu(w, { wing: undefined, hall: undefined })],
  [
    'a text that was rejected before',
    'The same text was rejected before.',
    async (w) => {
      await w.run(rejectNote, { path: await mtu(w), reason: 'no' }, person);
      // An agent cannot send it again; a copy may still come in as a file.
      await w.queued('mtu', about('MTU'));
    },
  ],
  [
    'a snooze',
    'It is put off until 2026-11-21T10:32:00Z.',
    async (w) => w.run(snoozeNote, { path: await mtu(w) }, person),
  ],
  [
    'a hand edit',
    'Its text was changed by hand or by another program.',
    async (w) => {
      const path = await mtu(w);
      w.vault.outside(path, `${w.files.get(path) ?? ''}By hand.\n`);
    },
  ],
  [
    'a former text that came back by hand',
    'Its text was changed by hand or by another program.',
    async (w) => {
      const path = await mtu(w);
      const former = w.files.get(path) ?? '';
      await w.run(updateNote, { path, content: about('MTU anew'), reason: 'better' }, reviser);
      w.vault.outside(path, former);
    },
  ],
  [
    'a hand edit of which the service made another text',
    'Its text was changed by hand or by another program.',
    async (w) => {
      const path = await mtu(w);
      w.vault.outside(path, `${w.files.get(path) ?? ''}By hand.\n`);
      await w.run(updateNote, { path, content: about('MTU anew'), reason: 'better' }, reviser);
    },
  ],
  [
    'a text that came back after it had left the queue',
    'The service did not put it into the queue.',
    async (w) => {
      const path = await mtu(w);
      const former = w.files.get(path) ?? '';
      const { rejected_path: rejected } = await w.run(rejectNote, { path, reason: 'no' }, person);
      w.vault.outside(rejected, null);
      w.vault.outside(path, former);
    },
  ],
  [
    'no record of its arrival',
    'The service did not put it into the queue.',
    async (w) => {
      const path = await mtu(w);
      w.vault.outside('raw/2026-11-20-copied.md', w.files.get(path) ?? '');
      w.vault.outside(path, null);
    },
  ],
  [
    'a person who took it back',
    'A person has put it back into the queue.',
    async (w) => {
      await mtu(w);
      await w.switchOn({ ...RULE, hall: undefined });
      await w.act();
      await w.run(unpromoteNote, { path: 'wiki/net/facts/mtu.md' }, person);
      await w.run(setRule, { name: 'ci', remove: true }, person);
    },
  ],
  [
    'a person who restored it',
    'A person has put it back into the queue.',
    async (w) => {
      const { path } = { path: await mtu(w) };
      const rejected = await w.run(rejectNote, { path, reason: 'no' }, person);
      await w.run(restoreNote, { path: rejected.rejected_path }, person);
    },
  ],
  [
    'a lock',
    'It has a lock.',
    async (w) => {
      const path = await mtu(w);
      const text = (w.files.get(path) ?? '').replace('---\n', '---\nlocked: true\n');
      w.vault.outside(path, text);
    },
  ],
  [
    'a claim without its provenance',
    'claim_provenance',
    (w) => w.queued('mtu', about('MTU'), 'written_by: ci-bot\nhalf_life: durable'),
  ],
  [
    'a link from a note of the owner',
    'Your note Projects/plan.md links to it',
    async (w) => {
      const path = await mtu(w);
      w.vault.outside('Projects/plan.md', `See [[${path.replace(/\.md$/, '')}]].\n`);
    },
  ],
];

it.each(LEFT)('leaves a note with %s to a person, and says why', async (_, why, make) => {
  const world = await rulesWorld();
  await make(world);
  const rule = { name: 'ci', by: 'ci-bot' };
  const tried = await world.dryRun(rule);
  expect(tried).toMatchObject({ ready_count: 0, left_count: 1 });
  const said = tried.left[0]?.why ?? '';
  expect(said).toEqual(typeof why === 'string' ? expect.stringContaining(why) : expect.stringMatching(why));
  const before = new Map(world.files);
  await world.switchOn(rule);
  await world.act();
  expect(world.files).toEqual(before);
});

it('promotes a note with a link that leads somewhere, and one that its writer revised', async () => {
  const { propose, dryRun, run, switchOn, act, files } = await rulesWorld();
  const path = await propose('mtu', `${about('MTU')}\nSee [[dns]].\n`);
  await run(updateNote, { path, content: `${about('MTU')}\nMind [[dns]].\n`, reason: 'x' }, reviser);
  expect(await dryRun()).toMatchObject({ ready_count: 1, left: [] });
  await switchOn();
  await act();
  expect(files.get('wiki/net/facts/mtu.md')).toContain('Mind [[');
});

it('takes the older of two notes with one address', async () => {
  const { propose, dryRun, clock } = await rulesWorld();
  const first = await propose('mtu', about('MTU'));
  clock.advance(24 * 3_600_000);
  const second = await propose('mtu', about('Something else'));
  const tried = await dryRun();
  expect(tried.ready.map(({ path }) => path)).toEqual([first]);
  expect(tried.left).toEqual([
    {
      path: second,
      title: 'Something else',
      why: 'An older note of the queue has the same address, wiki/net/facts/mtu.md.',
    },
  ]);
});

describe('set_rule', () => {
  it('requires the dry run of this very rule', async () => {
    const { run, refusal, dryRun, propose } = await rulesWorld();
    await run(setRule, RULE, person);
    const { tried } = await dryRun({ ...RULE, per_day: 10 });
    const ask = { ...RULE, on: true };
    expect(await refusal(setRule, ask, person)).toMatchObject({
      code: 'missing_field',
      message: expect.stringContaining('"dry_run": true'),
    });
    expect(await refusal(setRule, { ...ask, tried }, person)).toMatchObject({
      code: 'invalid_field',
      message: expect.stringContaining('of another rule'),
    });
    expect((await run(listRules)).rules).toMatchObject([{ on: false }]);
    // The queue may grow between the two.
    const own = await dryRun({ name: 'ci' });
    await propose('mtu', about('MTU'));
    expect(await run(setRule, { name: 'ci', on: true, tried: own.tried }, person)).toMatchObject({
      rule: { on: true, by: 'ci-bot', hall: 'facts', per_day: 50 },
    });
  });

  it('saves, switches and removes, and a dry run does none of it', async () => {
    const { run, state, switchOn } = await rulesWorld();
    for (const ask of [RULE, { ...RULE, on: true }]) await run(setRule, { ...ask, dry_run: true }, person);
    expect(await state.read('rules.json')).toBeNull();
    await switchOn();
    await run(setRule, { name: 'ci', remove: true, dry_run: true }, person);
    expect(await run(listRules)).toMatchObject({ count: 1, rules: [{ on: true }] });
    expect(await run(setRule, { name: 'ci' }, person)).toMatchObject({ rule: { on: false } });
    expect(await run(setRule, { name: 'ci', remove: true }, person)).toMatchObject({ removed: true });
    expect(await run(listRules)).toEqual({ count: 0, rules: [] });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a name with a space', { ...RULE, name: 'c i' }, 'invalid_field'],
    ['an empty writer', { ...RULE, by: ' ' }, 'invalid_field'],
    ['a writer that is missing', { name: 'ci', hall: 'facts' }, 'missing_field'],
    ['a rule that is missing', { name: 'ci' }, 'not_found'],
    ['the removal of a rule that is missing', { name: 'ci', remove: true }, 'not_found'],
    ['a wing that cannot be', { ...RULE, wing: '../x' }, 'invalid_wing'],
    ['a hall that cannot be', { ...RULE, hall: 'x' }, 'invalid_hall'],
    ['none a day', { ...RULE, per_day: 0 }, 'invalid_field'],
    ['too many a day', { ...RULE, per_day: 1001 }, 'invalid_field'],
    ['another field', { ...RULE, made_by: 'human:you' }, 'unknown_field'],
  ])('refuses %s, and writes nothing', async (_, ask, code) => {
    const { refusal, state } = await rulesWorld();
    expect((await refusal(setRule, ask, person)).code).toBe(code);
    expect(await state.read('rules.json')).toBeNull();
  });

  it('is for persons and the owner', async () => {
    const { refusal, run } = await rulesWorld();
    for (const ask of [RULE, { ...RULE, dry_run: true }])
      expect((await refusal(setRule, ask, callerWith())).code).toBe('forbidden_scope');
    const owner = callerWith(['read', 'write', 'review', 'admin'], 'owner');
    expect(await run(setRule, RULE, owner)).toMatchObject({ rule: { made_by: 'human:me' } });
    const limited = { ...person, limits: { read: ['wiki/net/'] } };
    expect((await refusal(setRule, RULE, limited)).code).toBe('forbidden_scope');
    expect((await refusal(listRules, {}, { ...agent, limits: { read: ['wiki/net/'] } })).code).toBe(
      'forbidden_scope',
    );
  });

  it('keeps at most 50', async () => {
    const { run, refusal } = await rulesWorld();
    for (let at = 0; at < 50; at += 1) await run(setRule, { ...RULE, name: `r${at}` }, person);
    expect((await refusal(setRule, RULE, person)).message).toContain('50 rules');
    await run(setRule, { ...RULE, name: 'r1', per_day: 2 }, person);
  });
});

describe('rules.json', () => {
  it.each([
    ['is damaged', '{"v":1,'],
    ['is damaged', '{"v":1,"rules":[{"name":"ci","on":true}]}'],
    ['comes from another version of Brain Server', '{"v":2,"rules":[]}'],
  ])('that %s lets no rule act, and is kept when a person makes a rule', async (problem, text) => {
    const { run, state, act, files } = await rulesWorld();
    await state.write('rules.json', text);
    const before = new Map(files);
    await act();
    expect(files).toEqual(before);
    expect(await state.read('rules.json')).toBe(text);
    expect(await run(listRules)).toEqual({ count: 0, rules: [], problem: expect.stringContaining(problem) });
    const { checks = [] } = await run(status);
    expect(checks.find(({ name }) => name === 'rules')).toMatchObject({ state: 'warning' });
    await run(setRule, RULE, person);
    expect(await run(listRules)).toMatchObject({ count: 1 });
    expect(await state.read(`rules.${sha256(text).slice(0, 8)}.json`)).toBe(text);
  });
});
