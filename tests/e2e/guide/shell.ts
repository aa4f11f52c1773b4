import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** One bash for the commands of one page, so that variables live on from one command to the next. */
export class Shell {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;
  #text = '';
  #count = 0;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn('bash', ['-c', 'exec 2>&1; exec bash'], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#ended = once(this.#child, 'exit');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
  }

  /** Runs a command and returns what it printed, errors included. Fails when the shell itself ends. */
  async run(command: string): Promise<{ readonly output: string; readonly status: number }> {
    this.#text = '';
    this.#count += 1;
    const mark = `end of command ${this.#count} with status `;
    this.#child.stdin.write(`${command}\nprintf '\\n%s%s\\n' '${mark}' $?\n`);
    for (;;) {
      const end = this.#text.indexOf(mark);
      const status = /^\d+(?=\n)/.exec(this.#text.slice(end + mark.length))?.[0];
      if (end >= 0 && status !== undefined) return { output: this.#text.slice(0, end), status: Number(status) };
      if (this.#child.exitCode !== null) throw new Error(`the shell ended during: ${command}\n${this.#text}`);
      await Promise.race([sleep(20), this.#ended]);
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.stdin.end('exit\n');
    await this.#ended;
  }
}
