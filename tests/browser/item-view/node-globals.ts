// What an app window has of Node besides modules. It stands before everything else is loaded.

/** As much of a Buffer as the plugin asks for: the bytes of a text, and random bytes as the text of a token. */
function bufferFrom(data: string | Uint8Array): Uint8Array {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : Uint8Array.from(data);
  return Object.assign(bytes, {
    toString(encoding?: string): string {
      if (encoding !== 'base64url') throw new Error(`This Buffer knows no encoding ${String(encoding)}.`);
      const base64 = btoa(String.fromCharCode(...bytes));
      return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    },
  });
}

Object.assign(window, {
  process: { env: { BRAIN_DEVICE: 'thispage' }, versions: { electron: '39.8.3' }, platform: 'linux' },
  Buffer: { from: bufferFrom, isBuffer: () => false },
});

export {};
