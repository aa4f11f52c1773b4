const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e\x80-\xff]+$/;

/** Can this be the name of a header, or a method? */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Can this be the value of a header? Nothing that ends a line is in it, nor anything beyond one byte. */
export function isFieldValue(text: string): boolean {
  return VALUE.test(text);
}

/** Can this be part of what a request asks for? It ends at the first space. */
export function isTarget(text: string): boolean {
  return TARGET.test(text);
}
