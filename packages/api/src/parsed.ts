/** What a parser answers: the value, or a sentence that says what is wrong with the text. Parsers never throw. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** The answer of a parser that understood its text. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** The answer of a parser that didn't. */
export function unparsed<T>(error: string): Parsed<T> {
  return { ok: false, error };
}
