/** Whether a text is an error of a Kubernetes API server, which may stand between us and a head, and not of the head itself. */
export function isKubernetesStatus(text: string): boolean {
  return /^\s*\{\s*"kind"\s*:\s*"Status"/.test(text);
}
