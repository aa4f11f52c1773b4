/** What is wrong with an object, and where. */
export interface FieldError {
  /** JSON path of the field, e.g. `spec.workerGroupSpecs[1].minReplicas`. */
  readonly field: string;
  /** The sentence that users, dashboards and tests know; it stands alone, without the path. */
  readonly message: string;
}

/** Names the field and what is wrong with it. */
export function fieldError(field: string, message: string): FieldError {
  return { field, message };
}

/** The first error of the checks, which run in order and only until one fails. */
export function firstError<Input>(
  input: Input,
  checks: readonly ((input: Input) => FieldError | undefined)[],
): FieldError | undefined {
  for (const check of checks) {
    const error = check(input);
    if (error) return error;
  }
  return undefined;
}

/** The first error over the items, in their order. */
export function firstErrorOf<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => FieldError | undefined,
): FieldError | undefined {
  for (const [index, item] of items.entries()) {
    const error = check(item, index);
    if (error) return error;
  }
  return undefined;
}

/** The same error with words in front of its message. */
export function prefixed(prefix: string, error: FieldError | undefined): FieldError | undefined {
  return error && { field: error.field, message: prefix + error.message };
}
