/**
 * The host names that a listener and a route have in common, the more specific word of each pair: no name at all on one side leaves
 * the other's. Undefined stands for every host; an empty list means that they have none in common.
 */
export function commonHostnames(
  listener: string | undefined,
  route: readonly string[],
): readonly (string | undefined)[] {
  const own = listener === undefined || listener === '' ? undefined : listener.toLowerCase();
  if (route.length === 0) return [own];
  const names = route.map((name) => name.toLowerCase());
  if (own === undefined) return names;
  return names.flatMap((name) => {
    if (covers(own, name)) return [name];
    return covers(name, own) ? [own] : [];
  });
}

/** Whether every host that `narrow` names is also meant by `wide`. */
function covers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  return wide.startsWith('*.') && narrow.endsWith(wide.slice(1)) && narrow.length > wide.length - 1;
}
