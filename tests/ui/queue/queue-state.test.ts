import * as fc from 'fast-check';
import type { KeyedTexts } from '../../../src/ui/client/host';
import { draftOf } from '../../../src/ui/queue/entry';
import {
  currentIndex,
  isGone,
  type QueueAction,
  queueReducer,
  type QueueState,
  startState,
} from '../../../src/ui/queue/state';
import {
  ALL_RISKS,
  arrange,
  groupOf,
  isListed,
  keepFilter,
  NO_TRIAGE,
  savedFilters,
  type Triage,
} from '../../../src/ui/queue/triage';
import { entry } from './entries';

const AT = new Date('2026-11-20T10:00:00Z');
const [A, B, C, D] = [entry('ant', 1), entry('bee', 2), entry('cat', 3), entry('dog', 4)];
const ALL = [A, B, C, D];
const listed = (entries: readonly (typeof A)[]): QueueAction => ({ type: 'listed', entries, at: AT });

function after(...actions: QueueAction[]): QueueState {
  return actions.reduce(queueReducer, queueReducer(startState(null), listed(ALL)));
}
const go = (path: string): QueueAction => ({ type: 'go', path });
const currentPath = (state: QueueState) => state.current?.path ?? null;

describe('what is current', () => {
  it('is the oldest at first, or the note that was asked for', () => {
    expect(currentPath(after())).toBe(A.path);
    expect(currentPath(queueReducer(startState(C.path), listed(ALL)))).toBe(C.path);
  });

  it('waits for a note that comes with a later page', () => {
    const first = queueReducer(startState(D.path), listed([A]));
    expect(currentPath(first)).toBe(A.path);
    expect(currentPath(queueReducer(first, listed(ALL)))).toBe(D.path);
  });

  it('moves within the list and stops at its ends', () => {
    expect(currentPath(after({ type: 'step', by: 1 }))).toBe(B.path);
    expect(currentPath(after({ type: 'step', by: -1 }))).toBe(A.path);
    expect(currentPath(after({ type: 'step', by: 99 }))).toBe(D.path);
  });

  it('is the next older note after a decision, at the end the one before', () => {
    expect(currentPath(after(go(B.path), { type: 'decided', path: B.path }))).toBe(C.path);
    expect(currentPath(after(go(D.path), { type: 'decided', path: D.path }))).toBe(C.path);
    const last = queueReducer(queueReducer(startState(null), listed([A])), { type: 'decided', path: A.path });
    expect(last).toMatchObject({ current: null, entries: [], visible: [], pane: 'list' });
  });

  it('stays when another note is decided on', () => {
    expect(currentPath(after(go(C.path), { type: 'decided', path: A.path }))).toBe(C.path);
  });

  it('stays in sight when it left the queue by another hand, and leads on to its place', () => {
    const gone = after(go(B.path), listed([A, C, D]));
    expect(isGone(gone)).toBe(true);
    expect(currentPath(gone)).toBe(B.path);
    expect(currentIndex(gone)).toBe(-1);
    expect(currentPath(queueReducer(gone, { type: 'leave' }))).toBe(C.path);
    expect(queueReducer(after(go(A.path), listed([])), { type: 'leave' }).current).toBeNull();
    const step = (by: number) => currentPath(queueReducer(gone, { type: 'step', by }));
    expect([step(1), step(-1), step(3), step(-3)]).toEqual([C.path, A.path, D.path, A.path]);
  });

  it('is not left for a note that is still to come once the person has done something', () => {
    const back: QueueAction[] = [{ type: 'want', path: D.path }, { type: 'acted' }];
    const short = queueReducer(startState(null), listed([A, B]));
    const later = (...actions: QueueAction[]) =>
      currentPath([...actions, listed(ALL)].reduce(queueReducer, short));
    expect(later({ type: 'want', path: D.path })).toBe(D.path);
    expect(later(...back)).toBe(A.path);
    expect(later(...back, { type: 'want', path: D.path })).toBe(D.path);
    // Whoever is led to a note has not seen another one before the first list.
    const opened = queueReducer(startState(D.path), { type: 'acted' });
    expect(currentPath(queueReducer(opened, listed(ALL)))).toBe(D.path);
  });

  it('is shown again after an undo, past a filter that hides it', () => {
    const state = after({ type: 'filter', text: 'dog' }, { type: 'want', path: A.path });
    expect(state).toMatchObject({ filter: '', current: A, wanted: null });
  });
});

describe('a note that is being decided on', () => {
  const leaving = (path: string): QueueAction => ({ type: 'leaving', path });
  const typed: QueueAction = { type: 'draft', path: B.path, change: { slug: 'mine' } };

  it('is out of the list at once, also when the list is read anew meanwhile', () => {
    const state = after(go(B.path), leaving(B.path), listed(ALL));
    expect(state.visible).toEqual([A, C, D]);
    expect(currentPath(state)).toBe(C.path);
    expect(queueReducer(state, { type: 'decided', path: B.path })).toMatchObject({ visible: [A, C, D] });
  });

  it('comes back to its place with what was typed, shown only to who has not gone on', () => {
    const failed = after(go(B.path), typed, leaving(B.path), { type: 'kept', path: B.path });
    expect(failed.visible).toEqual(ALL);
    expect(currentPath(failed)).toBe(C.path);
    expect(failed.drafts.get(B.path)).toEqual({ slug: 'mine' });
    const shown = after(go(B.path), leaving(B.path), { type: 'kept', path: B.path, mode: 'reject' });
    expect(shown).toMatchObject({ current: B, mode: 'reject' });
  });

  it('is forgotten with what was typed once it is decided', () => {
    const done = after(typed, leaving(B.path), { type: 'decided', path: B.path });
    expect([done.drafts.size, done.leaving.size]).toEqual([0, 0]);
  });
});

describe('a file that changed', () => {
  const changed = { ...B, content_hash: 'f'.repeat(64), excerpt: 'New.' };

  it('is told with its time, and what was typed is kept', () => {
    const state = after(
      go(B.path),
      { type: 'draft', path: B.path, change: { slug: 'mine' } },
      listed([A, changed, C, D]),
    );
    expect(state).toMatchObject({ current: changed, changedAt: AT });
    expect(draftOf(changed, state.drafts.get(B.path)).slug).toBe('mine');
  });

  it('is not told of another note, and is forgotten with the next', () => {
    expect(after(go(A.path), listed([A, changed, C, D])).changedAt).toBeNull();
    expect(after(go(B.path), listed([A, changed, C, D]), go(C.path)).changedAt).toBeNull();
  });
});

describe('several notes', () => {
  it('are ticked one by one, as far as the selection is extended, or all that are visible', () => {
    expect([...after({ type: 'tick', path: B.path }).ticked]).toEqual([B.path]);
    expect(after({ type: 'tick', path: B.path }, { type: 'tick', path: B.path }).ticked.size).toBe(0);
    const extended = after(go(B.path), { type: 'step', by: 1, extend: true });
    expect([...extended.ticked]).toEqual([B.path, C.path]);
    expect(currentPath(extended)).toBe(C.path);
    expect([...after({ type: 'filter', text: 'cat' }, { type: 'tick-all' }).ticked]).toEqual([C.path]);
  });

  it('are ticked from the current one to another, in either direction', () => {
    expect([...after(go(B.path), { type: 'tick-to', path: D.path }).ticked]).toEqual([
      B.path,
      C.path,
      D.path,
    ]);
    const up = after(go(D.path), { type: 'tick-to', path: C.path });
    expect(new Set(up.ticked)).toEqual(new Set([C.path, D.path]));
    expect(currentPath(up)).toBe(C.path);
  });

  it('lose those that left the queue', () => {
    expect([...after({ type: 'tick-all' }, listed([B])).ticked]).toEqual([B.path]);
    const decided = after({ type: 'tick', path: A.path }, { type: 'decided', path: A.path });
    expect(decided).toMatchObject({ selecting: false });
    expect(decided.ticked.size).toBe(0);
  });
});

describe('the filter', () => {
  it('shows what holds every word, and keeps a current note that does', () => {
    const state = after(go(C.path), { type: 'filter', text: 'SAYS cat' });
    expect(state.visible).toEqual([C]);
    expect(currentPath(state)).toBe(C.path);
    expect(currentPath(after(go(C.path), { type: 'filter', text: 'what bee' }))).toBe(B.path);
    expect(after({ type: 'filter', text: 'nothing' })).toMatchObject({
      visible: [],
      current: null,
      pane: 'list',
    });
  });
});

it('keeps its promises whatever happens in whatever order', () => {
  const path = fc.constantFrom(...ALL.map((one) => one.path));
  const action: fc.Arbitrary<QueueAction> = fc.oneof(
    fc.subarray(ALL).map((entries) => listed(entries)),
    fc.constantFrom('', 'ant', 'bee', 'says', 'zz').map((text) => ({ type: 'filter' as const, text })),
    path.map((at) => go(at)),
    path.map((at) => ({ type: 'want' as const, path: at })),
    path.map((at) => ({ type: 'tick' as const, path: at })),
    path.map((at) => ({ type: 'leaving' as const, path: at })),
    path.map((at) => ({ type: 'decided' as const, path: at })),
    path.map((at) => ({ type: 'kept' as const, path: at, mode: 'promote' as const })),
    fc.record({
      type: fc.constant('step' as const),
      by: fc.integer({ min: -3, max: 3 }),
      extend: fc.boolean(),
    }),
    fc.constantFrom<QueueAction>(
      { type: 'tick-all' },
      { type: 'untick' },
      { type: 'leave' },
      { type: 'mode', mode: 'reject' },
    ),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
      const state = after(...actions);
      const known = new Set(state.entries);
      expect(state.visible.every((one) => known.has(one))).toBe(true);
      expect([...state.ticked].every((at) => [...known].some((one) => one.path === at))).toBe(true);
      // Something is shown whenever something is visible, and what is shown is visible or said to be gone.
      if (state.visible.length > 0) expect(state.current).not.toBeNull();
      if (state.current !== null && !isGone(state)) expect(currentIndex(state)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2000 },
  );
});

describe('triage', () => {
  const NOW = new Date('2026-11-20T00:00:00Z');
  const LATER = '2026-11-21T00:00:00Z';

  const someEntry = fc
    .record({
      writer: fc.constantFrom(undefined, 'ci-bot', 'laptop (claude-code 2)', 'human:me'),
      wing: fc.constantFrom(undefined, 'net', 'home'),
      risks: fc.subarray([...ALL_RISKS]),
      until: fc.constantFrom(undefined, LATER),
    })
    .map(({ writer, wing, risks, until }) => ({
      ...(writer !== undefined && { written_by: writer }),
      suggested: { slug: 'x', ...(wing !== undefined && { wing }) },
      risks,
      ...(until !== undefined && { snoozed_until: until }),
    }));
  const queue = fc
    .array(someEntry, { maxLength: 30 })
    .map((all) => all.map((extra, at) => entry(`n${String(at).padStart(2, '0')}`, 1 + at, extra)));
  const triage: fc.Arbitrary<Triage> = fc.record({
    agent: fc.constantFrom(null, '', 'ci-bot', 'laptop'),
    wing: fc.constantFrom(null, '', 'net'),
    risk: fc.constantFrom(null, 'any' as const, '' as const, ...ALL_RISKS),
    group: fc.constantFrom(null, 'agent' as const, 'wing' as const, 'risk' as const),
    order: fc.constantFrom('age' as const, 'risk' as const),
    snoozed: fc.boolean(),
  });

  it('lists each note that fits once, keeps the notes of a group together, and the oldest first in it', () => {
    fc.assert(
      fc.property(queue, triage, (entries, how) => {
        const listed = arrange(entries, '', how);
        expect(new Set(listed)).toEqual(new Set(entries.filter((one) => isListed(one, '', how))));
        const groups = listed.map((one) => groupOf(one, how.group));
        expect(groups.filter((name, at) => at === 0 || groups[at - 1] !== name)).toHaveLength(
          new Set(groups).size,
        );
        if (how.order === 'age') {
          for (const name of new Set(groups)) {
            const ages = listed
              .filter((one) => groupOf(one, how.group) === name)
              .map((one) => one.created_at);
            expect(ages).toEqual([...ages].sort());
          }
        }
      }),
    );
  });

  it('shows a note of the list, or none, whatever is filtered, put off and decided', () => {
    const act = fc.oneof(
      triage.map((next) => ({ type: 'triage' as const, triage: next })),
      fc.record({
        type: fc.constant('snoozed' as const),
        paths: fc
          .uniqueArray(fc.nat(12))
          .map((all) => new Set(all.map((at) => `raw/n${String(at).padStart(2, '0')}.md`))),
        until: fc.constantFrom(null, LATER),
      }),
      fc.nat(12).map((at) => ({ type: 'decided' as const, path: `raw/n${String(at).padStart(2, '0')}.md` })),
      fc.constantFrom(-1, 1).map((by) => ({ type: 'step' as const, by })),
      fc.constantFrom('', 'n0').map((text) => ({ type: 'filter' as const, text })),
    );
    fc.assert(
      fc.property(queue, fc.array(act, { maxLength: 20 }), (entries, acts) => {
        let state: QueueState = queueReducer(startState(null), { type: 'listed', entries, at: NOW });
        for (const one of acts) {
          state = queueReducer(state, one);
          expect(state.visible).toEqual(arrange(state.entries ?? [], state.filter, state.triage));
          if (state.visible.length > 0) expect(state.visible).toContain(state.current);
          else expect(state.current).toBeNull();
        }
      }),
    );
  });

  it('goes on to the next note when the current one is put off, and from the last to the one before', () => {
    const entries = ['a', 'b', 'c'].map((name, at) => entry(name, 1 + at));
    let state = queueReducer(startState(null), { type: 'listed', entries, at: NOW });
    const put = (path: string) => {
      state = queueReducer(state, { type: 'snoozed', paths: new Set([path]), until: LATER });
      return state.current?.path;
    };
    state = queueReducer(state, { type: 'go', path: 'raw/b.md' });
    expect(put('raw/b.md')).toBe('raw/c.md');
    expect(put('raw/c.md')).toBe('raw/a.md');
    state = queueReducer(state, {
      type: 'snoozed',
      paths: new Set(['raw/c.md']),
      until: null,
      problem: 'No.',
    });
    expect([state.current?.path, state.visible.length, state.snoozeProblem]).toEqual(['raw/a.md', 2, 'No.']);
  });

  it('shows a wanted note whatever the filter', () => {
    const entries = [entry('a', 1), entry('b', 2, { snoozed_until: LATER })];
    const listed = queueReducer(startState(null), { type: 'listed', entries, at: NOW });
    const narrow = queueReducer(listed, { type: 'triage', triage: { ...NO_TRIAGE, agent: 'nobody' } });
    expect(queueReducer(narrow, { type: 'want', path: 'raw/b.md' }).current?.path).toBe('raw/b.md');
    expect(queueReducer(narrow, { type: 'want', path: 'raw/a.md' }).current?.path).toBe('raw/a.md');
  });

  it('keeps filters on the device, each once, and leaves out what it cannot read', () => {
    const kept = new Map<string, string>();
    const preferences: KeyedTexts = {
      get: (key) => kept.get(key) ?? null,
      set: (key, text) => kept.set(key, text),
    };
    const risky = { text: '', triage: { ...NO_TRIAGE, risk: 'any' as const } };
    keepFilter(preferences, risky, true);
    keepFilter(preferences, { text: 'dns', triage: NO_TRIAGE }, true);
    keepFilter(preferences, risky, true);
    expect(savedFilters(preferences).map(({ text }) => text)).toEqual(['', 'dns']);
    expect(keepFilter(preferences, risky, false)).toHaveLength(1);
    for (const text of [
      'x',
      '{}',
      '[null, {"text": 1, "triage": {}}, {"text": "a", "triage": {"risk": "none"}}]',
    ]) {
      kept.set('queue.filters', text);
      expect(savedFilters(preferences)).toEqual([]);
    }
  });
});
