/** What is used of the decoder that every host has; the core knows no types of a host. */
declare const TextDecoder: new (
  label: 'utf-8',
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** The text of UTF-8 bytes, a BOM included. @throws TypeError when they are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The text of bytes that may be damaged: what is no UTF-8 in them becomes U+FFFD. */
export function damagedText(bytes: Uint8Array): string {
  return forgiving.decode(bytes);
}

const forgiving = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
