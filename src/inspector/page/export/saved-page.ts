export interface PageParts {
  readonly script: string;
  readonly style: string;
  /** Lines of a feed. */
  readonly feed: string;
  readonly title: string;
}

/**
 * One document with everything inside. Its policy lets only this script and this style through, whatever the feed says;
 * nothing can be loaded or sent.
 */
export async function savedPage({ script, style, feed, title }: PageParts): Promise<string> {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${await digest(script)}'`,
    `style-src 'sha256-${await digest(style)}'`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} – Tenon inspector</title>
${element('style', 'id="style"', style)}
</head>
<body>
<div id="page"></div>
${element('script', 'type="application/x-ndjson" id="feed"', inScript(feed))}
${element('script', 'id="script"', script)}
</body>
</html>
`;
}

/** Not written out: the text of this very script stands in such an element, and must not have the end of it inside. */
function element(name: string, attributes: string, content: string): string {
  return `<${name} ${attributes}>${content}</${name}>`;
}

/** JSON in which no text can end the element that it stands in. */
function inScript(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
