/**
 * Converts an element of MathML to TeX: its TeX annotation when it has one, else its elements, one by one.
 */
export function texOf(math: Element): string {
  for (const annotation of Array.from(math.getElementsByTagName('annotation')))
    if (/tex/i.test(annotation.getAttribute('encoding') ?? '')) return tidy(annotation.textContent ?? '');
  const given = math.getAttribute('alttext') ?? '';
  return tidy(given.trim() === '' ? rowOf(math) : given);
}

/** Returns TeX on one line, without delimiters of its own and without a dollar sign that would end it. */
export function tidy(tex: string): string {
  return tex
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:\$\$?|\\\(|\\\[)\s*|\s*(?:\$\$?|\\\)|\\\])$/g, '')
    .replace(/(^|[^\\])\$/g, '$1\\$$')
    .trim();
}

/** The TeX of characters that have a command. */
export const TEX_OF_CHARACTERS = commands(
  'α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega ∑ sum ∏ prod ∫ int ∞ infty ∂ partial ∇ nabla ± pm ∓ mp × times ÷ div · cdot ⋅ cdot ≤ le ≥ ge ≠ ne ≈ approx ≡ equiv ∈ in ∉ notin ⊂ subset ⊆ subseteq ∪ cup ∩ cap ∅ emptyset → to ⇒ Rightarrow ⇔ Leftrightarrow ∀ forall ∃ exists ¬ neg ∧ land ∨ lor … ldots ⋯ cdots √ surd ∘ circ { { } }',
);
const ACCENTS = commands('^ hat ¯ bar ‾ bar → vec \\to vec ~ tilde ˙ dot . dot');
const FUNCTIONS =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|max|min|sup|inf|det|dim|gcd|ker)$/;
/** Characters that add nothing to the look: function application, invisible times and the like. */
const UNSEEN = /[\u2061-\u2064\u200b]/g;

function rowOf(element: Element): string {
  return Array.from(element.children, convert)
    .filter((part) => part !== '')
    .join(' ');
}

function convert(element: Element): string {
  const parts = Array.from(element.children);
  const part = (at: number) => {
    const child = parts[at];
    return child === undefined ? '' : convert(child);
  };
  const converted = CONVERSION_OF.get(element.localName)?.({ element, parts, part });
  return converted ?? (parts.length > 0 ? rowOf(element) : symbols(element.textContent ?? ''));
}

/** Returns the TeX of an element; `part` returns that of one of its parts, empty for one that is missing. */
type Conversion = (of: {
  readonly element: Element;
  readonly parts: readonly Element[];
  readonly part: (at: number) => string;
}) => string;

/** The conversions by the names of the elements, which spaces part. */
const CONVERSIONS: readonly (readonly [names: string, conversion: Conversion])[] = [
  ['mi mn mo ms', ({ element }) => symbols(element.textContent ?? '')],
  ['mtext', ({ element }) => `\\text{${(element.textContent ?? '').replace(/[{}\\]/g, '\\$&')}}`],
  ['mfrac', ({ part }) => `\\frac{${part(0)}}{${part(1)}}`],
  ['msqrt', ({ element }) => `\\sqrt{${rowOf(element)}}`],
  ['mroot', ({ part }) => `\\sqrt[${part(1)}]{${part(0)}}`],
  ['msup', ({ part }) => `${base(part(0))}^{${part(1)}}`],
  ['msub munder', ({ part }) => `${base(part(0))}_{${part(1)}}`],
  ['msubsup munderover', ({ part }) => `${base(part(0))}_{${part(1)}}^{${part(2)}}`],
  ['mover', ({ part }) => over(part(0), part(1))],
  [
    'mfenced',
    ({ element, parts }) =>
      `${element.getAttribute('open') ?? '('}${parts.map(convert).join(', ')}${element.getAttribute('close') ?? ')'}`,
  ],
  ['mtable', ({ parts }) => `\\begin{matrix} ${parts.map(convert).join(' \\\\ ')} \\end{matrix}`],
  ['mtr mlabeledtr', ({ parts }) => parts.map(convert).join(' & ')],
  ['annotation annotation-xml mspace mphantom', () => ''],
  ['semantics', ({ part }) => part(0)],
];
const CONVERSION_OF = new Map(
  CONVERSIONS.flatMap(([names, conversion]) => names.split(' ').map((name) => [name, conversion] as const)),
);

function symbols(text: string): string {
  const shown = text.replace(UNSEEN, '').trim();
  if (FUNCTIONS.test(shown)) return `\\${shown}`;
  if (/^\p{L}{2,}$/u.test(shown) && /^[a-z]+$/i.test(shown)) return `\\mathrm{${shown}}`;
  return Array.from(
    shown,
    (character) => TEX_OF_CHARACTERS[character] ?? (/[#$%&_]/.test(character) ? `\\${character}` : character),
  )
    .join(' ')
    .replace(/(?<=\d) (?=[\d.,])|(?<=[.,]) (?=\d)/g, '');
}

function base(tex: string): string {
  return tex.length <= 1 || /^\\[a-zA-Z]+$/.test(tex) ? tex : `{${tex}}`;
}

function over(below: string, above: string): string {
  const accent = ACCENTS[above];
  return accent === undefined ? `${base(below)}^{${above}}` : `${accent}{${below}}`;
}

/** Reads characters and the names of their commands in turn. */
function commands(text: string): Readonly<Record<string, string>> {
  const items = text.split(' ');
  return Object.fromEntries(
    items.flatMap((item, at) => (at % 2 === 0 ? [[item, `\\${items[at + 1]}`]] : [])),
  );
}
