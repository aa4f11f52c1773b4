/** A value is not of the kind that its Go type can hold; the message is the one that Go's decoder would give. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
