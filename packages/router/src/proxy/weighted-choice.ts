/** Something that has a share. `credit` belongs to {@link chooseByWeight}: it starts at 0 and lives as long as the choices go on. */
export interface Weighted {
  readonly weight: number;
  credit: number;
}

/**
 * Smooth weighted round robin: of any run of choices each option has its share, spread evenly, with no dice. Options that cannot be
 * chosen now are simply left out of `options`; one of weight 0 is never chosen.
 */
export function chooseByWeight<T extends Weighted>(options: readonly T[]): T | undefined {
  let chosen: T | undefined;
  let total = 0;
  for (const option of options) {
    if (option.weight <= 0) continue;
    total += option.weight;
    option.credit += option.weight;
    if (chosen === undefined || option.credit > chosen.credit) chosen = option;
  }
  if (chosen !== undefined) chosen.credit -= total;
  return chosen;
}
