import { answerNotes } from '../../../src/core/answer/operation';
import { BrainError } from '../../../src/core/base/errors';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { confirmNote } from '../../../src/core/review/confirm';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { queryNotes } from '../../../src/core/search/query';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const AT = 'wiki/zoo/facts/quokka.md';
const TEXT = 'The quokka budget of the northern enclosure is 4711 euro a year.\n';
const CLAIM = '---\nhalf_life: volatile\nclaim_provenance: asserted\n---\n';
const PLACE = { wing: 'zoo', hall: 'facts' } as const;
const DAY_MS = 86_400_000;
const bot = callerWith(['read', 'write'], 'bot');
const proposer = callerWith(['read', 'propose'], 'bot');

/** Has an agent propose the text, and a person promote it. */
async function promoted({ run }: TestBrain, content = TEXT): Promise<void> {
  const { path } = await run(writeNote, { ...PLACE, slug: 'quokka', content }, proposer);
  await run(promoteNote, { path, ...PLACE, slug: 'quokka' }, person);
}

/** What has happened to the note, by the name of the row. */
const STATES: Readonly<Record<string, (world: TestBrain) => Promise<void>>> = {
  unreviewed: async ({ run }) => {
    await run(writeNote, { ...PLACE, slug: 'quokka', content: TEXT }, bot);
  },
  reviewed: promoted,
  verified: async (world) => {
    await promoted(world);
    world.clock.advance(DAY_MS);
    await world.run(confirmNote, { path: AT }, person);
  },
  stale: async (world) => {
    await promoted(world, CLAIM + TEXT);
    world.clock.advance(40 * DAY_MS);
  },
  'changed since review': async (world) => {
    await promoted(world);
    const content = TEXT.replace('4711', '4712');
    await world.run(updateNote, { path: AT, content, reason: 'more' }, bot);
  },
  'edited by hand': async (world) => {
    await promoted(world);
    world.clock.advance(DAY_MS);
    world.vault.outside(AT, `${world.files.get(AT)}And more.\n`);
    await world.brain.refresh();
  },
  superseded: async (world) => {
    world.vault.outside('wiki/zoo/decisions/money.md', '# Money\n\nAsk the director.\n');
    await world.brain.refresh();
    await promoted(world, `---\nsuperseded_by: "[[money]]"\n---\n${TEXT}`);
  },
  contradicted: async (world) => {
    await promoted(world, '# Quokka\n\nThe quokka budget is 12 euro.\n');
    const content = `# Quokka\n\n${TEXT}`;
    await world.run(writeNote, { wing: 'zoo', hall: 'hypotheses', slug: 'quokka', content }, bot);
  },
  'rejected before': async ({ run }) => {
    const { path } = await run(writeNote, { ...PLACE, slug: 'quokka', content: TEXT }, proposer);
    await run(rejectNote, { path, reason: 'wrong' }, person);
  },
  waiting: async (world) => {
    await promoted(world, `# Quokka\n\n${TEXT}`);
    await world.run(
      writeNote,
      { ...PLACE, slug: 'other', content: '# Quokka\n\nThe quokka budget is 9.\n' },
      proposer,
    );
  },
};

const MARKS = [
  ...['reviewed', 'verified', 'edited_since', 'changed_since_review', 'superseded_by', 'same_subject'],
  'waiting',
];

/** Returns what an answer says of the note: the marks that it has, a person by the name and a note by the path. */
function said(entry: object | undefined, answer: object = {}): string {
  if (entry === undefined) return '-';
  const marks = MARKS.flatMap((mark) => {
    const value: unknown = Reflect.get(entry, mark) ?? Reflect.get(answer, mark) ?? null;
    if (value === null) return [];
    if (value === true) return [mark];
    const by: unknown = typeof value === 'object' ? Reflect.get(value, 'by') : null;
    return [
      typeof by === 'string' ? `${mark} by ${by}` : `${mark} ${JSON.stringify(value).replaceAll('"', '')}`,
    ];
  });
  if (Reflect.get(entry, 'stale') === true) marks.push('stale');
  return marks.join(', ') || 'nothing';
}

/** What each answer says, by the name of the column. */
const ANSWERS: Readonly<Record<string, (world: TestBrain, at: string) => Promise<string>>> = {
  query: async ({ run }, at) => {
    const answer = await run(queryNotes, { query: 'quokka budget' });
    return said(
      answer.results.find(({ path }) => path === at),
      answer,
    );
  },
  answer: async ({ run }, at) => {
    const answer = await run(answerNotes, { query: 'What is the quokka budget of the northern enclosure?' });
    return said(
      [...answer.citations, ...answer.nearest].find(({ path }) => path === at),
      answer,
    );
  },
  get: async ({ run, files }, at) => (files.has(at) ? said(await run(getNote, { path: at })) : '-'),
  similar: async ({ run }, at) => {
    const content = '# Enclosure\n\nA quokka budget for the northern enclosure.\n';
    const { similar } = await run(writeNote, { ...PLACE, content, dry_run: true }, bot);
    return said(similar.find(({ path }) => path === at));
  },
  write: async ({ brain }, at) => {
    const note = { ...PLACE, slug: 'again', content: TEXT, dry_run: true };
    try {
      const { similar, warnings } = await perform(brain, writeNote, note, bot);
      return (
        [...similar.flatMap(({ path }) => (path === at ? ['similar'] : [])), ...warnings].join(', ') ||
        'nothing'
      );
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
      return error.code;
    }
  },
};

/** Returns the row of a note of which every answer that trusts it says the same. */
function everywhere(state: string, marks: string, similar = 'nothing'): string[] {
  return [state, marks, marks, marks, similar, 'similar'];
}

it('says of a note what a reader has to know, in every answer', async () => {
  const rows = [['', ...Object.keys(ANSWERS)]];
  for (const [state, make] of Object.entries(STATES)) {
    const world = await openTestBrain();
    await make(world);
    const at = state === 'contradicted' ? 'wiki/zoo/hypotheses/quokka.md' : AT;
    const cells = [];
    for (const tell of Object.values(ANSWERS)) cells.push(await tell(world, at));
    rows.push([state, ...cells]);
    await world.close();
  }
  const table = rows.map((row) => row.join(' | ')).join('\n');
  process.stdout.write(`${table}\n`);
  const person = 'by human:me';
  expect(rows).toEqual([
    ['', 'query', 'answer', 'get', 'similar', 'write'],
    everywhere('unreviewed', 'nothing'),
    everywhere('reviewed', `reviewed ${person}`),
    everywhere('verified', `reviewed ${person}, verified ${person}`),
    everywhere('stale', `reviewed ${person}, stale`, 'stale'),
    everywhere('changed since review', 'changed_since_review'),
    everywhere('edited by hand', 'edited_since'),
    everywhere('superseded', `reviewed ${person}, superseded_by wiki/zoo/decisions/money.md`),
    everywhere('contradicted', `same_subject ${AT}`),
    ['rejected before', '-', '-', '-', '-', 'rejected_before'],
    [
      'waiting',
      `reviewed ${person}, waiting 1`,
      `reviewed ${person}`,
      `reviewed ${person}, waiting 1`,
      'nothing',
      'similar',
    ],
  ]);
});
