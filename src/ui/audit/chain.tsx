import type { Answer } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { AsyncState } from '../kit/async';
import { failureWords } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { count, counted } from '../kit/words';

type Check = Answer<'verifyAudit'>;

/** The state of the hash chain of the log. Each line names the one before, so a lost or edited line is detected. */
export function ChainState({ check }: { readonly check: AsyncState<Check> }) {
  const { host } = useUi();
  const { value, error } = check;
  if (error !== null) {
    return (
      <span class="brain-chain brain-bad" role="alert">
        <Icon name="circle-alert" />
        The chain could not be checked. {failureWords(error)}
      </span>
    );
  }
  if (value === null) return <span class="brain-chain brain-muted">Checking the chain</span>;
  if (value.problem_count === 0) {
    return (
      <span class="brain-chain" role="status">
        <Icon name="circle-check" class="brain-ok" />
        Chain verified, {counted(value.lines, 'line')}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="brain-plain brain-chain-broken"
      onClick={() => void host.openLayer('Problems in the audit log', <ChainProblems check={value} />)}
    >
      <Icon name="circle-alert" />
      {counted(value.problem_count, 'problem')} in {counted(value.lines, 'line')}
    </button>
  );
}

/** Every break of the chain, with its file and line. */
function ChainProblems({ check }: { readonly check: Check }) {
  const { problems, problem_count: all } = check;
  return (
    <div class="brain-ask">
      <p>
        Each line of the log names the one before. Here that no longer fits: a line was lost, cut short or
        edited. The calls themselves may still be right.
      </p>
      <ul class="brain-chain-problems" aria-label="Problems">
        {problems.map(({ file, line, problem }) => (
          <li key={`${file} ${line} ${problem}`}>
            <b class="brain-strong">
              {file}, line {count(line)}
            </b>
            <span class="brain-muted">{problem}</span>
          </li>
        ))}
      </ul>
      {all > problems.length && <p class="brain-muted">and {count(all - problems.length)} more</p>}
    </div>
  );
}
