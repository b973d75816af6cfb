import { useEffect, useState } from 'preact/hooks';
import type { Intake, IntakeItem } from './intake';

/** The sources of an intake as they are now. */
export function useIntakeItems(intake: Intake): readonly IntakeItem[] {
  const [items, setItems] = useState(intake.items);
  useEffect(() => {
    // What has changed between the drawing and this.
    setItems(intake.items);
    return intake.listen(() => setItems(intake.items));
  }, [intake]);
  return items;
}
