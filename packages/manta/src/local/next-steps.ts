/** What the user of a local engine needs for the next steps. */
export interface NextStepsInput {
  readonly kubeconfig: string;
  readonly logFile: string | undefined;
  /** The data directory, unless it is the usual one. */
  readonly dataDir?: string | undefined;
  /** What Ctrl-C does with the engine's objects. */
  readonly onStop: string;
}

/** The last words of `manta up` and `npm start`: what to type next. */
export function nextSteps({ kubeconfig, logFile, dataDir, onStop }: NextStepsInput): string {
  const status = `bin/manta status${dataDir === undefined ? '' : ` --data-dir=${dataDir}`}`;
  return `
Next steps, from another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl apply -f samples/raycluster.yaml     create a cluster
  bin/kubectl-ray status                       show what runs, and what is wrong
  bin/kubectl-ray why raycluster/sample        explain why it is not ready
  bin/kubectl-ray logs raycluster/sample -f    follow the logs of its pods
  ${status.padEnd(43)}  show this engine, its Ray dashboards, pods, free CPUs and memory

${logFile === undefined ? '' : `Log: ${logFile}\n`}Ctrl-C stops everything; ${onStop}.`;
}
