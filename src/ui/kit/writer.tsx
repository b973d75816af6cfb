import { OwnersFlag } from './feedback';
import { Icon } from './icons';

/** The parts of a stamp `written_by`: the name that the service has verified, and the claims of the client. */
interface WriterName {
  /** The verified name of a token or a person. */
  readonly name: string;
  readonly person: boolean;
  /** The program that the client claims to be, unverified. */
  readonly client?: string;
  /** The model that wrote the text. */
  readonly via?: string;
}

/** Matches `laptop (claude-code 2.1.300) via qwen3:14b`, `human:me`, `local`. */
const STAMP = /^(human:)?(.*?)(?: \(([^()]*)\))?(?: via ([^()]+))?$/s;

/** Parses `written_by`. It never throws: a text of another form is a name. */
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

/** Returns the door through which a note came in, in words and as an icon. An unknown door is named as it is written. */
export function doorOf(origin: string | undefined): {
  readonly words: string;
  readonly icon: (typeof DOORS)[keyof typeof DOORS]['icon'] | 'file-text';
} {
  const door = Object.entries(DOORS).find(([name]) => name === origin)?.[1];
  if (door !== undefined) return door;
  return { words: origin === undefined ? 'as a file' : `by ${origin.slice(0, 40)}`, icon: 'file-text' };
}

interface Props {
  readonly origin?: string | undefined;
  readonly writtenBy?: string | undefined;
}

/**
 * The writer of a note: the icon of the door, the verified name, and muted the claims of the client, so that a claim never
 * looks like a fact. The tooltip says the same in sentences.
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

/** The writer of a note; for a note of the owner its mark, and the writer only where a stamp names one. */
export function Author({ isOwners, ...stamp }: Props & { readonly isOwners: boolean }) {
  if (!isOwners) return <Writer {...stamp} />;
  return (
    <>
      <OwnersFlag />
      {stamp.writtenBy !== undefined && <Writer {...stamp} />}
    </>
  );
}

/** The name and the claims in one line, without the door. */
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

/** Returns a stamp in sentences, for a tooltip. */
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
