/**
 * A picture of everything built into the JavaScript engine that a script could try to reach: own keys, descriptors and
 * prototypes of all globals and of what they hold.
 */

/** Describes every object reachable from `globalThis` through own properties, in a stable order. */
export function pictureIntrinsics(): string[] {
  const seen = new Map<object, string>();
  const picture: string[] = [];
  const queue: [object, string][] = [[globalThis, 'globalThis']];
  for (const hidden of hiddenPrototypes()) queue.push(hidden);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [object, path] = next;
    if (seen.has(object)) continue;
    seen.set(object, path);
    picture.push(`${path} extensible=${Object.isExtensible(object)}`);
    const prototype: unknown = Object.getPrototypeOf(object);
    if (isObject(prototype)) queue.push([prototype, `${path}.[[Prototype]]`]);
    for (const key of Reflect.ownKeys(object)) {
      const at = `${path}.${String(key)}`;
      const descriptor = Object.getOwnPropertyDescriptor(object, key)!;
      picture.push(`${at} ${flags(descriptor)} ${describeValue(descriptor.value)}`);
      // What the test runner and Node keep under their own names changes on its own.
      if (path === 'globalThis' && !isLanguageGlobal(key)) continue;
      for (const part of [descriptor.value, descriptor.get, descriptor.set]) {
        if (isObject(part)) queue.push([part, at]);
      }
    }
  }
  return picture;
}

const LANGUAGE = new Set(
  `Object Function Array Number Boolean String Symbol BigInt Math JSON Reflect Proxy Promise Map Set WeakMap WeakSet WeakRef
   RegExp Date Error RangeError TypeError SyntaxError EvalError ReferenceError URIError AggregateError ArrayBuffer
   SharedArrayBuffer DataView Atomics Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
   Float32Array Float64Array BigInt64Array BigUint64Array FinalizationRegistry Intl eval isFinite isNaN parseFloat parseInt
   decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape`.split(/\s+/),
);

function isLanguageGlobal(key: string | symbol): boolean {
  return typeof key === 'string' && LANGUAGE.has(key);
}

/** Prototypes that no global names. */
function hiddenPrototypes(): [object, string][] {
  const generator = Object.getPrototypeOf(function* () {}) as object;
  const asyncFunction = Object.getPrototypeOf(async () => {}) as object;
  const asyncGenerator = Object.getPrototypeOf(async function* () {}) as object;
  const arrayIterator = Object.getPrototypeOf([][Symbol.iterator]()) as object;
  const mapIterator = Object.getPrototypeOf(new Map()[Symbol.iterator]()) as object;
  const typedArray = Object.getPrototypeOf(Uint8Array) as object;
  return Object.entries({
    generator,
    asyncFunction,
    asyncGenerator,
    arrayIterator,
    mapIterator,
    typedArray,
  }).map(([name, object]) => [object, name]);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function flags({ writable, enumerable, configurable, get, set }: PropertyDescriptor): string {
  return `${writable ? 'w' : '-'}${enumerable ? 'e' : '-'}${configurable ? 'c' : '-'}${get ? 'g' : '-'}${set ? 's' : '-'}`;
}

function describeValue(value: unknown): string {
  if (typeof value === 'function') return `function ${value.name}/${value.length}`;
  return isObject(value) ? 'object' : typeof value;
}

/** Freezes everything the picture shows, as a hardened host would do before it runs foreign scripts. */
export function freezeIntrinsics(): void {
  const seen = new Set<object>();
  const queue: object[] = hiddenPrototypes().map(([object]) => object);
  for (const key of LANGUAGE) {
    const value: unknown = Reflect.get(globalThis, key);
    if (isObject(value)) queue.push(value);
  }
  for (let object = queue.pop(); object !== undefined; object = queue.pop()) {
    if (seen.has(object)) continue;
    seen.add(object);
    const prototype: unknown = Object.getPrototypeOf(object);
    if (isObject(prototype)) queue.push(prototype);
    for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(object))) {
      for (const part of [descriptor.value, descriptor.get, descriptor.set])
        if (isObject(part)) queue.push(part);
    }
  }
  for (const object of seen) Object.freeze(object);
}
