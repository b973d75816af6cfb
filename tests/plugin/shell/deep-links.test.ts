import { sha256 } from '../../../src/core/base/hash';
import { ingestPages } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { editRoot } from '../../../src/core/notes/root';
import { updateNote } from '../../../src/core/notes/update';
import type { Brain } from '../../../src/core/operation/context';
import { type Operation, perform } from '../../../src/core/operation/operation';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import type { Plan } from '../../../src/core/storage/plan';
import { readDeepLink, rewrittenRoot, vaultEvent } from '../../../src/plugin/shell/deep-links';
import { SCREENS } from '../../../src/ui/client/screens';
import { openTestBrain, person } from '../../support/test-brain';

describe('a link to a screen', () => {
  it.each(Object.keys(SCREENS))('opens the screen %s', (screen) => {
    expect(readDeepLink({ action: 'brain-server', screen })).toEqual({ screen, params: {} });
  });

  it('opens a screen on what the link names', () => {
    expect(readDeepLink({ action: 'brain-server', screen: 'queue', path: 'raw/a b.md' })).toEqual({
      screen: 'queue',
      params: { path: 'raw/a b.md' },
    });
  });

  it('opens home when the link names no screen', () => {
    expect(readDeepLink({ action: 'brain-server' })?.screen).toBe('home');
  });

  it('fills in no decision: forms, reasons and unknown words in a link are ignored', () => {
    const link = {
      screen: 'queue',
      path: 'raw/a.md',
      act: 'reject',
      reason: 'spam',
      vault: 'Mine',
      promote: 'true',
    };
    expect(readDeepLink(link)?.params).toEqual({ path: 'raw/a.md' });
  });

  it.each(['nothing', '', 'constructor', '__proto__', 'Queue'])('knows no screen %p', (screen) => {
    expect(readDeepLink({ screen })).toBeNull();
  });
});

describe('the event of a change', () => {
  const QUEUED = 'raw/2026-11-14-mtu.md';
  const CURATED = 'wiki/net/facts/tunnel.md';
  const NOTE = '---\ntitle: Mtu\n---\n\nThe tunnel needs 1420.\n';

  /** Performs operations one after the other and gives the changes that were told. */
  async function plansOf(...calls: readonly (readonly [op: Operation, ask: unknown])[]): Promise<Plan[]> {
    const { brain } = await openTestBrain({ [QUEUED]: NOTE, [CURATED]: NOTE, 'AGENTS.md': '# Guide\n' });
    const plans: Plan[] = [];
    const told: Brain = {
      ...brain,
      committed: (plan: Plan) => plans.push(plan),
      viewFor: () => told,
      get whole(): Brain {
        return told;
      },
    };
    for (const [op, ask] of calls) await perform(told, op, ask, person);
    return plans;
  }

  const eventsOf = async (...calls: readonly (readonly [op: Operation, ask: unknown])[]) =>
    (await plansOf(...calls)).map(vaultEvent);

  it('tells of a note that was written', async () => {
    expect(await eventsOf([capture, { text: 'Remember the milk.', wing: 'home', hall: 'facts' }])).toEqual([
      { name: 'brain:written', path: 'wiki/home/facts/remember-the-milk.md' },
    ]);
  });

  it('tells of a note that was changed', async () => {
    const ask = { path: CURATED, content: 'It needs 1380.', reason: 'measured', expected_hash: sha256(NOTE) };
    expect(await eventsOf([updateNote, ask])).toEqual([{ name: 'brain:written', path: CURATED }]);
  });

  it('tells of a promoted note where it is and where it was', async () => {
    expect(await eventsOf([promoteNote, { path: QUEUED, wing: 'net', hall: 'facts' }])).toEqual([
      { name: 'brain:promoted', path: 'wiki/net/facts/mtu.md', from: QUEUED },
    ]);
  });

  it('tells of a rejected note, and of its way back', async () => {
    const rejected = 'raw/rejected/2026-11-14-mtu.md';
    expect(
      await eventsOf([rejectNote, { path: QUEUED, reason: 'wrong' }], [restoreNote, { path: rejected }]),
    ).toEqual([
      { name: 'brain:rejected', path: rejected, from: QUEUED },
      { name: 'brain:written', path: QUEUED, from: rejected },
    ]);
  });

  it('tells of every page of an ingest, and of a source that was only added as of a change', async () => {
    const page = { title: 'One', content: 'First.' };
    const ask = { pages: [page, { title: 'Two', content: 'Second.' }], source: 'https://example.org/a' };
    const again = { pages: [page], source: 'https://example.org/b' };
    const [made, added] = await eventsOf([ingestPages, ask], [ingestPages, again]);
    const paths = ['raw/2026-11-20-one.md', 'raw/2026-11-20-two.md'];
    expect(made).toEqual({ name: 'brain:ingested', path: paths[0], paths });
    expect(added).toEqual({ name: 'brain:written', path: paths[0] });
  });

  it('tells nothing when nothing was changed', async () => {
    expect(await plansOf([capture, { text: 'Only a trial.', dry_run: true }])).toEqual([]);
  });

  it('says of a rewritten root note that it is one, and of no other', async () => {
    const ask = { content: '# New guide\n', reason: 'shorter', expected_hash: sha256('# Guide\n') };
    const plans = await plansOf([editRoot, ask], [capture, { text: 'Something.' }]);
    expect(plans.map(rewrittenRoot)).toEqual(['AGENTS.md', null]);
    expect(plans.map((plan) => vaultEvent(plan)?.name)).toEqual(['brain:written', 'brain:written']);
  });

  it('tells nothing of a change after which no note is there', () => {
    expect(vaultEvent({ op: 'remove', steps: [] })).toBeNull();
  });
});
