const WIDTHS = ['72%', '100%', '88%', '56%'];

/** Rows that stand in for a list that is being read, of the height that its rows will have. Silent but for its name. */
export function SkeletonRows({ rows, label }: { readonly rows: number; readonly label: string }) {
  return (
    <div class="brain-items brain-scroll" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="brain-entry brain-item mod-skeleton">
          {WIDTHS.map((width) => (
            <span key={width} class="brain-skeleton" style={{ width }} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Lines that stand in for text that is being read. */
export function SkeletonLines({ lines, label }: { readonly lines: number; readonly label: string }) {
  return (
    <div class="brain-skeletons" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="brain-skeleton" style={{ width: WIDTHS[line % WIDTHS.length] ?? '100%' }} />
      ))}
    </div>
  );
}
