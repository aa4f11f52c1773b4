/** Translations of a pod's names, ports and folders on a machine that it shares with other processes. */
export interface Translation {
  hasPort(port: number): boolean;
  realPort(port: number): number;
  /** The address of this pod's ports, where they are not found on the loopback that all share. */
  readonly local?: string | undefined;
  /** Folders as containers see them, and where they really are. */
  readonly paths: readonly (readonly [seen: string, real: string])[];
  /** The name of the Service that has this address. */
  nameOf(address: string): string | undefined;
  /** A door of this machine that leads to a port of a Service. */
  doorOf(name: string, port: number): Promise<{ readonly host: string; readonly port: number }>;
}

const SERVICE = /\b((?:[a-z0-9-]+\.){2}svc(?:\.cluster\.local)?):(\d{1,5})\b/g;
const ADDRESS = /(?<![\w.])((?:\d{1,3}\.){3}\d{1,3}):(\d{1,5})\b/g;
const LOCAL = /\b(localhost|127\.0\.0\.1):(\d{1,5})\b/g;

/** A text with every name and address of a Service, port of this pod and folder of this pod replaced by what stands for it. */
export async function translate(text: string, translation: Translation): Promise<string> {
  const byName = text.replaceAll(ADDRESS, (whole, address: string, port: string) => {
    const name = translation.nameOf(address);
    return name === undefined ? whole : `${name}:${port}`;
  });
  const doors = new Map<string, string>();
  for (const [whole, name = '', port = ''] of byName.matchAll(SERVICE)) {
    const door = await translation.doorOf(name, Number(port));
    doors.set(whole, `${door.host}:${door.port}`);
  }
  const named = byName.replaceAll(SERVICE, (whole) => doors.get(whole) ?? whole);
  const local = named.replaceAll(LOCAL, (whole, host: string, port: string) =>
    translation.hasPort(Number(port)) ? `${translation.local ?? host}:${translation.realPort(Number(port))}` : whole,
  );
  return translatePaths(local, translation.paths);
}

/** Only whole names count: `/data` is no part of `/database` or `/my/data`. */
export function translatePaths(text: string, paths: Translation['paths']): string {
  if (paths.length === 0) return text;
  // What is real already stays as it is.
  const real = new Map([...paths, ...paths.map(([, each]) => [each, each] as const)]);
  const longestFirst = [...real.keys()].toSorted((a, b) => b.length - a.length).map(escape);
  const pattern = new RegExp(`(?<![\\w.-])(?:${longestFirst.join('|')})(?![\\w.-])`, 'g');
  return text.replaceAll(pattern, (seen) => real.get(seen) ?? seen);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
