import { once } from 'node:events';
import { usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { type Paint, paintFor } from '../../live/colors.ts';
import type { ContainerRun } from './containers.ts';

const COLORS = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'red'] as const;

/** Prints lines of many containers, each with the name of its container. Waits while the reader of the output is slow. */
export class LogPrinter {
  readonly #stdout: Invocation['world']['stdout'];
  readonly #paint: Paint;
  readonly #pattern: RegExp | undefined;
  readonly #colors = new Map<string, (typeof COLORS)[number]>();

  constructor({ world, flags }: Invocation, grep: string | undefined) {
    this.#stdout = world.stdout;
    this.#paint = paintFor(world, world.stdout, flags);
    this.#pattern = grep === undefined ? undefined : patternOf(grep);
  }

  async print({ pod, container }: Pick<ContainerRun, 'pod' | 'container'>, line: string): Promise<void> {
    if (this.#pattern !== undefined && !this.#pattern.test(line)) return;
    const prefix = this.#paint(this.#colorOf(pod), `${pod} ${container}`);
    if (!this.#stdout.write(`${prefix} | ${line}\n`)) await once(this.#stdout, 'drain');
  }

  /** Pods get the colours in turn. */
  #colorOf(pod: string): (typeof COLORS)[number] {
    const color = this.#colors.get(pod) ?? COLORS[this.#colors.size % COLORS.length] ?? 'cyan';
    this.#colors.set(pod, color);
    return color;
  }
}

function patternOf(grep: string): RegExp {
  try {
    return new RegExp(grep, 'u');
  } catch {
    try {
      return new RegExp(grep);
    } catch (error) {
      throw usageError(`--grep ${grep} is not a regular expression. Use e.g. --grep 'ERROR|Traceback'.`, error);
    }
  }
}
