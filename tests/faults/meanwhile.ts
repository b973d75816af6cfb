import { BrainError } from '../../src/core/base/errors';
import { historyPath } from '../../src/core/storage/history';
import { sha256 } from '../../src/core/base/hash';
import type { MemoryFileSystem } from '../support/memory-file-system';
import { expectTidy, withoutMaps } from './expected';
import { SAMPLES, STAGED } from './matrix';
import { failure, type Stage, stageOf } from './stage';
import { type Image, restarted, ROOT, type Running, type Start, stateOf, trashOf, vaultOf } from './world';

/** How someone else saves a note while the service is at work on it. */
const SAVES = ['in place', 'by renaming'] as const;

/** A host whose files others save as well. */
export interface SharedHost {
  readonly start: Start;
  /**
   * True when the system knows no way to tell that somebody saves the file at this call: it is about to be replaced or
   * removed.
   */
  isTooLate(call: string, path: string): boolean;
  /** Called when someone has saved a file behind the host's back. */
  saved(path: string): void;
}

/** Notes of the person that an act changes or takes away. */
function touched({ expected: { before, after } }: Stage): string[] {
  return Object.entries(withoutMaps(before.vault)).flatMap(([path, text]) =>
    path.endsWith('.md') && after.vault[path] !== text ? [path] : [],
  );
}

/** What someone saves over a note: all of it, and words of their own. */
function savedOver(text: string): string {
  return `${text}\nWhat somebody has added meanwhile.\n`;
}

/** Texts that stand anywhere in the vault or its trash, or that the history gives back. */
function isKept(disk: MemoryFileSystem, text: string): boolean {
  const stands = [...Object.values(vaultOf(disk)), ...Object.values(trashOf(disk))];
  return stands.includes(text) || stateOf(disk)[historyPath(sha256(text))] === text;
}

/**
 * Every operation, while someone else saves a note that it changes, at every call to the file system: their text is never gone,
 * and the operation has happened, or has refused and left everything else as it was.
 */
export function describeMeanwhile(name: string, host: SharedHost): void {
  const counts = { cases: 0, refused: 0 };
  if (SAMPLES === Infinity) jest.setTimeout(3_600_000);

  /**
   * Does the act while someone saves the note at the k-th call; `came` says whether there were so many, and whether it was
   * not too late.
   */
  async function whileSaved(stage: Stage, path: string, how: (typeof SAVES)[number], call: number) {
    const world = stage.disk.clone();
    const running = await host.start(world);
    const text = savedOver(stage.expected.before.vault[path] ?? '');
    let count = 0;
    const came: { as: 'nobody' | 'in time' | 'too late' } = { as: 'nobody' };
    running.fs.onCall = (made) => {
      count += 1;
      if (came.as !== 'nobody' || count < call) return;
      // Whoever comes when the note is gone already makes another one.
      const stands = vaultOf(world)[path];
      const isOurs = stands !== stage.expected.before.vault[path];
      came.as = isOurs || host.isTooLate(made, `${ROOT}/${path}`) ? 'too late' : 'in time';
      if (came.as === 'too late') return;
      world.save(`${ROOT}/${path}`, text, how);
      host.saved(path);
    };
    const error = await failure(() => stage.expected.act.run(running));
    running.fs.onCall = () => undefined;
    return { world, running, error, text, came: came.as };
  }

  describe.each(STAGED)(`$name, ${name}, while somebody saves a note`, ({ act, index }) => {
    it.each(SAVES)('keeps what they have saved %s, and happens or is refused', async (how) => {
      const stage = await stageOf(host.start, act);
      const total = stage.calls.length;
      const step = Math.max(1, Math.ceil(total / (2 * SAMPLES)));
      for (const path of touched(stage)) {
        for (let call = 1 + (index % step); ; call += step) {
          const { world, running, error, text, came } = await whileSaved(stage, path, how, call);
          if (came === 'in time') {
            counts.cases += 1;
            if (error !== null) counts.refused += 1;
            await expectShared(world, running, { stage, path, text, error });
            continue;
          }
          await running.stop();
          if (came === 'too late') continue;
          expect(error).toBeNull();
          break;
        }
      }
    });
  });

  async function expectShared(
    world: MemoryFileSystem,
    running: Running,
    { stage, path, text, error }: { stage: Stage; path: string; text: string; error: unknown },
  ): Promise<void> {
    const { act, before, after } = stage.expected;
    // An act of several calls looks at its first answers, which are others when a note is.
    const isUnasked = error instanceof Error && 'matcherResult' in error;
    if (error !== null && !isUnasked) expect(error).toBeInstanceOf(BrainError);
    expect({ path, text, isKept: isKept(world, text) }).toMatchObject({ isKept: true });
    await running.heard();
    await running.stop();
    expect((await restarted(stage.start, world)).attention).toEqual([]);
    expect({ path, text, isKept: isKept(world, text) }).toMatchObject({ isKept: true });
    for (const [other, former] of Object.entries(withoutMaps(before.vault))) {
      const kept = other.endsWith('/') || other === path || isKept(world, former);
      expect({ other, kept }).toEqual({ other, kept: true });
    }
    await expectTidy(world, false);
    const now = withoutMaps(vaultOf(world));
    if (error !== null && !isUnasked && act.resumes !== true) {
      const refused: Image = { ...withoutMaps(before.vault), [path]: text };
      expect(now).toEqual(refused);
      return;
    }
    // It has happened: nothing else than what it makes is there, and the note is theirs, its own, or gone with it.
    const known = new Set([...Object.keys(before.vault), ...Object.keys(after.vault)]);
    expect(Object.keys(now).filter((at) => !known.has(at))).toEqual([]);
  }

  afterAll(() => {
    process.stdout.write(
      `saved meanwhile, ${name}: ${STAGED.length} operations × ${SAVES.length} ways, ${counts.cases} cases, ${counts.refused} refused\n`,
    );
    expect(counts.cases).toBeGreaterThan(STAGED.length);
  });
}
