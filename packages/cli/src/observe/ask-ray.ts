import type { RayAnswers } from '@manta/insight';
import type { RayClient } from '@manta/ray';
import { connectToHead } from '../commands/connect-to-head.ts';
import type { Invocation } from '../invocation.ts';
import { messageOf } from '../cli-error.ts';

/** What to ask one head. */
export interface RayQuestions {
  readonly namespace: string;
  readonly cluster: string;
  /** The job whose end and output matter. */
  readonly submissionId?: string;
}

const LAST_LINES = 40;

/** Asks heads through the API server with the user's rights. A head that does not answer is part of the answer. */
export async function askRay(
  call: Invocation,
  questions: readonly RayQuestions[],
): Promise<ReadonlyMap<string, RayAnswers>> {
  const answers = await Promise.all(
    questions.map(async (question) => {
      const answer = await askHead(call, question).catch((error: unknown) => ({ failure: messageOf(error) }));
      return [`${question.namespace}/${question.cluster}`, answer] as const;
    }),
  );
  return new Map(answers);
}

async function askHead(call: Invocation, { namespace, cluster, submissionId }: RayQuestions): Promise<RayAnswers> {
  const access = { headers: {}, tls: {} };
  const head = await connectToHead(call, namespace, cluster, access, () => undefined);
  try {
    return submissionId === undefined ? {} : await jobAnswer(head.client, submissionId);
  } finally {
    await head.close();
  }
}

async function jobAnswer(client: RayClient, id: string): Promise<RayAnswers> {
  const info = await client.getJob(id);
  if (info === undefined) return {};
  const output = (await client.getJobLogs(id).catch(() => undefined)) ?? '';
  const lastLines = output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LAST_LINES);
  const { status, message, driverExitCode } = info;
  const answer = { status, message, lastLines, ...(driverExitCode === undefined ? {} : { driverExitCode }) };
  return { jobs: { [id]: answer } };
}
