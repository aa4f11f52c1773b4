import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { dns1035LabelErrors, type Template, TEMPLATES } from '@manta/api';
import { messageOf, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';

export interface InitFlags {
  readonly name?: string;
  readonly output?: string;
}

/** `init [TEMPLATE]`: prints or writes a commented manifest that passes `validate`. Asks for the template on a terminal. */
export async function init(call: Invocation, wanted: string | undefined, flags: InitFlags): Promise<void> {
  const template = wanted === undefined ? await askFor(call) : templateOf(wanted);
  const name = flags.name ?? `my-${template.name}`;
  const [problem] = dns1035LabelErrors(name);
  if (problem !== undefined) throw usageError(`--name ${name} is not a name for an object: ${problem}`);
  const text = template.render(name);
  if (flags.output === undefined) {
    call.world.stdout.write(text);
    return;
  }
  await writeFile(flags.output, text, { flag: 'wx' }).catch((error: unknown) => {
    throw usageError(`${flags.output} was not written: ${messageOf(error)}. Choose another file with -o.`, error);
  });
  call.print(`Wrote ${flags.output}. Next: kubectl apply -f ${flags.output}`);
}

function templateOf(wanted: string): Template {
  const found = TEMPLATES.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw usageError(`${wanted} is not a template. Use one of:\n${list()}`);
}

function list(): string {
  return TEMPLATES.map(({ name, description }) => `  ${name.padEnd(8)} ${description}`).join('\n');
}

async function askFor(call: Invocation): Promise<Template> {
  const { stdin, stderr, signal } = call.world;
  if (stdin.isTTY !== true) throw usageError(`no template is named. Use kubectl ray init TEMPLATE:\n${list()}`);
  call.say(
    TEMPLATES.map(({ name, description }, index) => `  ${index + 1}  ${name.padEnd(8)} ${description}`).join('\n'),
  );
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const answer = (await lines.question('Template (number or name): ', { signal })).trim();
    return TEMPLATES[Number(answer) - 1] ?? templateOf(answer);
  } finally {
    lines.close();
  }
}
