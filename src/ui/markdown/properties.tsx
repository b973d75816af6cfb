import { Icon } from '../kit/icons';
import { counted } from '../kit/words';

/** The longest value of a property that is shown (UTF-16 units). */
const MAX_VALUE = 500;

interface Props {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** The properties of a note: their number and the tags, or all of them in a table. Values are text, never links. */
export function Properties({ frontmatter, open, onToggle }: Props) {
  const entries = Object.entries(frontmatter);
  if (entries.length === 0) return null;
  const tags = valueWords(frontmatter.tags);
  return (
    <>
      <div class="brain-page-props">
        <button type="button" class="brain-plain" aria-expanded={open} onClick={onToggle}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          {counted(entries.length, 'property', 'properties')}
        </button>
        {tags !== '' && <span>{tags}</span>}
        {open && (
          <table class="brain-props">
            <tbody>
              {entries.map(([key, value]) => (
                <tr key={key}>
                  <th scope="row">{key}</th>
                  <td dir="auto">{valueWords(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}

/** Formats a front matter value as one line of text. */
export function valueWords(value: unknown): string {
  const words = Array.isArray(value) ? value.map(scalarWords).join(', ') : scalarWords(value);
  return words.length > MAX_VALUE ? `${words.slice(0, MAX_VALUE)}…` : words;
}

function scalarWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  return JSON.stringify(value);
}
