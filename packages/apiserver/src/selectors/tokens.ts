/** A piece of a label selector. */
export interface Token {
  readonly type: 'word' | 'symbol' | 'end';
  readonly text: string;
}

const SYMBOLS = /^(==|!=|=|!|,|\(|\)|<|>)/;
const WORD = /^[^\s=!(),<>]+/;

/** Splits a label selector; `in` and `notin` are words that the parser gives their meaning. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const symbol = SYMBOLS.exec(rest)?.[0];
    const piece = symbol ?? WORD.exec(rest)?.[0] ?? rest;
    tokens.push({ type: symbol === undefined ? 'word' : 'symbol', text: piece });
    rest = rest.slice(piece.length).trimStart();
  }
  return tokens;
}
