import { childAt, childrenOf, textIn, type XmlElement } from './xml';

/** Signs and their commands in TeX. */
const COMMANDS: ReadonlyMap<string, string> = new Map(
  (
    'α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho ' +
    'σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi ' +
    'Ψ Psi Ω Omega ± pm ∓ mp × times ÷ div ⋅ cdot ∙ cdot ∗ ast ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ≅ cong ∼ sim ∝ propto ∞ infty ∂ partial ' +
    '∇ nabla ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∀ forall ∃ exists ¬ neg ∧ wedge ∨ vee ⊕ oplus ' +
    '⊗ otimes → to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto … ldots ⋯ cdots ⋮ vdots ⋱ ddots ℝ mathbb{R} ' +
    'ℕ mathbb{N} ℤ mathbb{Z} ℚ mathbb{Q} ℂ mathbb{C} ∑ sum ∏ prod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap √ surd ∠ angle ⊥ perp ∥ parallel ∘ circ'
  )
    .split(' ')
    .reduce<[string, string][]>((pairs, word, at, all) => {
      if (at % 2 === 0) pairs.push([word, `\\${all[at + 1] ?? ''}`]);
      return pairs;
    }, []),
);
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['\u0302', 'hat'],
  ['^', 'hat'],
  ['\u0303', 'tilde'],
  ['~', 'tilde'],
  ['\u0304', 'bar'],
  ['\u0305', 'overline'],
  ['\u0307', 'dot'],
  ['\u0308', 'ddot'],
  ['\u20d7', 'vec'],
  ['\u030c', 'check'],
]);
/** The functions that TeX sets upright. */
const FUNCTIONS =
  /^(?:sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|lg|exp|lim|max|min|sup|inf|det|dim|ker|gcd|deg|arg|Pr)$/;

/** A function before the sign that applies it. */
const APPLIED =
  /(?<![\\a-z])(sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|lg|exp|lim|max|min)\u2061/g;

/** Converts a formula of Office (OMML) to TeX. */
export function texOf(formula: XmlElement): string {
  return inside(formula)
    .replace(APPLIED, (_, name: string) => `\\${name} `)
    .replace(/\u2061/g, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function inside(element: XmlElement | undefined): string {
  return childrenOf(element).map(texOfElement).join('');
}

/** Returns the value of a property of a part, such as the sign of a bracket; `absent` without one. */
function property(element: XmlElement, name: string, absent: string): string {
  const found = childAt(element, `${element.name}Pr`, name);
  return found === undefined ? absent : (found.attributes['m:val'] ?? absent);
}

function texOfElement(element: XmlElement): string {
  const of = (name: string) => inside(childAt(element, name));
  const group = (name: string) => `{${of(name).trim()}}`;
  switch (element.name) {
    case 'm:r':
      return lettersOf(childrenOf(element, 'm:t').map(textIn).join(''));
    case 'm:f': {
      const [numerator, denominator] = [group('m:num'), group('m:den')];
      const type = property(element, 'm:type', 'bar');
      if (type === 'lin' || type === 'skw') return `${numerator}/${denominator}`;
      return type === 'noBar' ? `\\binom${numerator}${denominator}` : `\\frac${numerator}${denominator}`;
    }
    case 'm:rad':
      return `\\sqrt${of('m:deg').trim().replace(/^.+$/, '[$&]')}${group('m:e')}`;
    case 'm:nary':
      return `${lettersOf(property(element, 'm:chr', '∫')).trim()}${withIndices(element)} ${of('m:e')}`;
    case 'm:d':
      return bracketed(element);
    case 'm:func': {
      const name = of('m:fName').trim();
      return `${FUNCTIONS.test(name) ? `\\${name}` : name} ${of('m:e')}`;
    }
    case 'm:acc':
      return `\\${ACCENTS.get(property(element, 'm:chr', '\u0302')) ?? 'hat'}${group('m:e')}`;
    case 'm:bar':
      return `${property(element, 'm:pos', 'bot') === 'top' ? '\\overline' : '\\underline'}${group('m:e')}`;
    case 'm:m':
    case 'm:eqArr':
      return rowsOf(element);
    default:
      if (/^m:(?:s|lim)/.test(element.name) && childAt(element, 'm:e') !== undefined)
        return withIndices(element);
      // Properties hold no letters; boxes and marks around a part are left out.
      return element.name.endsWith('Pr') ? '' : inside(element);
  }
}

/** Converts a matrix, or equations one below the other. */
function rowsOf(element: XmlElement): string {
  const [rows, environment] = [childrenOf(element, 'm:mr'), element.name === 'm:m' ? 'matrix' : 'aligned'];
  const lines =
    rows.length > 0
      ? rows.map((row) => childrenOf(row, 'm:e').map(inside).join(' & '))
      : childrenOf(element, 'm:e').map(inside);
  return `\\begin{${environment}} ${lines.join(' \\\\ ')} \\end{${environment}}`;
}

/** Converts a part with indices. */
function withIndices(element: XmlElement): string {
  const group = (name: string) => {
    const part = childAt(element, name);
    const isUpper = name === 'm:sup' || element.name === 'm:limUpp';
    const tex = inside(part).trim();
    return tex === '' ? '' : `${isUpper ? '^' : '_'}{${tex}}`;
  };
  const indices = group('m:sub') + group('m:sup') + group('m:lim');
  if (element.name === 'm:nary') return indices;
  return element.name === 'm:sPre'
    ? `{}${indices}${inside(childAt(element, 'm:e'))}`
    : base(element) + indices;
}

/** Returns what an index belongs to; of several signs, between braces. */
function base(element: XmlElement): string {
  const tex = inside(childAt(element, 'm:e')).trim();
  if (FUNCTIONS.test(tex)) return `\\${tex}`;
  return /^(?:[^\s{}\\^_]|\\[a-zA-Z]+|[\d.]+)$/.test(tex) || /^\\left/.test(tex) ? tex : `{${tex}}`;
}

function bracketed(element: XmlElement): string {
  const [first, last] = [property(element, 'm:begChr', '('), property(element, 'm:endChr', ')')];
  const parts = childrenOf(element, 'm:e').map(inside);
  const text = parts.join(` ${property(element, 'm:sepChr', '|')} `);
  const sign = (character: string) =>
    /^[{}]$/.test(character) ? `\\${character}` : character === '' ? '.' : character;
  if (first === '(' && last === ')' && !/\\(?:frac|begin|sum|int|prod)/.test(text)) return `(${text})`;
  return `\\left${sign(first)}${text}\\right${sign(last)}`;
}

/** Returns letters as TeX: signs by their commands, and what TeX takes for marks escaped. */
function lettersOf(text: string): string {
  return [...text.normalize('NFKC')]
    .map((letter) => {
      const command = COMMANDS.get(letter);
      if (command !== undefined) return `${command} `;
      return /[#$%&_{}]/.test(letter) ? `\\${letter}` : letter === '\\' ? '\\backslash ' : letter;
    })
    .join('');
}
