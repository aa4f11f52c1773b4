import type { Command } from 'commander';

/** What every `get` takes. */
export interface GetFlags {
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly selector?: string;
  readonly watch?: boolean;
}

export interface GetOfClusterFlags extends GetFlags {
  readonly rayCluster?: string;
}

export function addGetFlags(command: Command): Command {
  return command
    .option('-A, --all-namespaces', 'list across all namespaces, whatever --namespace says')
    .option('-o, --output <format>', 'table, wide, json, yaml, name or jsonpath=TEMPLATE')
    .option('-l, --selector <selector>', 'label selector, e.g. team=vision,env!=dev')
    .option('-w, --watch', 'print again whenever something changes, until Ctrl-C');
}
