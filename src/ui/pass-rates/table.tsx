import { ScrollArea } from '../kit/lists';
import { count } from '../kit/words';
import { type PassRates, ratePaths, rateWords, type Skill } from './days';

/**
 * Returns the change of a skill's rate against the window before (percentage points); null when either window has no data.
 * `longer` covers both windows.
 */
export function rateChange(skill: Skill, longer: PassRates | null): number | null {
  const both = longer?.by_skill?.find((one) => one.skill === skill.skill);
  if (both === undefined || skill.pass_rate === null) return null;
  const pass = both.pass - skill.pass;
  const fail = both.fail - skill.fail;
  if (pass + fail <= 0) return null;
  return Math.round(skill.pass_rate * 100) - Math.round((pass / (pass + fail)) * 100);
}

/** Formats a change: `+4 points`, `−17 points`, `no change`; empty for null. */
export function changeWords(points: number | null): string {
  if (points === null) return '';
  if (points === 0) return 'no change';
  return `${points > 0 ? '+' : '−'}${Math.abs(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`;
}

/** The cell of a pass rate. An unknown rate is "No data", never zero. */
export function RateCell({ rate }: { readonly rate: number | null }) {
  return (
    <td class="mod-right">
      {rate === null ? (
        <span class="brain-muted">{rateWords(rate)}</span>
      ) : (
        <b class="brain-strong">{rateWords(rate)}</b>
      )}
    </td>
  );
}

const BOX = { width: 200, top: 2, height: 20 };

interface SkillTableProps {
  readonly skills: readonly Skill[];
  readonly chosen: string;
  /** The pass rates of twice the window; null until they are loaded. */
  readonly longer: PassRates | null;
  /** The window in words: `30 days`. */
  readonly span: string;
  readonly onChoose: (skill: string) => void;
}

/** The table of skills. The chosen one is shown in the chart. */
export function SkillTable({ skills, chosen, longer, span, onChoose }: SkillTableProps) {
  return (
    <ScrollArea label="All skills">
      <table class="brain-table brain-skills">
        <colgroup>
          <col class="mod-name" />
          <col />
          <col class="mod-count" />
          <col class="mod-count" />
          <col class="mod-count" />
          <col class="mod-rate" />
          <col class="mod-change" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Skill</th>
            <th scope="col">Per day</th>
            <th scope="col" class="mod-right">
              Passed
            </th>
            <th scope="col" class="mod-right">
              Failed
            </th>
            <th scope="col" class="mod-right">
              Skipped
            </th>
            <th scope="col" class="mod-right">
              Rate
            </th>
            <th scope="col" class="mod-right" title={`Against the ${span} before`}>
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {skills.map((skill) => (
            <SkillRow
              key={skill.skill}
              skill={skill}
              isChosen={skill.skill === chosen}
              longer={longer}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function SkillRow(props: {
  readonly skill: Skill;
  readonly isChosen: boolean;
  readonly longer: PassRates | null;
  readonly onChoose: (skill: string) => void;
}) {
  const { skill, isChosen, longer, onChoose } = props;
  return (
    <tr aria-selected={isChosen} onClick={() => onChoose(skill.skill)}>
      <td>
        <button type="button" class="brain-row-name" aria-pressed={isChosen} title={skill.skill}>
          {skill.skill}
        </button>
      </td>
      <td>
        <Spark skill={skill} />
      </td>
      <td class="mod-right">{count(skill.pass)}</td>
      <td class="mod-right">{count(skill.fail)}</td>
      <td class="mod-right brain-muted">{count(skill.skip)}</td>
      <RateCell rate={skill.pass_rate} />
      <td class="mod-right brain-muted">{changeWords(rateChange(skill, longer))}</td>
    </tr>
  );
}

/** The rate per day as a sparkline. The other cells have the figures. */
function Spark({ skill: { pass_rate: rate, series = [] } }: { readonly skill: Skill }) {
  if (rate === null) return <span class="brain-muted brain-small">No run that passed or failed</span>;
  const { line, lone } = ratePaths(series, BOX);
  return (
    <svg class="brain-spark" viewBox="0 0 200 24" preserveAspectRatio="none" aria-hidden="true">
      <path class="base" d="M0 23.5H200" />
      <path d={line} />
      <path class="dots" d={lone} />
    </svg>
  );
}
