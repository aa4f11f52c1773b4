import { why as findCause, type World } from '@manta/insight';
import { ExitCode, Finished } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { collectWorld } from '../../observe/collect-world.ts';
import { questionsAboutJob } from '../../observe/job-questions.ts';
import { pageStyle } from '../../output/page-style.ts';
import { whyLines } from '../../output/why-lines.ts';
import { notFound } from './not-found.ts';
import { type PageFlags, printData } from './page-flags.ts';
import { readRef } from './ray-ref.ts';

/** `why (NAME | TYPE/NAME)`: names the one thing that blocks an object. Exit code 0 if it is healthy, 1 if not. */
export async function why(call: Invocation, text: string, flags: PageFlags): Promise<void> {
  const ref = await readRef(call, text);
  const { namespace, kind, name } = ref;
  const questions = (world: World) => (kind === 'RayJob' ? questionsAboutJob(world, namespace, name) : []);
  const world = await collectWorld(call, { namespace, withLogs: true, questions });
  const answer = findCause(world, ref);
  if (answer.health === 'gone') throw await notFound(call, world, ref);
  if (!printData(call, flags, answer)) call.print(whyLines(answer, pageStyle(call)).join('\n'));
  if (answer.health !== 'healthy') throw new Finished(ExitCode.Failed);
}
