/**
 * Replaces `$(NAME)` by the value of that variable, as Kubernetes does in commands, arguments and variables: what is not known stays as it
 * is written, and `$$` is one dollar sign.
 */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\$|\(([^()]*)\))/g, (whole: string, rest: string, name: string | undefined) => {
    if (rest === '$') return '$';
    return name !== undefined && Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole;
  });
}
