import * as fc from 'fast-check';
import { queueReducer, type QueueState, startState } from '../../../src/ui/queue/state';
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
import type { KeyedTexts } from '../../../src/ui/client/host';
import { entry } from './entries';

const AT = new Date('2026-11-20T00:00:00Z');
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
          const ages = listed.filter((one) => groupOf(one, how.group) === name).map((one) => one.created_at);
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
      let state: QueueState = queueReducer(startState(null), { type: 'listed', entries, at: AT });
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
  let state = queueReducer(startState(null), { type: 'listed', entries, at: AT });
  const put = (path: string) => {
    state = queueReducer(state, { type: 'snoozed', paths: new Set([path]), until: LATER });
    return state.current?.path;
  };
  state = queueReducer(state, { type: 'go', path: 'raw/b.md' });
  expect(put('raw/b.md')).toBe('raw/c.md');
  expect(put('raw/c.md')).toBe('raw/a.md');
  state = queueReducer(state, { type: 'snoozed', paths: new Set(['raw/c.md']), until: null, problem: 'No.' });
  expect([state.current?.path, state.visible.length, state.snoozeProblem]).toEqual(['raw/a.md', 2, 'No.']);
});

it('shows a wanted note whatever the filter', () => {
  const entries = [entry('a', 1), entry('b', 2, { snoozed_until: LATER })];
  const listed = queueReducer(startState(null), { type: 'listed', entries, at: AT });
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
