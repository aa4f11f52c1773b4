import type { KubeObject } from '@manta/api';
import { why } from '@manta/insight';
import { type ResourceType, resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { whyLines } from '../../../packages/cli/src/output/why-lines.ts';
import { NAMESPACE, PreviewStage } from '../preview/stage.ts';
import { type Situation, SITUATIONS } from './situations.ts';

const TYPES: Readonly<Record<Situation['kind'], ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
};
const COLUMNS = 100;

interface Shown {
  readonly code: string | undefined;
  readonly lines: readonly string[];
}

/** What `kubectl ray why` prints after the situation has developed. */
async function play({ kind, spec, edit, stage: options, afterMs = 30_000 }: Situation): Promise<Shown> {
  const stage = await PreviewStage.open(options);
  try {
    const object: KubeObject & { readonly spec: unknown } = { metadata: { name: 'demo', namespace: NAMESPACE }, spec };
    await stage.client.create(TYPES[kind], object);
    await stage.settle(afterMs);
    if (edit !== undefined) {
      const live = await stage.client.get(TYPES[kind], { name: 'demo', namespace: NAMESPACE });
      const edited: typeof object = { ...live, spec: edit };
      await stage.client.update(TYPES[kind], edited);
      await stage.settle(afterMs);
    }
    const world = await stage.world();
    const { missingRights: _unasked, ...answer } = why(world, { kind, namespace: NAMESPACE, name: 'demo' });
    const style = { columns: COLUMNS, paint: (_: unknown, text: string) => text };
    return { code: answer.cause?.code, lines: whyLines({ ...answer, missingRights: [] }, style) };
  } finally {
    stage.close();
  }
}

const PAGE = `# What \`kubectl ray why\` says

Each example was produced by the operator on the embedded engine: a test plays the situation and compares the output with this page. The first line names the cause.
`;

describe('why, with the operator on the engine', () => {
  const shown = new Map<string, readonly string[]>();

  it.each(SITUATIONS.map((situation) => [situation.title, situation.code, situation] as const))(
    '%s: %s',
    async (title, code, situation) => {
      const answer = await play(situation);
      expect([answer.code, ...answer.lines]).toEqual([code, ...answer.lines]);
      expect(answer.lines[0]).toContain(`: ${code}: `);
      shown.set(title, answer.lines);
    },
  );

  it('docs/why.md has these outputs', async () => {
    const parts = [...shown].map(
      ([title, lines]) => `\n## ${title}\n\n\`\`\`text\n${lines.map((line) => line.trimEnd()).join('\n')}\n\`\`\`\n`,
    );
    await expect(`${PAGE}${parts.join('')}`).toMatchFileSnapshot('../../../docs/why.md');
  });
});
