import { goQuote } from '@manta/api';
import { checkLabelValue, checkQualifiedName } from '../field/names.ts';
import { badRequest } from '../status/errors.ts';
import { meets, type Requirement } from './requirement.ts';
import { type Token, tokenize } from './tokens.ts';

/** Whether labels are selected. */
export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

/** Reads `a=b,c in (d,e),!f`; refuses what the real server refuses, with its reason. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new Parser(tokenize(text)).all();
  return (labels) => requirements.every((requirement) => meets(labels, requirement));
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  all(): readonly Requirement[] {
    const found: Requirement[] = [];
    const first = this.#peek();
    if (first.type === 'end') return found;
    if (first.type !== 'word' && first.text !== '!') {
      throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    }
    for (;;) {
      found.push(this.#requirement());
      const next = this.#take();
      if (next.type === 'end') return found;
      if (next.text !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.type !== 'word' && after.text !== '!') {
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#peek().text === '!';
    if (isNegated) this.#take();
    const { type, text: key } = this.#take();
    if (type !== 'word') throw unparsable(`found '${key}', expected: identifier`);
    check(`<nil>: Invalid value: ${goQuote(key)}`, checkQualifiedName(key));
    const next = this.#peek();
    if (isNegated) return { key, operator: 'absent', values: [] };
    if (next.type === 'end' || next.text === ',') return { key, operator: 'exists', values: [] };
    return this.#comparison(key);
  }

  #comparison(key: string): Requirement {
    const { text } = this.#take();
    switch (text) {
      case 'in':
      case 'notin':
        return { key, operator: text, values: checkedValues(key, this.#values()) };
      case '=':
      case '==':
      case '!=':
        return { key, operator: text === '!=' ? '!=' : '=', values: checkedValues(key, [this.#value()]) };
      case '>':
      case '<':
        return { key, operator: text, values: [this.#number()] };
      default:
        throw unparsable(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #values(): readonly string[] {
    const open = this.#take();
    if (open.text !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const next = this.#take();
      if (next.type === 'word') {
        values.push(next.text);
        const after = this.#take();
        if (after.text === ')') return values;
        if (after.text !== ',') throw unparsable(`found '${after.text}', expected: ',' or ')'`);
      } else if (next.text === ')') return [...values, ''];
      else if (next.text === ',') values.push('');
      else throw unparsable(`found '${next.text}', expected: ',', ')' or identifier`);
    }
  }

  #value(): string {
    const next = this.#peek();
    if (next.type === 'end' || next.text === ',') return '';
    this.#take();
    if (next.type !== 'word') throw unparsable(`found '${next.text}', expected: identifier`);
    return next.text;
  }

  #number(): string {
    const value = this.#value();
    if (/^-?\d+$/.test(value)) return value;
    const problem = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw unparsable(`values[0]: Invalid value: ${goQuote(value)}: ${problem}`);
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }
}

function checkedValues(key: string, values: readonly string[]): readonly string[] {
  for (const [index, value] of values.entries()) {
    check(`values[${index}][${key}]: Invalid value: ${goQuote(value)}`, checkLabelValue(value));
  }
  return values;
}

function check(subject: string, problems: readonly string[]): void {
  if (problems.length > 0) throw unparsable(`${subject}: ${problems.join('; ')}`);
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
