import { ownValue } from '@manta/base';
/** One condition of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | 'absent' | '>' | '<';
  readonly values: readonly string[];
}

/** Whether labels satisfy one condition: `!=` and `notin` are met by an absent label too. */
export function meets(labels: Readonly<Record<string, string>>, { key, operator, values }: Requirement): boolean {
  const value = ownValue(labels, key);
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
      return value !== undefined && isInteger(value) && BigInt(value) > BigInt(values[0] ?? 0);
    case '<':
      return value !== undefined && isInteger(value) && BigInt(value) < BigInt(values[0] ?? 0);
  }
}

function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}
