import { ICONS, type ObjectState } from '../format/object-state.ts';

/** A state as icon, word and colour: never colour alone. */
export function StateBadge({ state: { word, tone } }: { readonly state: ObjectState }) {
  return (
    <span className={`state ${tone}`}>
      <span aria-hidden="true">{ICONS[tone]}</span> {word}
    </span>
  );
}
