/** `namespace/name`: how events name an object. */
export function fullName({ namespace }: { readonly namespace: string }, name: string): string {
  return `${namespace}/${name}`;
}
