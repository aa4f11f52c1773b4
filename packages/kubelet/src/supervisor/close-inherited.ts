import { closeSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/** Closes descriptors that the parent process left open by mistake: every pod would inherit them. Node's own are not inherited. */
export function closeInherited(): void {
  for (const name of namesIn('/proc/self/fd')) {
    if (Number(name) > 2 && isInheritable(name)) closeSync(Number(name));
  }
}

function isInheritable(name: string): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
