import { rateWords } from './days';

/** A pass rate in a table; a rate that nobody knows is said to be so, and is never zero. */
export function RateCell({ rate }: { readonly rate: number | null }) {
  return (
    <td class="mod-right">
      {rate === null ? (
        <span class="brain-muted">{rateWords(rate)}</span>
      ) : (
        <b class="brain-strong">{rateWords(rate)}</b>
      )}
    </td>
  );
}
