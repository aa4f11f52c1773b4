import { readFileSync, writeFileSync } from 'node:fs';
import { execSync } from 'node:child_process';
import { pause } from './support/clients.ts';
import { onClusterStage } from './support/cluster-stage.ts';
import { startOperator } from './support/operators.ts';
import { benchClusters } from './support/ray-clusters.ts';
const [cmd = '', label = ''] = process.argv.slice(2);
await onClusterStage({ readyMs: 1000 } as never, async (stage) => {
  const first = await startOperator(stage.plane, { name: 'manta', command: cmd.split(' ') });
  await pause(1500);
  const pid = execSync(`pgrep -f "operator.*metrics-addr" | head -5`).toString().trim().split('\n')[0];
  let best = 0;
  const timer = setInterval(() => {
    try {
      const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      if (rss > best + 512) { best = rss; writeFileSync(`/tmp/smaps-${label}`, readFileSync(`/proc/${pid}/smaps`, 'utf8')); }
    } catch {}
  }, 100);
  const t = performance.now();
  await stage.makeReady(benchClusters(1000, 3));
  const wall = (performance.now() - t) / 1000;
  clearInterval(timer);
  console.log(label, 'wall', wall.toFixed(1), 'peak', first.peakMiB().toFixed(1), 'cpu', first.cpuSeconds(), 'sampled', (best / 1024).toFixed(1));
  await first.stop();
});
process.exit(0);
