/** Something that keeps the operator from starting and that its user can change. The message is the whole story, in one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
