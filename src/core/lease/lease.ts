/**
 * What a seeker adds to the claim of a holder, and what the holder adds to answer. Both are white space, so that earlier versions,
 * which read a claim as JSON, pass over them.
 */
const ASK = '\t';
const ANSWER = '\n';

/** The interval in which a holder looks for a question (ms): it answers within ten seconds. */
const POLL_MS = 5_000;
/** The interval in which a seeker looks for the answer (ms). */
const LOOK_MS = 500;
/**
 * A holder that gave no sign of life at so many looks is dead: 30 seconds. Looks are counted, and no clock is read, so that
 * time in which the seeker itself stood still counts as one look.
 */
const LOOKS = 60;

/** A claim on a lease: a small file with a number, which says who made it. Nobody changes what it says; marks are added to it. */
export interface Claim {
  readonly number: number;
  readonly text: string;
}

/** The claims on one lease, as any program may see them. */
export interface Claims {
  /** Resolves with the numbers of all claims, none where only their folder is gone; rejects while the disk is away. */
  list(): Promise<number[]>;
  /** Resolves with the text of a claim, as fresh as the file system can tell; null when there is none. */
  read(number: number): Promise<string | null>;
  /** Adds a mark to the end of a claim; does nothing when there is none. */
  append(number: number, mark: string): Promise<void>;
  /** Tells what is certain of the maker of a claim without a question, as from the processes of this machine. */
  judge(claim: Claim): Promise<'running' | 'ended' | 'unknown'>;
  /** Removes a claim, if it is there. */
  remove(number: number): Promise<void>;
}

/** The claims on a lease that this process may take. */
export interface OwnClaims extends Claims {
  /**
   * Makes a claim of this process; resolves with its text, or null when the number is taken. No claim ever made has the same text,
   * not even one that this process has withdrawn.
   */
  create(number: number): Promise<string | null>;
  /**
   * Removes a claim that this process made, if it still stands. Where that fails it rejects, and this process, as it uses the claim no
   * more, is not certain any longer that the maker runs.
   */
  withdraw(claim: Claim): Promise<void>;
}

export interface LeaseOptions<Other extends Claims = Claims> {
  /**
   * Resolves after so many milliseconds by a clock that never jumps. It is idle between two looks of a holder, and not of a seeker,
   * whose search ends when it rejects.
   */
  readonly sleep: (ms: number, isIdle: boolean) => Promise<void>;
  /** Finds the claims on the other leases of the same thing: of all of them only one is held. */
  readonly others?: () => Promise<readonly Other[]>;
  /** Called once when another process is found to have taken the lease over. */
  readonly onLost?: (() => void) | undefined;
}

/** A lease that this process holds. */
export interface Lease {
  readonly number: number;
  /** True when the holder before did not let go: it was cut off. */
  readonly tookOver: boolean;
  /**
   * Looks, by reading, whether the lease is still this process's own. Call it right before each step that needs the lease: a
   * process that stood still may have been replaced meanwhile.
   */
  holds(): Promise<boolean>;
  /** Lets go; the next process need not wait. The claim of another one stays. */
  release(): Promise<void>;
}

/** A claim that was read, and where. */
interface Found<Files extends Claims> extends Claim {
  readonly files: Files;
}

/** Resolves with the lease, or with the claim of the live process that has it or one of the others. */
export async function takeLease<Other extends Claims>(
  files: OwnClaims & Other,
  { sleep, onLost, others = async () => [] }: LeaseOptions<Other>,
): Promise<{ lease: Lease } | { holder: Found<Other> }> {
  for (;;) {
    const found = await claimsIn([files]);
    const holder = await findLiving(found, await claimsIn(await others()), sleep);
    if (holder !== null) return { holder };
    const number = Math.max(-1, ...found.map((claim) => claim.number)) + 1;
    const text = await files.create(number);
    if (text === null) continue;
    let isMine = false;
    try {
      if (!(await isLast(files, number, found))) continue;
      for (const claim of found) await files.remove(claim.number);
      isMine = true;
    } finally {
      if (!isMine) await files.withdraw({ number, text });
    }
    const lease = hold(files, { number, text }, found.length > 0, { sleep, onLost });
    // Of two that claim two leases at the same time, the later one finds the claim of the other here.
    const other = await findLiving([], await claimsIn(await others()), sleep).catch(
      async (error: unknown) => {
        await lease.release();
        throw error;
      },
    );
    if (other === null) return { lease };
    await lease.release();
    return { holder: other };
  }
}

async function claimsIn<Files extends Claims>(all: readonly Files[]): Promise<Found<Files>[]> {
  const claims: Found<Files>[] = [];
  for (const files of all)
    for (const number of await files.list()) {
      const text = await files.read(number);
      if (text !== null) claims.push({ files, number, text });
    }
  return claims;
}

/**
 * Resolves with the first claim whose maker lives, after all have been asked of whom that is unknown; null when there is none. Claims
 * on other leases that gave no answer are removed then, so that their makers find themselves replaced when they go on. Those of
 * whom it is known that they have ended stay: they may be copies of what stands on another machine.
 */
async function findLiving<Files extends Claims>(
  own: readonly Found<Files>[],
  others: readonly Found<Files>[],
  sleep: LeaseOptions['sleep'],
): Promise<Found<Files> | null> {
  const silent = new Set<Found<Files>>();
  for (const claim of [...own, ...others]) {
    const verdict = await claim.files.judge(claim);
    if (verdict === 'running') return claim;
    if (verdict === 'unknown') silent.add(claim);
  }
  for (const { files, number } of silent) await files.append(number, ASK);
  for (let looks = 0; looks < LOOKS && silent.size > 0; looks += 1) {
    await sleep(LOOK_MS, false);
    for (const claim of silent) {
      const text = await claim.files.read(claim.number);
      if (text === null) silent.delete(claim);
      else if (!isSilent(claim, text)) return claim;
    }
  }
  for (const claim of others) {
    if (!silent.has(claim)) continue;
    const text = await claim.files.read(claim.number);
    if (text === null) continue;
    if (!isSilent(claim, text)) return claim;
    await claim.files.remove(claim.number);
  }
  return null;
}

/** Returns true when nobody but seekers has added to a claim since it was read. */
function isSilent(claim: Claim, text: string): boolean {
  return text.replaceAll(ASK, '') === claim.text.replaceAll(ASK, '');
}

/**
 * Returns true when the claim `number`, which was just made, holds the lease: no other process was faster, as it would have left a
 * higher number, and the claims of the dead are as they were: none has come back, and none was a claim that was withdrawn.
 */
async function isLast(files: Claims, number: number, dead: readonly Claim[]): Promise<boolean> {
  if ((await files.list()).some((other) => other > number)) return false;
  for (const claim of dead) {
    const text = await files.read(claim.number);
    if (text === null || !isSilent(claim, text)) return false;
  }
  return true;
}

/** Holds a lease: answers those who ask, until it is released or lost. */
function hold(files: OwnClaims, own: Claim, tookOver: boolean, { sleep, onLost }: LeaseOptions): Lease {
  let isOver = false;
  const isOwn = (text: string | null): boolean => text?.startsWith(own.text) === true;
  const poll = async (): Promise<void> => {
    const text = await files.read(own.number);
    if (isOver) return;
    if (isOwn(text)) {
      if (text?.endsWith(ASK) === true) await files.append(own.number, ANSWER);
      return;
    }
    // With its disk the claim may come back. On a disk that is there it was taken over, or removed with what is around it.
    await files.list();
    isOver = true;
    onLost?.();
  };
  const keep = async (): Promise<void> => {
    // A disk that does not answer is asked again: until another process takes the lease, it is ours.
    for (; !isOver; await sleep(POLL_MS, true)) await poll().catch(() => undefined);
  };
  void keep();
  return {
    number: own.number,
    tookOver,
    holds: async () => !isOver && isOwn(await files.read(own.number)),
    release() {
      isOver = true;
      return files.withdraw(own);
    },
  };
}
