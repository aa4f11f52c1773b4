/** Whether a text can be the name of an object: then it is safe in a path. */
export function isName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text) && !text.includes('..');
}
