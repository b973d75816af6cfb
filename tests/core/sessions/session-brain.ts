import type { Brain } from '../../../src/core/operation/context';
import type { Caller, Scope } from '../../../src/core/access/tokens';
import { Catalog } from '../../../src/core/catalog/catalog';
import { RateLimit } from '../../../src/core/operation/rate-limit';
import { WriterLock } from '../../../src/core/storage/writer';
import { type FixedClock, fixedClock } from '../../support/fixed-clock';
import { createMemoryVault, type MemoryVault } from '../../support/memory-vault';

export interface SessionBrain {
  readonly brain: Brain;
  readonly vault: MemoryVault;
  readonly clock: FixedClock;
}

/** A brain with what the session operations use of it: a vault that holds `files`, and a clock at 20 November 2026, 10:32. */
export function sessionBrain(files: Readonly<Record<string, string>> = {}): SessionBrain {
  const clock = fixedClock('2026-11-20T10:32:00Z');
  const vault = createMemoryVault(files, clock);
  const used = {
    vault,
    clock,
    catalog: new Catalog(),
    device: '0123abcd',
    writer: new WriterLock(),
    rate: new RateLimit(0, clock),
    ready: async () => undefined,
    limits: null,
    viewFor: (): Brain => brain,
    refresh: async () => undefined,
    get whole(): Brain {
      return brain;
    },
  };
  // Session logs are no notes: the catalog stays empty, and these operations never touch the state.
  const brain = used as unknown as Brain;
  return { brain, vault, clock };
}

export function callerWith(...scopes: Scope[]): Caller {
  return { origin: 'http', name: 'laptop', human: false, scopes: new Set(scopes) };
}
