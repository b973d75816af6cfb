import type { Readable } from 'node:stream';

/**
 * The lines of a UTF-8 stream without their line ends, the last one also when it has none. Node's readline would not do: it
 * also ends a line at U+2028, which stands unescaped inside JSON strings.
 */
export async function* streamLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(bytesOf(chunk), { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield withoutReturn([...parts, text.slice(start, end)].join(''));
      parts = [];
      start = end + 1;
    }
    parts.push(text.slice(start));
  }
  const rest = parts.join('') + decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

/** The `data` of every server-sent event of a stream; comments and other fields are skipped. */
export async function* eventData(stream: Readable): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of streamLines(stream)) {
    if (line.startsWith('data:')) {
      data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    } else if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
    }
  }
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('The stream must give text or bytes.');
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
