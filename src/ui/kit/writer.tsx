import { Icon } from './icons';

/** Who wrote a note, taken apart: what the service has verified, and what the writer only says of itself. */
interface WriterName {
  /** The verified name of a token or a person. */
  readonly name: string;
  readonly person: boolean;
  /** The program that the client claims to be. Never a fact. */
  readonly client?: string;
  /** The model that made the text. */
  readonly via?: string;
}

/** `laptop (claude-code 2.1.300) via qwen3:14b`, `human:me`, `local`. */
const STAMP = /^(human:)?(.*?)(?: \(([^()]*)\))?(?: via ([^()]+))?$/s;

/** Reads `written_by`. Never throws: what it does not know is a name. */
export function parseWriter(writtenBy: string): WriterName {
  const [, human, name = '', client, via] = STAMP.exec(writtenBy.slice(0, 500)) ?? [];
  return {
    name: name === '' ? writtenBy : name,
    person: human !== undefined,
    ...(client !== undefined && { client }),
    ...(via !== undefined && { via }),
  };
}

const DOORS = {
  mcp: { words: 'by MCP', icon: 'plug' },
  http: { words: 'by HTTP', icon: 'globe' },
  watcher: { words: 'by the inbox', icon: 'folder-input' },
  obsidian: { words: 'by Obsidian', icon: 'gem' },
  web: { words: 'by the web page', icon: 'monitor' },
} as const;

/** The door through which a note came in, in words and as an icon. A door that we do not know is shown as it is written. */
export function doorOf(origin: string | undefined): {
  readonly words: string;
  readonly icon: (typeof DOORS)[keyof typeof DOORS]['icon'] | 'file-text';
} {
  const known = Object.entries(DOORS).find(([door]) => door === origin)?.[1];
  if (known !== undefined) return known;
  return { words: origin === undefined ? 'as a file' : `by ${origin.slice(0, 40)}`, icon: 'file-text' };
}

interface Props {
  readonly origin?: string | undefined;
  readonly writtenBy?: string | undefined;
}

/**
 * Who wrote something: the icon of the door, the verified name, and muted what the client says of itself, so that a claim
 * never looks like a fact. The whole story is in its tooltip.
 */
export function Writer({ origin, writtenBy }: Props) {
  const door = doorOf(origin);
  return (
    <span class="brain-writer" title={writerTitle({ origin, writtenBy })}>
      <Icon name={door.icon} />
      <span class="brain-sr">{door.words}: </span>
      <WriterWords writtenBy={writtenBy} />
    </span>
  );
}

/** The name and the claim in one line, without the door. */
export function WriterWords({ writtenBy }: Pick<Props, 'writtenBy'>) {
  if (writtenBy === undefined) return <span class="brain-muted">unknown</span>;
  const { name, client, via } = parseWriter(writtenBy);
  return (
    <span>
      {name}
      {client !== undefined && <i> ({client})</i>}
      {via !== undefined && <i> via {via}</i>}
    </span>
  );
}

/** The story of a stamp in sentences. */
export function writerTitle({ origin, writtenBy }: Props): string {
  const came = `Came in ${doorOf(origin).words}.`;
  if (writtenBy === undefined) return `${came} Who wrote it is not recorded.`;
  const { name, client, via, person } = parseWriter(writtenBy);
  return [
    came,
    person ? `Written by a person: ${name}.` : `Token: ${name}, verified.`,
    client !== undefined && `Client: ${client}, as it says of itself.`,
    via !== undefined && `Extracted by ${via}.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}
