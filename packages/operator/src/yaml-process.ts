import type { Parsed } from '@manta/api';
import { YAML_LIMITS } from '@manta/base';
import { parseWholeYaml } from './kubernetes-yaml.ts';
import { Turns } from './turns.ts';
import { toPlain } from './yaml-plain.ts';

/**
 * Parses YAML somewhere else than on the event loop; the value is plain JSON. Namespaces take turns. Rejects if no process can be started, and
 * when `signal` is aborted before the end: then the text is no longer wanted.
 */
export type YamlOffLoop = (yaml: string, by: YamlRequester) => Promise<Parsed<unknown>>;

export interface YamlRequester {
  readonly namespace: string;
  readonly signal?: AbortSignal | undefined;
}

/** The argument with which the operator's program parses YAML from its standard input, and nothing else. */
export const PARSE_YAML = '--parse-yaml-from-stdin';

/** Answers on standard output with a {@link Parsed} as JSON. */
export async function parseYamlFromStdin(): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  process.stdout.write(JSON.stringify(parsePlain(Buffer.concat(chunks).toString('utf8'))));
  return 0;
}

function parsePlain(yaml: string): Parsed<unknown> {
  try {
    return { ok: true, value: toPlain(parseWholeYaml(yaml)) ?? null };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Node's own choice of a semi-space would add a third to the memory. */
export const PROCESS_FLAGS = [`--max-old-space-size=${YAML_LIMITS.processHeapMib}`, '--max-semi-space-size=4'] as const;

/** The command that runs this same program with {@link PARSE_YAML}, whichever of our programs it is. */
export function yamlCommand({ execPath, execArgv, argv } = process): readonly string[] {
  const [, program = '', command = ''] = argv;
  const isCommand = command !== '' && !command.startsWith('-');
  return [execPath, ...execArgv, ...PROCESS_FLAGS, program, ...(isCommand ? ['operator'] : []), PARSE_YAML];
}

/**
 * Parses in a process of its own, one text at a time: a hostile text costs no time of the event loop, and no memory of ours. A text that
 * takes too long or too much memory is refused with a remedy.
 */
export function createYamlOffLoop(command = yamlCommand()): YamlOffLoop {
  const turns = new Turns();
  return (yaml, { namespace, signal }) => turns.take(namespace, () => parseInProcess(command, yaml, signal), signal);
}

async function parseInProcess(
  [file = '', ...args]: readonly string[],
  yaml: string,
  signal: AbortSignal | undefined,
): Promise<Parsed<unknown>> {
  // Not an import: most operators never need the module, which takes memory.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const kill = () => child.kill('SIGKILL');
  const timer = setTimeout(kill, YAML_LIMITS.processMs);
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    // A process that ends early does not read all input; its exit status reports that.
    child.stdin.on('error', () => undefined);
    child.stdin.end(yaml);
    const [answer, code] = await Promise.all([readBounded(child.stdout), ended]);
    if (code === 0 && answer !== undefined) return readParsed(JSON.parse(answer));
    return { ok: false, error: tooExpensive(yaml) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    kill();
  }
}

function tooExpensive(yaml: string): string {
  const { processMs, processHeapMib } = YAML_LIMITS;
  return `yaml: ${yaml.length} characters need more than the ${processMs / 1000} s or ${processHeapMib} MiB that are given to parsing: write them as JSON`;
}

async function readBounded(stream: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > YAML_LIMITS.processAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readParsed(answer: unknown): Parsed<unknown> {
  // Written by the same program.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return answer as Parsed<unknown>;
}
