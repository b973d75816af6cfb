import { Icon } from './icon';
import { doorOf, parseWriter } from './writer-name';

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
