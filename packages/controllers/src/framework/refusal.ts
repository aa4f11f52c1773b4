/** Whether a call was refused because the object is not there. */
export function isNotFound(error: unknown): boolean {
  return hasReason(error, 'NotFound');
}

/** Whether a call was refused because an object of that name is there already. */
export function isAlreadyExists(error: unknown): boolean {
  return hasReason(error, 'AlreadyExists');
}

function hasReason(error: unknown, reason: string): boolean {
  return typeof error === 'object' && error !== null && 'reason' in error && error.reason === reason;
}
