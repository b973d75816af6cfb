import * as z from 'zod';

/** What a converter's answer amounts to. */
export type ToolAnswer =
  | { readonly kind: 'text'; readonly text: string }
  /** The tool, or the protocol, says that it failed, and why. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unusable' };

const errorShape = z.object({ error: z.object({ message: z.string().catch('') }) });
const resultShape = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
  }),
});

/** Reads the answer to a `tools/call`, which may come as JSON or as one event of a stream (MCP, Streamable HTTP). */
export function readToolAnswer(body: string, contentType: string): ToolAnswer {
  const messages = /^\s*text\/event-stream/i.test(contentType) ? eventsOf(body) : [body];
  for (const message of messages) {
    const answer = readMessage(message);
    if (answer !== null) return answer;
  }
  return { kind: 'unusable' };
}

/** Null for a message that is no answer: a server may send news before it. */
function readMessage(text: string): ToolAnswer | null {
  const json = parse(text);
  const error = errorShape.safeParse(json);
  if (error.success) return { kind: 'refused', message: error.data.error.message };
  const answer = resultShape.safeParse(json);
  if (!answer.success) return null;
  const { content, isError } = answer.data.result;
  const texts = content.flatMap(({ type, text: said }) =>
    type === 'text' && said !== undefined ? [said] : [],
  );
  const joined = texts.join('\n\n');
  return isError === true ? { kind: 'refused', message: joined } : { kind: 'text', text: joined };
}

function parse(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return json;
  } catch {
    return null;
  }
}

/** The data of each event of a stream (WHATWG HTML, 9.2.6). */
function eventsOf(stream: string): string[] {
  return stream
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) =>
      event
        .split(/\r\n|\n|\r/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).replace(/^ /, '')] : []))
        .join('\n'),
    )
    .filter((data) => data !== '');
}
