/** A clause as a sentence: a capital letter and a full stop, unless it begins with a name or already ends. */
export function sentence(text: string): string {
  const capital = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…:]$/.test(capital) || capital === '' ? capital : `${capital}.`;
}
