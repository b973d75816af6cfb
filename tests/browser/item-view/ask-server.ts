import { CallError } from '../../../src/core/registry/client';
import type { Fetch } from '../../../src/ui/client/http';

declare global {
  interface Window {
    /** Asks a server elsewhere for the page, which has no sockets; null where nothing answers. */
    askServer(url: string, init: AskedOfServer): Promise<{ status: number; text: string } | null>;
  }
}

/** What a request has but its address. */
export type AskedOfServer = Pick<RequestInit, 'method' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** Stands for the requests to a server elsewhere, which the test makes. */
export function remoteFetch(): Fetch {
  return async (url, { method, headers, body }) => {
    const text = typeof body === 'string' ? body : undefined;
    const answer = await window.askServer(url, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
    });
    if (answer === null) {
      const at = new URL(url).host;
      const reason = `Nothing listens at ${at}. Start the server there, or check the address in the settings.`;
      throw new CallError('unreachable', reason);
    }
    return {
      status: answer.status,
      json: async () => {
        const data: unknown = JSON.parse(answer.text);
        return data;
      },
      blob: async () => new Blob([answer.text]),
    };
  };
}
