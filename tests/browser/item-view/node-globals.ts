// What an app window has of Node besides modules. It stands before everything else is loaded.
Object.assign(window, {
  process: { env: {}, versions: { electron: '39.8.3' }, platform: 'linux' },
  // As much as reading front matter asks for, which hands it texts alone.
  Buffer: { from: (text: string) => new TextEncoder().encode(text), isBuffer: () => false },
});

export {};
