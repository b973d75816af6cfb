import type { ComponentChildren, Ref } from 'preact';

/** A region that scrolls: it has a name and can take the focus, so that the keyboard can scroll it too. */
export function ScrollArea(props: {
  readonly label: string;
  readonly areaRef?: Ref<HTMLDivElement>;
  readonly children: ComponentChildren;
}) {
  const { label, areaRef, children } = props;
  return (
    <div
      {...(areaRef !== undefined && { ref: areaRef })}
      class="brain-scroll"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {children}
    </div>
  );
}
