/** What a browser loads to show the page (R57). */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = (name: string) =>
  readFileSync(new URL(`../../dist/inspector/page/${name}`, import.meta.url), 'utf8');

it('the page weighs at most 60 kB, compressed (R57)', () => {
  const weight = ['index.html', 'page.css', 'page.js'].reduce(
    (sum, name) => sum + gzipSync(built(name)).length,
    0,
  );
  expect(weight).toBeGreaterThan(10_000);
  expect(weight).toBeLessThanOrEqual(60_000);
});

it('the page has neither scripts nor styles in its document, and loads nothing from elsewhere (inspector check 13)', () => {
  const document = built('index.html');
  expect(document).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  expect([...document.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)).toEqual([
    'page.css',
    'page.js',
  ]);
  expect(built('page.css')).not.toMatch(/url\(|@import|@font-face/);
});

it('the script can stand inside a document: nothing in it ends its element', () => {
  expect(built('page.js')).not.toMatch(/<\/?script|<!--(?!\?)/i);
});
