// @ts-check
/** `npm run docs:api`: writes `docs/api` anew; `--to <folder>` another one. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiReference } from './lib/api-reference.mjs';

const root = resolve(join(import.meta.dirname, '..'));
const { values } = parseArgs({ options: { to: { type: 'string', default: join(root, 'docs', 'api') } } });
const pages = await apiReference(root);
rmSync(values.to, { recursive: true, force: true });
mkdirSync(values.to, { recursive: true });
for (const [name, text] of pages) writeFileSync(join(values.to, name), text);
console.log(`${pages.size} pages in ${values.to}`);
