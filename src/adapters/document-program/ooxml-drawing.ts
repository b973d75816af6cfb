import { type Block, paragraph, tableOf } from './blocks';
import { literal, literalStart } from './markup';
import { drawnParagraphs, type OfficePackage, type Relation } from './office-package';
import { childAt, childrenOf, elementsBelow, textIn, type XmlElement } from './xml';

/** The points of a chart that are shown. */
const MAX_POINTS = 500;
/** The series of a chart that are shown. */
const MAX_SERIES = 50;

/**
 * Returns what a drawing shows that is text in other parts: a chart as its title and a table of its values, a diagram (SmartArt) as a
 * list.
 * @param relations what the part with the drawing refers to
 */
export function drawnParts(
  drawing: XmlElement,
  file: OfficePackage,
  relations: ReadonlyMap<string, Relation>,
): Block[] {
  const target = (id: string | undefined) => relations.get(id ?? '')?.target ?? '';
  return [...elementsBelow(drawing, 'c:chart', 'dgm:relIds')].flatMap((element) =>
    element.name === 'c:chart'
      ? chartBlocks(file.tree(target(element.attributes['r:id'])))
      : diagramBlocks(file.tree(target(element.attributes['r:dm']))),
  );
}

/** Converts a chart (`chart.xml`). */
function chartBlocks(part: XmlElement): Block[] {
  const chart = childAt(part, 'c:chartSpace', 'c:chart');
  const title = [...drawnParagraphs(childAt(chart, 'c:title') ?? part)].join(' ');
  const series = [...elementsBelow(childAt(chart, 'c:plotArea'), 'c:ser')].slice(0, MAX_SERIES);
  if (chart === undefined || (title === '' && series.length === 0)) return [];
  const names = series.map((one) => [...elementsBelow(childAt(one, 'c:tx'), 'c:v')].map(textIn).join(' '));
  const values = series.map((one) => pointsOf(childAt(one, 'c:val') ?? childAt(one, 'c:yVal')));
  const labels = series
    .map((one) => pointsOf(childAt(one, 'c:cat') ?? childAt(one, 'c:xVal')))
    .find((one) => one.size > 0);
  const places = [...new Set([labels, ...values].flatMap((points) => [...(points?.keys() ?? [])]))];
  const rows = places
    .sort((one, other) => one - other)
    .slice(0, MAX_POINTS)
    .map((at) =>
      [labels?.get(at) ?? '', ...values.map((points) => points.get(at) ?? '')].map((text) => literal(text)),
    );
  const head = ['', ...names].map((text) => literal(text.trim()));
  const kind =
    childrenOf(childAt(chart, 'c:plotArea')).find(({ name }) => name.endsWith('Chart'))?.name ?? '';
  const said = `${/^c:([a-z]+)/.exec(kind)?.[1] ?? ''} chart`.trim();
  return [
    paragraph([
      literalStart(`${said.charAt(0).toUpperCase()}${said.slice(1)}${title === '' ? '' : `: ${title}`}`),
    ]),
    ...(rows.length === 0 ? [] : tableOf([head, ...rows])),
  ];
}

/** Returns the values of a series by their places. Labels on several levels are joined. */
function pointsOf(element: XmlElement | undefined): Map<number, string> {
  const points = new Map<number, string>();
  for (const cache of elementsBelow(element, 'c:strCache', 'c:numCache', 'c:strLit', 'c:numLit', 'c:lvl'))
    for (const point of childrenOf(cache, 'c:pt')) {
      const at = Number(point.attributes.idx);
      if (!Number.isSafeInteger(at)) continue;
      const value = roundedValue(textIn(childAt(point, 'c:v')));
      points.set(at, points.has(at) ? `${value} ${points.get(at) ?? ''}` : value);
    }
  return points;
}

/** Returns the description of a picture in brackets, without what Office adds to those that it makes; '' without one. */
export function pictureWords(description = ''): string {
  const words = description
    .replace(/\s+/g, ' ')
    .replace(
      /(?:Description automatically generated(?: with \w+ confidence)?|AI-generated content may be incorrect)\.?/g,
      '',
    )
    .trim();
  return words === '' ? '' : `(Picture: ${words})`;
}

/** Removes the digits that only the binary form of a number has: 0.1 + 0.2 is stored as 0.30000000000000004. */
function roundedValue(text: string): string {
  return /^-?\d+\.\d{10,}$/.test(text) ? String(Number(Number(text).toPrecision(15))) : text;
}

function diagramBlocks(part: XmlElement): Block[] {
  const lines = [...elementsBelow(childAt(part, 'dgm:dataModel', 'dgm:ptLst'), 'dgm:pt')]
    .map((point) => [...drawnParagraphs(point)].join(' '))
    .filter((text) => text !== '');
  return lines.length === 0 ? [] : [{ kind: 'list', lines: lines.map((text) => `- ${literalStart(text)}`) }];
}
