import type { Fault } from '../support/faulty-file-system';
import type { Kept } from '../support/memory-file-system';

/** One way in which a machine fails, at the k-th of the calls that it concerns. */
export interface FaultCase {
  readonly name: string;
  readonly fault: Omit<Fault, 'call'>;
  /** What is left of what was not synced, when the machine loses its power with the process; all of it when absent. */
  readonly power?: (random: () => number) => Kept;
}

/** Calls that take room on the disk. */
const GROWING = ['open', 'write', 'mkdir', 'link', 'rename', 'fsync'];
/** More calls than any act makes. */
const FOR_GOOD = 100_000;

/** The disk or the system refuses a call, or does it in part, and the process goes on. */
export const FAILURES: readonly FaultCase[] = [
  { name: 'EIO', fault: { kind: 'error-before' } },
  { name: 'EIO, though it was done', fault: { kind: 'error-after' } },
  { name: 'a sync that fails', fault: { kind: 'error-before', only: 'fsync' } },
  { name: 'a full disk', fault: { kind: 'error-before', code: 'ENOSPC', only: GROWING } },
  { name: 'a disk that is full half way', fault: { kind: 'error-torn', code: 'ENOSPC', only: 'write' } },
  { name: 'a short write', fault: { kind: 'short', only: 'write' } },
  { name: 'a short write that passes for a whole one', fault: { kind: 'lie', only: 'write' } },
  { name: 'too many open files', fault: { kind: 'error-before', code: 'EMFILE', only: ['open', 'readdir'] } },
];

/** The same, and it stays so until somebody helps. */
export const LASTING: readonly FaultCase[] = [
  {
    name: 'a disk that stays full',
    fault: { kind: 'error-before', code: 'ENOSPC', only: GROWING, times: FOR_GOOD },
  },
  {
    name: 'too many open files from then on',
    fault: { kind: 'error-before', code: 'EMFILE', only: ['open', 'readdir'], times: FOR_GOOD },
  },
  { name: 'a disk that is gone', fault: { kind: 'error-before', times: FOR_GOOD } },
];

/** The process dies, and perhaps the machine with it. */
export const CRASHES: readonly FaultCase[] = [
  { name: 'a crash before', fault: { kind: 'crash-before' } },
  { name: 'a crash after', fault: { kind: 'crash-after' } },
  { name: 'a crash within a write', fault: { kind: 'crash-torn', only: 'write' } },
  { name: 'a power cut, nothing written back', fault: { kind: 'crash-after' }, power: () => false },
  {
    name: 'a power cut, some written back',
    fault: { kind: 'crash-after' },
    power: (random) => random() < 0.5,
  },
  {
    name: 'a power cut, bytes torn or zeroed',
    fault: { kind: 'crash-before' },
    power: (random) => [true, false, 'torn', 'zeroed'][Math.floor(random() * 4)] as Kept,
  },
];
