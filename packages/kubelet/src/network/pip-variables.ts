import { existsSync } from 'node:fs';
import { join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What pip in a pod is told: the same as on this machine, whose files pods see, except that their way out is a proxy. A pod has another home,
 * so the user's own configuration is named.
 */
export function pipVariables(env: Variables, proxy: string | undefined): Readonly<Record<string, string>> {
  const told = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('PIP_') && value !== undefined ? [[name, value] as const] : [],
  );
  const home = env['HOME'] ?? '/';
  const file = [join(home, '.config/pip/pip.conf'), join(home, '.pip/pip.conf')].find((path) => existsSync(path));
  return {
    ...(file === undefined ? {} : { PIP_CONFIG_FILE: file }),
    ...Object.fromEntries(told),
    ...(proxy === undefined ? {} : { PIP_PROXY: proxy }),
  };
}
