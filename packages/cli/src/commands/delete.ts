import { createInterface, type Interface } from 'node:readline/promises';
import { failedTo, usageError } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { parseTarget, RAY_TYPES, type RayKind, type Target } from '../target.ts';

const DELETABLE: readonly RayKind[] = ['raycluster', 'rayjob', 'rayservice', 'raycronjob'];

/** `delete (NAME | TYPE/NAME)...`: deletes Ray objects in the order in which they were named, after a question. */
export async function deleteObjects(
  call: Invocation,
  names: readonly string[],
  flags: { readonly yes?: boolean },
): Promise<void> {
  const targets = names.map((name) => parseTarget(name, DELETABLE));
  const namespace = await call.namespace();
  if (flags.yes !== true && !(await isConfirmed(call, targets))) return;
  const client = await call.client();
  for (const { kind, name } of targets) {
    await client.delete(RAY_TYPES[kind], { namespace, name }).catch((error: unknown) => {
      throw failedTo(`failed to delete ${kind}/${name}`, error);
    });
    call.print(`Deleted ${kind} ${name}`);
  }
}

async function isConfirmed(call: Invocation, targets: readonly Target[]): Promise<boolean> {
  const { stdin, stdout, signal } = call.world;
  const list = targets.map(({ kind, name }) => `\n- ${kind}/${name}`).join('');
  const lines = createInterface({ input: stdin, output: stdout, terminal: false });
  try {
    stdout.write(`Are you sure you want to delete the following resources?${list}\n(y/yes/n/no)`);
    const answer = await firstLine(lines, signal);
    if (answer === undefined)
      throw usageError('Failed to read user input: the input ended. Answer the question, or use --yes.');
    if (/^(y|yes)$/i.test(answer.trim())) return true;
    call.print(/^(n|no)$/i.test(answer.trim()) ? 'Canceled deletion.' : `Unknown input ${answer}`);
    return false;
  } finally {
    lines.close();
  }
}

/** Undefined when the input ends before a line; rejects on Ctrl-C. */
async function firstLine(lines: Interface, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const close = () => lines.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const { value } = await lines[Symbol.asyncIterator]().next();
    signal.throwIfAborted();
    return value;
  } finally {
    signal.removeEventListener('abort', close);
  }
}
