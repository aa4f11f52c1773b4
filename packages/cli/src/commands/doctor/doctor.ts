import { CliError, ExitCode, Finished } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { collectWorld } from '../../observe/collect-world.ts';
import { pageStyle } from '../../output/page-style.ts';
import { wrap } from '../../output/wrap.ts';
import { type PageFlags, printData } from '../insight/page-flags.ts';
import type { Check, CheckState } from './check.ts';
import { checkCrds, checkOperator, checkOperatorRights, findOperators } from './cluster-checks.ts';
import { checkObjects } from './object-checks.ts';
import { checkInstallRights, checkOwnRights } from './own-rights.ts';
import { checkWebhooks } from './webhook-checks.ts';

export interface DoctorFlags extends PageFlags {
  readonly pre?: boolean;
}

/** `doctor [--pre]`: checks the installation, or before one whether it can succeed. Exit code 1 if a check fails. */
export async function doctor(call: Invocation, flags: DoctorFlags): Promise<void> {
  const isBefore = flags.pre === true;
  const client = await call.client();
  const namespace = await call.namespace();
  const operators = await findOperators(client);
  const [server, crds, rights, ownRights, webhooks, world] = await Promise.all([
    checkServer(call),
    checkCrds(client, isBefore),
    isBefore ? [] : checkOperatorRights(client, operators, namespace),
    isBefore ? checkInstallRights(client) : checkOwnRights(client, namespace),
    checkWebhooks(client),
    collectWorld(call, { namespace: await call.scope(flags.allNamespaces) }),
  ]);
  const checks = [
    ...server,
    ...checkOperator(operators, isBefore),
    ...crds,
    ...rights,
    ...ownRights,
    ...webhooks,
    ...checkObjects(world),
  ];
  if (!printData(call, flags, checks)) print(call, checks);
  if (checks.some(({ state }) => state === 'failed')) throw new Finished(ExitCode.Failed);
}

/** Rejects if the server cannot be asked: then no other check makes sense. */
async function checkServer(call: Invocation): Promise<readonly Check[]> {
  const client = await call.client();
  const { gitVersion } = await client.getPath<{ readonly gitVersion?: string }>('/version');
  if (gitVersion === undefined) throw new CliError('the API server does not say its version: is it one?');
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  const isOld = Number(major) === 1 && Number(minor) < OLDEST_MINOR;
  const says = `Kubernetes ${gitVersion}`;
  if (!isOld) return [{ check: 'API server', state: 'ok', says }];
  return [{ check: 'API server', state: 'warning', says, hint: `Use Kubernetes 1.${OLDEST_MINOR} or newer.` }];
}

/** The chart accepts no older version. */
const OLDEST_MINOR = 27;

const MARKS: Readonly<Record<CheckState, string>> = { ok: '✓', warning: '!', failed: '✗', unknown: '?' };
const COLORS = { ok: 'green', warning: 'yellow', failed: 'red', unknown: 'dim' } as const;

function print(call: Invocation, checks: readonly Check[]): void {
  const { columns, paint } = pageStyle(call);
  const width = Math.max(...checks.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 4);
  for (const { check, state, says, hint } of checks) {
    const [first = '', ...rest] = wrap(says, columns - indent.length);
    call.print(`${paint(COLORS[state], `${MARKS[state]} ${check.padEnd(width)}`)}  ${first}`);
    for (const line of rest) call.print(`${indent}${line}`);
    if (hint !== undefined)
      for (const line of wrap(`→ ${hint}`, columns - indent.length, '  '))
        call.print(`${indent}${paint('bold', line)}`);
  }
  const count = (state: CheckState) => checks.filter((each) => each.state === state).length;
  const unread = count('unknown') > 0 ? `, ${count('unknown')} not allowed to check` : '';
  call.print('');
  call.print(`${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} failed${unread}.`);
}
