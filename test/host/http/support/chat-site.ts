/** The page of test/chat, with a host behind it, on one server. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Host, toNodeHandler } from '../../../../src/host/index.js';
import { listening, type Served } from './served.js';

const folder = fileURLToPath(new URL('../../../chat', import.meta.url));
const packages = join(folder, 'node_modules');

/**
 * By the line of `@ai-sdk/react`: the package itself, and the `ai` that it uses. After a broken connection the hook of the older
 * line shows what it had already once more when it resumes (it does not pass on that the stream begins anew).
 */
export const PAGE_LINES = [
  {
    name: 'AI SDK 7',
    react: join(packages, 'react-v4'),
    ai: join(packages, 'react-v4/node_modules/ai'),
    resumes: true,
  },
  { name: 'AI SDK 6', react: join(packages, 'react-v3'), ai: join(packages, 'ai'), resumes: false },
] as const;

export async function bundledPage({ react, ai }: (typeof PAGE_LINES)[number]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'page.mjs')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    alias: { '@ai-sdk/react': react, ai },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

const HTML =
  '<!doctype html><meta charset="utf-8"><title>Chat</title><body><script type="module" src="/page.js"></script>';

/** Who has loaded the page is known by a cookie. */
export function chatSite(host: Host, page: string): Promise<Served> {
  const handle = toNodeHandler(
    host.handler({
      basePath: '/agent',
      authorize: (request) =>
        request.headers.get('cookie')?.includes('user=acme') ? { tenant: 'acme' } : null,
    }),
  );
  return listening((incoming, outgoing) => {
    if (incoming.url?.startsWith('/agent/')) return void handle(incoming, outgoing);
    const isScript = incoming.url === '/page.js';
    const type = isScript ? 'text/javascript' : 'text/html';
    outgoing.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'set-cookie': 'user=acme; HttpOnly',
    });
    outgoing.end(isScript ? page : HTML);
  });
}
