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
export const TEX_OF_CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  'α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega ∑ sum ∏ prod ∫ int ∞ infty ∂ partial ∇ nabla ± pm ∓ mp × times ÷ div · cdot ⋅ cdot ≤ le ≥ ge ≠ ne ≈ approx ≡ equiv ∈ in ∉ notin ⊂ subset ⊆ subseteq ∪ cup ∩ cap ∅ emptyset → to ⇒ Rightarrow ⇔ Leftrightarrow ∀ forall ∃ exists ¬ neg ∧ land ∨ lor … ldots ⋯ cdots √ surd ∘ circ { { } }'
    .split(' ')
    .map((item, at, all): [string, string] => [item, `\\${all[at + 1]}`])
    .filter((_, at) => at % 2 === 0),
);
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
  switch (element.localName) {
    case 'mi':
    case 'mn':
    case 'mo':
    case 'ms':
      return symbols(element.textContent ?? '');
    case 'mtext':
      return `\\text{${(element.textContent ?? '').replace(/[{}\\]/g, '\\$&')}}`;
    case 'mfrac':
      return `\\frac{${part(0)}}{${part(1)}}`;
    case 'msqrt':
      return `\\sqrt{${rowOf(element)}}`;
    case 'mroot':
      return `\\sqrt[${part(1)}]{${part(0)}}`;
    case 'msup':
      return `${base(part(0))}^{${part(1)}}`;
    case 'msub':
      return `${base(part(0))}_{${part(1)}}`;
    case 'msubsup':
    case 'munderover':
      return `${base(part(0))}_{${part(1)}}^{${part(2)}}`;
    case 'munder':
      return `${base(part(0))}_{${part(1)}}`;
    case 'mover':
      return over(part(0), part(1));
    case 'mfenced':
      return `${element.getAttribute('open') ?? '('}${parts.map(convert).join(', ')}${element.getAttribute('close') ?? ')'}`;
    case 'mtable':
      return `\\begin{matrix} ${parts.map(convert).join(' \\\\ ')} \\end{matrix}`;
    case 'mtr':
    case 'mlabeledtr':
      return parts.map(convert).join(' & ');
    case 'annotation':
    case 'annotation-xml':
    case 'mspace':
    case 'mphantom':
      return '';
    case 'semantics':
      return part(0);
    default:
      return parts.length > 0 ? rowOf(element) : symbols(element.textContent ?? '');
  }
}

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
  const accents: Readonly<Record<string, string>> = {
    '^': 'hat',
    '¯': 'bar',
    '‾': 'bar',
    '→': 'vec',
    '\\to': 'vec',
    '~': 'tilde',
    '˙': 'dot',
    '.': 'dot',
  };
  const accent = accents[above];
  return accent === undefined ? `${base(below)}^{${above}}` : `\\${accent}{${below}}`;
}
