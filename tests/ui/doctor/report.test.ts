import { type Check, groupChecks, reportText, summaryOf, titleOf } from '../../../src/ui/doctor/report';
import { watcher } from '../intake/watcher';

const CHECKS: readonly Check[] = [
  { name: 'recovery', state: 'ok', message: 'Nothing was left half done.' },
  { name: 'tokens', state: 'warning', message: 'Authentication is off.', fix: 'Unset BRAIN_AUTH.' },
  { name: 'audit', state: 'failed', message: 'The chain is broken.', fix: 'Look at the file.' },
  { name: 'other devices', state: 'ok', message: 'None.' },
];

it('sorts the checks by what they need', () => {
  const { failed, warnings, fine } = groupChecks(CHECKS);
  expect([failed, warnings, fine].map((some) => some.map(titleOf))).toEqual([
    ['Audit'],
    ['Tokens'],
    ['Recovery', 'Other devices'],
  ]);
  expect(summaryOf(groupChecks(CHECKS))).toBe('1 problem, 1 warning, 2 fine');
  expect(summaryOf(groupChecks([]))).toBe('0 fine');
});

it('writes them down for somebody who helps, the worst first', () => {
  const status = {
    version: '1.2.3',
    notes: 4,
    index: { state: 'ready' as const, notes: 4, waiting: 0 },
    hybrid: { configured: false, state: 'off' as const },
    watcher: watcher(),
    queue: { count: 2 },
    quarantine: [],
    checks: [...CHECKS],
  };
  expect(reportText(status, new Date('2026-11-20T12:34:00Z'))).toMatchInlineSnapshot(`
   "Brain Server 1.2.3, checked 20 Nov 2026, 12:34: 1 problem, 1 warning, 2 fine
   4 notes, 2 in the queue, index ready

   FAILED  Audit: The chain is broken.
           Fix: Look at the file.
   LOOK    Tokens: Authentication is off.
           Fix: Unset BRAIN_AUTH.
   ok      Recovery: Nothing was left half done.
   ok      Other devices: None.
   "
  `);
});
