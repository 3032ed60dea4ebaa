// SPDX-License-Identifier: Apache-2.0
//
// What axe-core finds wrong with a page for those who do not see it, or use no pointer.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export async function violations(page) {
  // The policy of the page lets no other script in; a debugger's evaluation is none of it.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(' | ').slice(0, 900)}`);
}
