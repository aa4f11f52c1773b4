import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '@manta/base';
import { reasonOf, writeWhole } from '@manta/local';
import { isMap, isSeq, parse, parseDocument } from 'yaml';

/** Under which name a local engine stands among other clusters. */
const NAME = 'manta';

interface Named {
  readonly name?: unknown;
  readonly [field: string]: unknown;
}

/** Adds the one context of our kubeconfig, as `manta`, to a file with others; what it says of others stays as it is, comments too. */
export function mergeKubeconfig(path: string, ours: string): void {
  try {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : 'apiVersion: v1\nkind: Config\n';
    makeFolder(dirname(path));
    writeWhole(path, mergedText(before, ours));
  } catch (error) {
    throw new Error(`cannot add to the kubeconfig ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The text of the file with our entries in it, in the place of those of an earlier engine; exported for its test. */
export function mergedText(before: string, ours: string): string {
  const document = parseDocument(before);
  const [problem] = document.errors;
  if (problem !== undefined || (document.contents !== null && !isMap(document.contents)))
    throw new Error(`it is no kubeconfig (${problem?.message.split('\n')[0] ?? 'not a map'}) and stays as it is`);
  const { clusters, users }: { clusters: readonly Named[]; users: readonly Named[] } = parse(ours);
  const entries = {
    clusters: { ...clusters[0], name: NAME },
    users: { ...users[0], name: `${NAME}-admin` },
    contexts: { name: NAME, context: { cluster: NAME, user: `${NAME}-admin` } },
  };
  for (const [list, entry] of Object.entries(entries)) {
    if (!isSeq(document.get(list))) document.set(list, document.createNode([]));
    const items = document.get(list);
    if (!isSeq(items)) continue;
    items.items = items.items.filter((item) => !isMap(item) || item.get('name') !== entry.name);
    items.add(document.createNode(entry));
  }
  if (!document.get('current-context')) document.set('current-context', NAME);
  return document.toString();
}
