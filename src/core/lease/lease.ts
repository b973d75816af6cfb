/** What a seeker adds to the claim of a holder, and what the holder adds to answer. Blanks, as earlier versions read a claim as JSON. */
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
  /** Resolves with the numbers of all claims; rejects while their folder cannot be read. */
  list(): Promise<number[]>;
  /** Resolves with the text of a claim, as fresh as the file system can tell; null when there is none. */
  read(number: number): Promise<string | null>;
  /** Adds a mark to the end of a claim; does nothing when there is none. */
  append(number: number, mark: string): Promise<void>;
  /** Tells what is certain of the maker of a claim without a question, as from the processes of this machine. */
  judge(claim: Claim): Promise<'running' | 'ended' | 'unknown'>;
}

/** The claims on a lease that this process may take. */
export interface OwnClaims extends Claims {
  /**
   * Makes a claim of this process; resolves with its text, or null when the number is taken. No claim ever made has the same text,
   * not even one that this process has withdrawn.
   */
  create(number: number): Promise<string | null>;
  /** Removes a claim, if it is there. */
  remove(number: number): Promise<void>;
}

export interface LeaseOptions {
  /** Resolves after so many milliseconds by a clock that never jumps. It is idle between two looks of a holder, and not of a seeker. */
  readonly sleep: (ms: number, isIdle: boolean) => Promise<void>;
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

/** Resolves with the lease, or with the claim of the live process that has it. */
export async function takeLease(
  files: OwnClaims,
  { sleep, onLost }: LeaseOptions,
): Promise<{ lease: Lease } | { holder: Claim }> {
  for (;;) {
    const found = await claimsIn(files);
    const holder = await findLiving(files, found, sleep);
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
      if (!isMine) await files.remove(number);
    }
    return { lease: hold(files, { number, text }, found.length > 0, { sleep, onLost }) };
  }
}

/** Resolves with a claim whose maker lives, after it has been asked where that is needed; null when there is none. */
export async function livingHolder(files: Claims, sleep: LeaseOptions['sleep']): Promise<Claim | null> {
  return findLiving(files, await claimsIn(files), sleep);
}

async function claimsIn(files: Claims): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const number of await files.list()) {
    const text = await files.read(number);
    if (text !== null) claims.push({ number, text });
  }
  return claims;
}

async function findLiving(
  files: Claims,
  claims: readonly Claim[],
  sleep: LeaseOptions['sleep'],
): Promise<Claim | null> {
  const living = await Promise.all(claims.map((claim) => isLiving(files, claim, sleep)));
  return claims.find((_, index) => living[index]) ?? null;
}

async function isLiving(files: Claims, claim: Claim, sleep: LeaseOptions['sleep']): Promise<boolean> {
  const verdict = await files.judge(claim);
  if (verdict !== 'unknown') return verdict === 'running';
  await files.append(claim.number, ASK);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await sleep(LOOK_MS, false);
    const text = await files.read(claim.number);
    if (text === null) return false;
    if (!isSilent(claim, text)) return true;
  }
  return false;
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
    // With its disk the folder would be gone too, and may come back. A claim that is gone alone was taken over.
    await files.list();
    isOver = true;
    onLost?.();
  };
  const keep = async (): Promise<void> => {
    // A disk that does not answer is asked again: until another process takes the lease, it is ours.
    for (; !isOver; await sleep(POLL_MS, true)) await poll().catch(() => undefined);
  };
  void keep();
  const holds = async (): Promise<boolean> => !isOver && isOwn(await files.read(own.number));
  return {
    number: own.number,
    tookOver,
    holds,
    async release() {
      const isHeld = await holds();
      isOver = true;
      if (isHeld) await files.remove(own.number);
    },
  };
}
