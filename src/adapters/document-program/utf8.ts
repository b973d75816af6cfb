/** Returns a file of text as UTF-8 with `\n` as its line ends; null when it is none, has zero bytes or may be ISO-2022-JP. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') || isShifted(text) ? null : text.replace(/\r\n?/g, '\n');
  } catch {
    return null;
  }
}

/** Returns true for a text in seven bits that changes to Japanese characters, as ISO-2022-JP does. */
export function isShifted(text: string): boolean {
  return text.includes('\x1b$') && !/[\u0080-\uffff]/.test(text);
}
