/** The exit code after Ctrl-C: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

/**
 * Runs work that ends in good order after Ctrl-C: the first one aborts `signal`, the second ends the program with 130.
 * Resolves with the outcome of the work.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const interrupt = (): void => {
    if (control.signal.aborted) process.exit(INTERRUPTED);
    control.abort();
  };
  process.on('SIGINT', interrupt);
  try {
    return await work(control.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
