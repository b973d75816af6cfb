/** The address of a Brain Server in its one spelling, or the reason why a text is none. */
export type ServerUrl = { readonly url: string } | { readonly fault: string };

const USE = 'Use one such as https://brain.example.';

/**
 * Parses the address of a Brain Server: http or https, a host, perhaps a port and a plain path before the routes. The result has
 * the host in its usual spelling and no slash at its end, and parses to itself.
 */
export function parseServerUrl(text: string): ServerUrl {
  const typed = text.trim();
  if (typed === '') return { fault: `The address is missing. ${USE}` };
  if (!/^https?:\/\/[^/]/i.test(typed))
    return { fault: `The address does not start with https:// or http://. ${USE}` };
  // Programs differ on what a backslash or a control character in an address means.
  if (/[\s\\\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(typed))
    return { fault: `The address has a space or another character that none has. ${USE}` };
  if (typed.includes('@'))
    return { fault: 'The address has a name or password in it. Leave it out; the token has its own field.' };
  if (/[?#]/.test(typed))
    return { fault: 'The address goes on after the server. Leave out "?" or "#" and all behind it.' };
  if (!URL.canParse(typed)) return { fault: `The address cannot be read. ${USE}` };
  const path = typed.replace(/^https?:\/\/[^/]+/i, '').replace(/\/$/, '');
  if (!/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(path))
    return {
      fault:
        'The path in the address has more than letters, digits and . _ ~ - between slashes. Leave it out.',
    };
  if (/\/mcp$/i.test(path))
    return { fault: 'The address is the one for agents. Leave out "/mcp" at its end.' };
  return { url: new URL(typed).origin + path };
}
