// SPDX-License-Identifier: Apache-2.0
//
// Services and pages for tests of the live page.
import { join } from 'node:path';
import { open_browser } from './browser.js';
import { Service } from './service.js';

const copse = join(process.env.COPSE_BUILD_DIR, 'copse');
const source = process.env.COPSE_SOURCE_DIR;
const machine = (name) => join(source, 'examples/machines', name);
export const kept = 'copse-token';

export async function with_service(name, body) {
  const service = await Service.begin(copse, machine(name));
  try {
    await body(service);
  } finally {
    await service.end();
  }
}

export async function with_browser(body) {
  const { context, close } = await open_browser();
  try {
    await body(context);
  } finally {
    await close();
  }
}

export async function open(context, service, who, hash = '') {
  const page = await context.newPage();
  page.requested = [];
  page.problems = [];
  page.on('request', (each) => page.requested.push(each.url()));
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') page.problems.push(message.text()); });
  if (who) await page.addInitScript(([key, token]) => { window.sessionStorage.setItem(key, token); }, [kept, service.tokens[who]]);
  await page.goto(`${service.origin}/${hash}`);
  return page;
}
export const facts = (page) => page.locator('#facts').innerText();
// Until the condition is true; the limit is for a test that fails, also on a busy computer.
export async function until(what, words, seconds = 600) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    if (await what()) return;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${words}`);
    await new Promise((done) => { setTimeout(done, 100); });
  }
}
