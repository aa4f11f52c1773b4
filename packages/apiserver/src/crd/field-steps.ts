/** The `fieldPath` of a rule, `.a.b['c']`, as steps. */
export function fieldSteps(path: string | undefined): readonly string[] {
  return [...(path ?? '').matchAll(/\.([^.[\]]+)|\['((?:\\.|[^'])*)'\]/g)].map(
    ([, name, quoted]) => name ?? quoted ?? '',
  );
}
