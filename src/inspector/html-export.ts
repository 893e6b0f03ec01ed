import { createHash } from 'node:crypto';
import type { FeedLine } from './feed-lines.js';
import { packageVersion, pageFile } from './http/page-files.js';
import { envelopes } from './runs/envelopes.js';
import { FileText } from './runs/run-text.js';

export interface ExportedTape {
  readonly name: string;
  readonly path: string;
}

/** One file with the page and the recordings in it, which opens anywhere, and loads and sends nothing. */
export async function* htmlOf(title: string, tapes: readonly ExportedTape[]): AsyncGenerator<Buffer, void> {
  const [shell, script, style] = await Promise.all([textOf('/'), textOf('/page.js'), textOf('/page.css')]);
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const page = shell
    .replace(/<meta charset="utf-8">/i, (charset) => `${charset}\n    ${policyOf(code, style)}`)
    .replace(/<link [^>]*href="\/?page\.css"[^>]*>/, () => `<style>${style}</style>`);
  const [before = '', after = ''] = page.split(/<script [^>]*src="\/?page\.js"[^>]*><\/script>/);
  yield Buffer.from(`${before}<script type="application/x-ndjson" id="feed">\n`);
  yield* feedOf(title, tapes);
  yield Buffer.from(`</script>\n    <script>${code}</script>${after}`);
}

async function* feedOf(title: string, tapes: readonly ExportedTape[]): AsyncGenerator<Buffer, void> {
  yield lineOf({ feed: 'hello', tenon: packageVersion(), title, source: 'tape', control: false });
  for (const [index, { name, path }] of tapes.entries()) {
    const run = index + 1;
    yield lineOf({ feed: 'run', run, name });
    const text = new FileText(path);
    await text.grow(() => {});
    for await (const lines of text.read(0, text.length)) {
      yield Buffer.from(harmless(envelopes(run, lines.toString('latin1'))), 'latin1');
    }
  }
  yield lineOf({ feed: 'caught-up' });
}

function lineOf(line: FeedLine): Buffer {
  return Buffer.from(`${harmless(JSON.stringify(line))}\n`);
}

/** JSON has this character only in texts, where it may be written as an escape: nothing can end the element. */
function harmless(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

/** As strict as that of the server: only what is in this file runs. */
function policyOf(script: string, style: string): string {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy =
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
    "require-trusted-types-for 'script'; trusted-types lit-html";
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}

async function textOf(path: '/' | '/page.js' | '/page.css'): Promise<string> {
  return (await pageFile(path)).toString();
}
