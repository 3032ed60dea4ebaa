// SPDX-License-Identifier: Apache-2.0
//
// The page as one file, as src/page/page_file.cpp writes it: of documents, and the files that the build
// made (page.js, page.sums). tests/page/page_file_test.cpp compares both.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function page_html(source_dir, made_dir, title, documents) {
  const read = (dir, name) => readFileSync(join(dir, name), 'utf8');
  const sums = Object.fromEntries(read(made_dir, 'page.sums').trim().split('\n').map((line) => line.split(' ')));
  const blocks = Object.entries(documents).map(([name, doc]) =>
    `<script type="application/json" id="copse-${name}">${JSON.stringify(doc).replaceAll('<', '\\u003c')}</script>\n`).join('');
  const escaped = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  return read(join(source_dir, 'src/page/web'), 'index.html')
    .replace('<!-- policy -->', () => `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${sums['page.js']}'; ` +
      `style-src '${sums['style.css']}'; base-uri 'none'; form-action 'none'">`)
    .replace('<title>Copse</title>', () => `<title>${escaped}</title>`)
    .replace('<link rel="stylesheet" href="style.css">', () => `<style>${read(join(source_dir, 'src/page/web'), 'style.css')}</style>`)
    .replace('<script type="module" src="app.js"></script>', () => `${blocks}<script type="module">${read(made_dir, 'page.js')}</script>`);
}
