import { parseAst } from 'vitest/node';

/** A place where Node is given a callback: one exception in it would end the process. */
export interface Site {
  readonly line: number;
  /** The call, such as `on('data')` or `setInterval`. */
  readonly what: string;
  readonly isGuarded: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const SUBSCRIBE = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']);
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const GUARDS = new Set(['guard', 'guardCallback', 'guardConnection']);
/** Methods and functions that do not throw, whatever a connection is like; a callback of nothing else needs no guard. */
const HARMLESS = new Set([
  'abort',
  'add',
  'cancel',
  'clearInterval',
  'clearTimeout',
  'close',
  'delete',
  'destroy',
  'exit',
  'end',
  'kill',
  'off',
  'pause',
  'reject',
  'resolve',
  'resume',
  'terminate',
  'unref',
]);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function* children(node: Node): Generator<Node> {
  for (const value of Object.values(node))
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) yield each;
}

function* descendants(node: Node): Generator<Node> {
  yield node;
  for (const child of children(node)) yield* descendants(child);
}

/** The last part of what is called: `on` of `socket.on(…)`, `#read` of `this.#read(…)`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node['name']);
  return node.type === 'MemberExpression' ? nameOf(node['property']) : '';
}

const isFunction = ({ type }: Node) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression';

/** Finds every callback of a server, an emitter or a timer in a file. */
export function callbackSites(text: string): readonly Site[] {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const all = [...descendants(program)];
  const values = declaredValues(all);
  return all.flatMap((node) => {
    const found = node.type === 'CallExpression' ? callbackOf(node) : undefined;
    if (found === undefined) return [];
    const line = text.slice(0, node.start).split('\n').length;
    return [{ line, what: found.what, isGuarded: isGuarded(found.callback, values, 0) }];
  });
}

/** What names stand for in the file: constants, functions, fields and methods of classes. */
function declaredValues(all: readonly Node[]): ReadonlyMap<string, Node> {
  const values = new Map<string, Node>();
  for (const node of all) {
    const isValue = node.type === 'VariableDeclarator' || node.type === 'PropertyDefinition';
    const value = isValue ? (node['init'] ?? node['value']) : node.type === 'FunctionDeclaration' ? node : undefined;
    const name = nameOf(node['id'] ?? node['key']);
    if (isNode(value) && name !== '') values.set(name, value);
    // A field that the constructor sets.
    if (node.type === 'AssignmentExpression' && isNode(node['right']) && nameOf(node['left']) !== '')
      if (!values.has(nameOf(node['left']))) values.set(nameOf(node['left']), node['right']);
  }
  return values;
}

function callbackOf(call: Node): { readonly what: string; readonly callback: Node } | undefined {
  const name = nameOf(call['callee']);
  const args = (call['arguments'] as readonly unknown[]).filter(isNode);
  if (/^create\w*Server$/.test(name)) {
    const last = args.at(-1);
    const isCallback =
      last !== undefined && last.type !== 'ObjectExpression' && !/[Ll]imits$/.test(nameOf(last['callee']));
    return isCallback ? { what: name, callback: last } : undefined;
  }
  const isMethod = (call['callee'] as Node).type === 'MemberExpression';
  if (TIMERS.has(name) && !isMethod && args[0] !== undefined) return { what: name, callback: args[0] };
  // `socket.setTimeout(ms, callback)`
  if (name === 'setTimeout' && isMethod && !isPrivate(call)) return args[1] && { what: name, callback: args[1] };
  if (!isMethod) return undefined;
  const [event, callback] = args;
  if (!SUBSCRIBE.has(name) || event === undefined || callback === undefined) return undefined;
  const emitter = (call['callee'] as Node)['object'];
  // Signals and the end of the process are not connections.
  if (nameOf(emitter) === 'process') return undefined;
  const shown = event.type === 'Literal' ? `'${String(event['value'])}'` : nameOf(event);
  return { what: `${name}(${shown})`, callback };
}

function isPrivate(call: Node): boolean {
  return ((call['callee'] as Node)['property'] as Node).type === 'PrivateIdentifier';
}

function isGuarded(callback: Node, values: ReadonlyMap<string, Node>, depth: number): boolean {
  if (callback.type === 'CallExpression') return GUARDS.has(nameOf(callback['callee']));
  if (isFunction(callback) || callback.type === 'FunctionDeclaration') return isHarmless(callback, values, depth);
  if (callback.type === 'ConditionalExpression')
    return [callback['consequent'], callback['alternate']].every(
      (each) => isNode(each) && isGuarded(each, values, depth),
    );
  const name = nameOf(callback);
  if (HARMLESS.has(name)) return true;
  const value = values.get(name);
  return value !== undefined && depth < 3 && isGuarded(value, values, depth + 1);
}

/** Whether a function only calls what does not throw. */
function isHarmless(callback: Node, values: ReadonlyMap<string, Node>, depth: number): boolean {
  const body = callback['body'];
  if (!isNode(body) || callback['async'] === true) return false;
  return [...descendants(body)].every((node) => {
    if (node.type === 'ThrowStatement' || node.type === 'AwaitExpression' || node.type === 'TaggedTemplateExpression')
      return false;
    if (node.type === 'NewExpression') return /^(Error|Set|Map)$/.test(nameOf(node['callee']));
    if (node.type !== 'CallExpression') return true;
    const name = nameOf(node['callee']);
    if (HARMLESS.has(name) || GUARDS.has(name)) return true;
    const value = values.get(name);
    return value !== undefined && depth < 3 && isGuarded(value, values, depth + 1);
  });
}
