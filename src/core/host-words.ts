/** Host and port of a web address, without a name and password before them. */
const HOST = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** Where what is sent to the address goes, as a person may read it: never what is secret in an address. */
export function hostOf(url: string): string {
  return HOST.exec(url)?.[1] ?? '';
}

/** True when what is sent to the address can be read on its way through a network. */
export function crossesOpenly(url: string): boolean {
  return !LOOPBACK.test(hostOf(url)) && !/^https:/i.test(url);
}
