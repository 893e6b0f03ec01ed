/**
 * `node --import …/node-20.mjs`: lets the conformance suite load on Node 20. One of its commands, which is not for
 * servers, imports `globSync` of `fs`, which Node has since version 22; a missing name stops the whole program.
 */
import { register } from 'node:module';

const withGlobSync = `
  export * from 'node:fs';
  export const globSync = () => { throw new Error('fs.globSync needs Node 22'); };
`;
const hooks = `
  const shim = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(withGlobSync)}`)};
  export async function resolve(specifier, context, next) {
    return specifier === 'fs' ? { url: shim, shortCircuit: true } : next(specifier, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
