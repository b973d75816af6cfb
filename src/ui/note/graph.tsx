import { noteName } from '../kit/names';
import { counted } from '../kit/words';

/** The notes that the graph shows at most around its own. */
const MOST_NODES = 24;
/** With more nodes there is no room for their names, which are then in the lists below and in tooltips. */
const MOST_NAMES = 10;
const LONGEST_NAME = 15;
/**
 * The box of the drawing, the half axes of the ring of nodes with and without names, and the target around each (units of the
 * drawing). A name has its place beside the ring.
 */
const BOX = { width: 304, height: 232 };
const RING = { named: { x: 44, y: 82 }, bare: { x: 98, y: 98 } };
const TARGET = 12;

interface Neighbour {
  readonly path: string;
  readonly isLinked: boolean;
  readonly linksHere: boolean;
}

/** Returns the notes one link away, those that link in both directions first. */
function neighboursOf(outgoing: readonly string[], backlinks: readonly string[]): Neighbour[] {
  const [to, from] = [new Set(outgoing), new Set(backlinks)];
  const all = [...new Set([...backlinks, ...outgoing])].map((path) => ({
    path,
    isLinked: to.has(path),
    linksHere: from.has(path),
  }));
  const weight = ({ isLinked, linksHere }: Neighbour): number => (isLinked && linksHere ? 0 : 1);
  return all.sort((a, b) => weight(a) - weight(b));
}

/** A small drawing of the notes one link away. Each node is a link; the name of the drawing says what it shows. */
export function NoteGraph(props: {
  readonly title: string;
  readonly outgoing: readonly string[];
  readonly backlinks: readonly string[];
  readonly onOpen: (path: string) => void;
}) {
  const { title, outgoing, backlinks, onOpen } = props;
  const all = neighboursOf(outgoing, backlinks);
  if (all.length === 0) return null;
  const nodes = all.slice(0, MOST_NODES).map((node, index, { length }) => {
    const hasName = length <= MOST_NAMES;
    const angle = (2 * Math.PI * index) / length - Math.PI / 2;
    const ring = hasName ? RING.named : RING.bare;
    return { ...node, hasName, x: ring.x * Math.cos(angle), y: ring.y * Math.sin(angle) };
  });
  const words = `${counted(backlinks.length, 'note links', 'notes link')} to ${title}, which links to ${counted(outgoing.length, 'note')}`;
  return (
    <figure class="brain-graph">
      <svg
        viewBox={`${-BOX.width / 2} ${-BOX.height / 2} ${BOX.width} ${BOX.height}`}
        role="group"
        aria-label={words}
      >
        {nodes.map(({ path, isLinked, x, y }) => (
          <line key={path} class={isLinked ? undefined : 'is-back'} x1="0" y1="0" x2={x} y2={y} />
        ))}
        <circle class="is-center" r="8" />
        {nodes.map((node) => (
          <GraphNode key={node.path} {...node} onOpen={onOpen} />
        ))}
      </svg>
      <figcaption class="brain-small brain-muted">
        Whole line: this note links there. Dashed: only that note links here.
        {all.length > nodes.length && ` ${counted(all.length - nodes.length, 'more note')} in the lists.`}
      </figcaption>
    </figure>
  );
}

function GraphNode(
  props: Neighbour & {
    readonly hasName: boolean;
    readonly x: number;
    readonly y: number;
    readonly onOpen: (path: string) => void;
  },
) {
  const { path, isLinked, linksHere, hasName, x, y, onOpen } = props;
  const name = noteName(path);
  const way = isLinked && linksHere ? 'in both directions' : isLinked ? 'linked from here' : 'links here';
  const side = Math.abs(x) < 1 ? 'middle' : x < 0 ? 'end' : 'start';
  return (
    <g
      role="link"
      tabindex={0}
      aria-label={`${name}, ${way}`}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      onClick={() => onOpen(path)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.stopPropagation();
        onOpen(path);
      }}
    >
      <title>{path}</title>
      <circle class="brain-graph-target" r={TARGET} />
      <circle r="5" />
      {hasName && (
        <text
          text-anchor={side}
          x={side === 'middle' ? 0 : side === 'end' ? -9 : 9}
          y={side === 'middle' ? (y < 0 ? -10 : 18) : 4}
        >
          {name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name}
        </text>
      )}
    </g>
  );
}
