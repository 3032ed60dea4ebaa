// SPDX-License-Identifier: Apache-2.0
//
// Debian's chromium, started so that it opens no connections of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

// {context, close}: with a new profile, which close() removes.
export async function open_browser() {
  const folder = mkdtempSync(join(tmpdir(), 'copse-page-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.COPSE_CHROMIUM || '/usr/bin/chromium',
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  context.setDefaultTimeout(150_000);  // a busy computer
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, close };
}
