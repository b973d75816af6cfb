import { outsideCode, webLink } from './markup-lines';

const CODE = /()``([^\n]{1,1000}?)``/g;

/** The addresses that a file gives names: `.. _name: https://…`. Names are compared without regard to case. */
export function targetsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const line of lines) {
    const [, name, address] = /^\s*\.\. _`?([^:`]+)`?:\s+(\S+)$/.exec(line) ?? [];
    if (name !== undefined && address !== undefined) targets.set(name.toLowerCase(), address);
  }
  return targets;
}

/** What stands within a line of reStructuredText as Markdown: code, links, roles. Emphasis is written alike. */
export function rstInline(targets: ReadonlyMap<string, string>): (line: string) => string {
  const named = (name: string) => webLink(targets.get(name.toLowerCase()) ?? '', name);
  return (line) =>
    outsideCode(line, CODE, (text) =>
      text
        .replace(/`([^`<]+?)\s*<([^`>]+)>`__?/g, (_, label: string, address: string) =>
          webLink(address, label),
        )
        .replace(/`([^`]+)`__?/g, (_, name: string) => named(name))
        .replace(/:[\w:+.-]+:`([^`]+)`/g, (_, said: string) =>
          said.replace(/\s*<[^>]*>$/, '').replace(/^[~!]/, ''),
        )
        .replace(/`([^`]+)`/g, '*$1*')
        .replace(/\[#?(\w+)\]_(?!\w)/g, '[^$1]')
        .replace(/(^|[^\w`])(\w[\w.-]*)_(?![\w`_])/g, (whole, before: string, name: string) =>
          targets.has(name.toLowerCase()) ? before + named(name) : whole,
        ),
    );
}
