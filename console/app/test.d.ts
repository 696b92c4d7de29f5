// What the tests use of Node.js, which the console itself does not know.

declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  const assert: {
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): void;
    throws(work: () => unknown, expected?: RegExp): void;
    rejects(work: Promise<unknown>, expected?: RegExp): Promise<void>;
  };
  export default assert;
}
