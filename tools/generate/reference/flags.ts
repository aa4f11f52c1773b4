import { FEATURE_GATES } from '../../../packages/api/src/feature-gates.ts';
import { OPERATOR_FLAGS } from '../../../packages/operator/src/options/flags.ts';
import type { FlagDefinition } from '../../../packages/operator/src/options/go-flags.ts';

/** docs/reference/flags.md */
export function flagsPage(): string {
  const flags: readonly FlagDefinition[] = OPERATOR_FLAGS;
  const rows = flags.map(({ name, kind, default: value, help }) => {
    const shown = value === undefined || value === '' ? '' : `\`${String(value)}\``;
    return `| \`--${name}\` | ${kind} | ${shown} | ${help.replaceAll('|', '\\|')} |`;
  });
  return [
    '# Flags of the operator',
    'Generated from `packages/operator/src/options/flags.ts` by `npm run reference`; do not edit. `manta operator --help` prints the same. Flags of other commands: `manta COMMAND --help`.',
    ['| Flag | Type | Default | Effect |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    '## Feature gates',
    ['| Gate | Default | Stage |', '| --- | --- | --- |', ...gateRows()].join('\n'),
    '',
  ].join('\n\n');
}

function gateRows(): readonly string[] {
  return Object.entries(FEATURE_GATES).map(
    ([name, { default: isOn, stage }]) => `| \`${name}\` | ${isOn ? 'on' : 'off'} | ${stage} |`,
  );
}
