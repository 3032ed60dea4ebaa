// SPDX-License-Identifier: Apache-2.0
//
// Figures of the page of a service, in a real browser. They are printed; bounds are those of issue 16.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { facts, open, until, with_browser, with_service } from './live.js';

async function first_load_bytes(service) {
  const size = (path) => new Promise((done, failed) => {
    request(`${service.origin}${path}`, { headers: { 'Accept-Encoding': 'gzip' } }, (answer) => {
      let bytes = 0;
      const parts = [];
      answer.on('data', (piece) => { bytes += piece.length; parts.push(piece); });
      answer.on('end', () => done({ bytes, encoding: answer.headers['content-encoding'], policy: answer.headers['content-security-policy'], body: Buffer.concat(parts) }));
    }).on('error', failed).end();
  });
  const plain = await (await fetch(`${service.origin}/`)).text();
  const index = await size('/');
  let all = index.bytes;
  assert.equal(index.encoding, 'gzip');
  assert.match(index.policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
  for (const [, path] of plain.matchAll(/(?:src|href)="([^"#]+)"/g)) all += (await size(`/${path}`)).bytes;
  return all;
}

test('figures: bytes and changes', async () => {
  await with_service('medium.graphml', async (service) => {
    const bytes = await first_load_bytes(service);
    console.log(`first load without data: ${bytes} bytes`);
    assert.ok(bytes <= 100_000);
    const seconds = 10;
    const counted = service.stream_bytes(seconds * 1000);
    let id = 0;
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {  // ten times a second, five jobs begin and five end
      const began = Date.now();
      const lines = [];
      for (let i = 0; i < 5; ++i) lines.push({ op: 'submit', id: ++id, shape: 'slot=2/node', duration: 3600, user: `user${id % 7}` });
      if (id > 20) for (let i = 0; i < 5; ++i) lines.push({ op: 'end', id: id - 20 + i });
      await service.batch(lines);
      await new Promise((done) => { setTimeout(done, Math.max(0, 100 - (Date.now() - began))); });
    }
    const rate = (await counted) / seconds / 1000;
    console.log(`changes: ${(id * 2 / seconds).toFixed(0)} a second, ${rate.toFixed(1)} KB/s`);
    assert.ok(rate <= 50);
  });
});

// Changes of twenty minutes, at ten a second; COPSE_PAGE_CHANGES=36000 is an hour. They come in batches small enough
// that each is reported: more than 300 jobs in half a second would be read as a whole.
const CHANGES = Number(process.env.COPSE_PAGE_CHANGES || 12_000), ROUNDS = 6, BATCH_JOBS = 50;

test('figures: 11,136 nodes and 10,000 jobs, and twenty minutes of changes', async () => {
  await with_service('elcap.graphml', async (service) => with_browser(async (context) => {
    const lines = [];
    for (let id = 1; id <= 10_000; ++id) lines.push({ op: 'submit', id, shape: `slot=${1 + (id * 7) % 64}/node`, duration: 600 + (id * 37) % 7200, user: `user${id % 50}` });
    for (let i = 0; i < lines.length; i += 1000) await service.batch(lines.slice(i, i + 1000));
    const page = await open(context, service, 'gil');
    await page.locator('#nav-machine').waitFor({ timeout: 120_000 });
    const painted = await page.evaluate(() => new Promise((done) => {
      requestAnimationFrame(() => setTimeout(() => {
        const data = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/v1/page/') && !entry.name.includes('/events'));
        done({ last: Math.max(...data.map((entry) => entry.responseEnd)), bytes: data.reduce((sum, entry) => sum + entry.encodedBodySize, 0), paint: performance.getEntriesByName('copse-shown')[0]?.startTime ?? performance.now() });
      }));
    }));
    console.log(`first useful paint: ${(painted.paint - painted.last).toFixed(0)} ms after the response; data: ${painted.bytes} bytes`);
    assert.equal(await page.locator('canvas').count() > 0, true);
    const jobs_shown = async () => {
      const [, running, waiting] = /([\d,]+) jobs run\s+([\d,]+) wait/.exec(await facts(page)).map((text) => Number(text.replace(',', '')));
      return running + waiting;
    };
    assert.equal(await jobs_shown(), 10_000);
    // Jobs are submitted and cancelled, one after the other.
    const session = await context.newCDPSession(page);
    // The least of some: a document is in memory for a moment while it is read.
    const heap = async () => {
      const used = [];
      for (let i = 0; i < 3; ++i) {
        await session.send('HeapProfiler.collectGarbage');
        used.push((await session.send('Runtime.getHeapUsage')).usedSize);
        await new Promise((done) => { setTimeout(done, 200); });
      }
      return Math.min(...used);
    };
    // The first forecast comes a while after the jobs: from then on nothing more is to be kept.
    const reads = () => page.evaluate(() => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/v1/page/jobs')).length);
    await until(async () => await reads() >= 2, 'the forecast is read');
    const sizes = [];
    let next = 1_000_000;
    const began = Date.now();
    let changes = 0;
    for (let round = 0; round < ROUNDS; ++round) {
      for (let i = 0; i < CHANGES / ROUNDS / (2 * BATCH_JOBS); ++i) {
        const more = [];
        for (let k = 0; k < BATCH_JOBS; ++k) more.push({ op: 'submit', id: next + k, shape: 'slot=1/core', duration: 60 });
        await service.batch(more);
        await service.ask('POST', 'batch', more.map(({ id }) => JSON.stringify({ op: 'cancel', id })).join('\n'));
        next += BATCH_JOBS;
        changes += 2 * BATCH_JOBS;
        await new Promise((done) => { setTimeout(done, 80); });
      }
      // A job may have started before its cancellation, so the number that is left is not known.
      let shown = -1;
      await until(async () => {
        const before = shown;
        await new Promise((done) => { setTimeout(done, 1500); });
        shown = await jobs_shown();
        return shown === before;
      }, 'the page has the last change');
      sizes.push(await heap());
    }
    console.log(`memory of the tab, MB: ${sizes.map((size) => (size / 1e6).toFixed(1)).join(' ')}, after ${changes} changes in ${((Date.now() - began) / 1000).toFixed(0)} s`);
    assert.ok(sizes.at(-1) < sizes[1] * 1.25, `it grows: ${sizes}`);
    assert.deepEqual(page.problems, []);
    assert.ok(page.requested.every((url) => url.startsWith(`${service.origin}/`)));
  }));
});
