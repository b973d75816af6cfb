import { serialize } from 'node:v8';
import { finish, inSlices, Pace, type TextCall } from '../../../src/core/base/steps';
import { GATE, gateApart } from '../../../src/core/gate/apart';
import { gate, type GateInput } from '../../../src/core/gate/gate';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openTestBrain } from '../../support/test-brain';

it('gates a long text with what a thread asks of the catalog', async () => {
  const { brain } = await openTestBrain({
    'wiki/net/facts/mtu.md': '# Path MTU\n\n## Head\n\nSmall. ^b1\n',
    'wiki/net/facts/other/dup.md': '# Dup\n',
    'wiki/lab/facts/dup.md': '# Dup\n',
  });
  const body = `# Long\n\n[[mtu]] [[Path MTU#Head]] [[mtu#^b1]] [[mtu#^b2]] [[nowhere]] [[dup]] <script>x</script>\n\n${'word '.repeat(4000)}\n`;
  const input: GateInput = {
    body,
    from: { path: vaultPath('wiki/net/facts/new.md'), wing: 'net', hall: 'facts' },
    targets: brain.catalog,
    choices: new Map(),
    mode: 'full',
    activeContent: true,
  };
  let runs = 0;
  const run = async (call: TextCall): Promise<unknown> => {
    runs += 1;
    // What a thread gets and gives is copied.
    return structuredClone(
      finish(GATE.steps(structuredClone(call.input) as Parameters<typeof GATE.steps>[0])),
    );
  };
  const pace = new Pace(() => Promise.resolve(), { now: () => new Date(0) }, undefined, { run });
  expect(await inSlices(gateApart(input), pace)).toEqual(gate(input));
  expect(runs).toBe(3);
});

it('tells a thread whether a target has what a fragment names, not all that the target has', async () => {
  const blocks = Array.from({ length: 1500 }, (_, n) => `line ^b${n}\n`).join('\n');
  const { brain } = await openTestBrain({ 'wiki/net/facts/mtu.md': `# Path MTU\n\n${blocks}` });
  const links = '[[mtu#^b1499]] [[mtu#^no]] [[mtu#Path MTU]]';
  const input: GateInput = {
    body: `# Long\n\n${links}\n\n${'word '.repeat(4000)}\n`,
    from: { path: vaultPath('wiki/net/facts/new.md'), wing: 'net', hall: 'facts' },
    targets: brain.catalog,
    mode: 'full',
    activeContent: true,
  };
  let copied = 0;
  const run = async (call: TextCall): Promise<unknown> => {
    copied += serialize(call.input).length - input.body.length;
    return finish(GATE.steps(call.input as Parameters<typeof GATE.steps>[0]));
  };
  const pace = new Pace(() => Promise.resolve(), { now: () => new Date(0) }, undefined, { run });
  expect(await inSlices(gateApart(input), pace)).toEqual(gate(input));
  expect(copied).toBeLessThan(5000);
});

it('asks once where each target leads', async () => {
  const { brain } = await openTestBrain({ 'wiki/net/facts/mtu.md': '# Path MTU\n' });
  const links = Array.from({ length: 2000 }, (_, n) => `[[no ${n}]] [[no ${n}|x]] [[mtu]]`).join(' ');
  const input: GateInput = {
    body: links,
    from: { path: vaultPath('wiki/net/facts/new.md'), wing: 'net', hall: 'facts' },
    targets: brain.catalog,
    mode: 'full',
    activeContent: true,
  };
  let asked = 0;
  const run = async (call: TextCall): Promise<unknown> => {
    const outcome = finish(GATE.steps(call.input as Parameters<typeof GATE.steps>[0]));
    if ('asked' in outcome) asked += outcome.asked.length;
    return outcome;
  };
  const pace = new Pace(() => Promise.resolve(), { now: () => new Date(0) }, undefined, { run });
  expect(await inSlices(gateApart(input), pace)).toEqual(gate(input));
  // Each target, and of the note that is there its title and its whole path.
  expect(asked).toBe(2001 + 2);
});

it('counts a body and the present one as one text, which is neither of them', async () => {
  const { brain } = await openTestBrain({});
  const [long, half] = ['word '.repeat(4000), 'word '.repeat(2000)];
  const texts: string[] = [];
  const run = async (call: TextCall): Promise<unknown> => {
    texts.push(call.text);
    return finish(call.here());
  };
  const pace = new Pace(() => Promise.resolve(), { now: () => new Date(0) }, undefined, { run });
  const from = { path: vaultPath('wiki/net/facts/new.md'), wing: 'net', hall: 'facts' };
  for (const [body, current] of [
    ['new', long],
    [`${half}a`, `${half}b`],
  ] as const) {
    const input: GateInput = {
      body,
      current,
      from,
      targets: brain.catalog,
      mode: 'full',
      activeContent: true,
    };
    await inSlices(gateApart(input), pace);
  }
  expect(texts).toEqual([`new${long}`, `${half}a${half}b`]);
});
