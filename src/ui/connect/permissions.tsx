import { Check } from '../parts/check';
import { TextField } from '../parts/field';
import { Problem } from '../parts/problem';
import { type ScopeName, SCOPES, withScope } from './scopes';

export interface PermissionsProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly scopes: readonly ScopeName[];
  readonly onScopes: (scopes: readonly ScopeName[]) => void;
  /** What is wrong with the name; null when nothing is. */
  readonly nameProblem: string | null;
}

/** What the agent is called, and what it may do. */
export function Permissions({ name, onName, scopes, onScopes, nameProblem }: PermissionsProps) {
  return (
    <section class="brain-step">
      <h2>What may it do?</h2>
      <div class="brain-form-two">
        <TextField
          label="Token name"
          note="stamped on every write"
          value={name}
          onInput={onName}
          error={nameProblem ?? undefined}
        />
      </div>
      <div class="brain-scopes" role="group" aria-label="What it may do">
        {SCOPES.map(({ scope, title, help }) => (
          <Check
            key={scope}
            title={title}
            help={help}
            checked={scopes.includes(scope)}
            onChange={(ticked) => onScopes(withScope(scopes, scope, ticked))}
          />
        ))}
      </div>
      {scopes.length === 0 && <Problem>Tick at least one, or the token can do nothing.</Problem>}
    </section>
  );
}
