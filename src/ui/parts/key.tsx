/** A key of the keyboard, as it is written on it: `A`, `Esc`, `↵`. */
export function Key({ children }: { readonly children: string }) {
  return <kbd class="brain-kbd">{children}</kbd>;
}
