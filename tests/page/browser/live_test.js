// SPDX-License-Identifier: Apache-2.0
//
// The page of a service, in a real browser. Figures are printed; bounds are those of issue 16.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { open_browser } from './browser.js';
import { Service } from './service.js';
import { violations } from './violations.js';

const copse = join(process.env.COPSE_BUILD_DIR, 'copse');
const source = process.env.COPSE_SOURCE_DIR;
const machine = (name) => join(source, 'examples/machines', name);
const kept = 'copse-token';

async function with_service(name, body) {
  const service = await Service.begin(copse, machine(name));
  try {
    await body(service);
  } finally {
    await service.end();
  }
}

async function with_browser(body) {
  const { context, close } = await open_browser();
  try {
    await body(context);
  } finally {
    await close();
  }
}

async function open(context, service, who, hash = '') {
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
const facts = (page) => page.locator('#facts').innerText();
async function until(what, words, seconds = 40) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    if (await what()) return;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${words}`);
    await new Promise((done) => { setTimeout(done, 100); });
  }
}

test('a token is asked for, and never in an address', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    const page = await open(context, service, null);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'log in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(service.tokens.gil);
    await page.getByRole('button', { name: 'log in' }).click();
    await page.locator('#nav-machine').waitFor();
    assert.match(await page.locator('.who').innerText(), /gil \(guest\)/);
    assert.ok(!page.requested.some((url) => url.includes(service.tokens.gil)), 'the token is in an address');
    assert.ok(page.requested.every((url) => url.startsWith(`${service.origin}/`)), `elsewhere: ${page.requested}`);
    // Another tab is nobody.
    const other = await open(context, service, null);
    await other.getByLabel('Token').waitFor();
  }));
});

test('a guest looks and changes nothing', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    const page = await open(context, service, 'gil', '#health');
    await page.getByText('All nodes are up.').waitFor();
    assert.equal(await page.locator('#health-node').count(), 0);
    assert.equal(await page.locator('#nav-try').count(), 0);
    const tried = await page.evaluate(async ([key]) => {
      const headers = { Authorization: `Bearer ${window.sessionStorage.getItem(key)}` };
      const asked = [['v1/nodes/node0', 'PATCH', '{"status": "drain"}'], ['v1/jobs', 'POST', '{"shape": "slot=1/core"}'], ['v1/page/try', 'POST', '{"shape": "slot=1/core"}']];
      return Promise.all(asked.map(async ([path, method, body]) => (await fetch(path, { method, body, headers })).status));
    }, [kept]);
    assert.deepEqual(tried, [403, 403, 403]);
    const owner = await open(context, service, 'olga', '#health');
    await owner.locator('#health-node').fill('node0');
    await owner.getByRole('button', { name: 'drain', exact: true }).click();
    await owner.getByText('1 node is down or drained.').waitFor();
    await page.getByText('1 node is down or drained.').waitFor();
    await until(async () => /1 down or drained/.test(await facts(page)), 'the node is counted');
  }));
});

test('live changes arrive, with names as they are', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    const page = await open(context, service, 'gil', '#queue');
    await page.locator('#nav-queue').waitFor();
    assert.match(await facts(page), /0 jobs run/);
    const name = '<img src=x onerror=alert(1)> \u202e…';
    await service.batch([
      { op: 'submit', id: 7, shape: 'slot=4/node', duration: 3600, name },
      { op: 'submit', id: 8, shape: 'slot=4/node', duration: 60, user: 'ada' }]);
    await until(async () => /1 jobs run/.test(await facts(page)) && /1 waits/.test(await facts(page)), 'the jobs are counted');
    await page.getByText(/needs 4 nodes/).first().waitFor();
    await page.goto(`${service.origin}/#job/7`);
    await until(async () => (await page.locator('#main').innerText()).includes('<img src=x'), 'the name is shown as text');
    assert.equal(await page.locator('#main img').count(), 0);
    await service.batch([{ op: 'end', id: 7 }]);
    await until(async () => /1 jobs run/.test(await facts(page)) && /0 wait/.test(await facts(page)), 'the second one runs');
    assert.deepEqual(page.problems, []);
  }));
});

test('the service is started again, and the page goes on', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    const page = await open(context, service, 'gil');
    await page.locator('#nav-machine').waitFor();
    await page.evaluate(() => { window.same_page = true; });
    await service.batch([{ op: 'submit', id: 1, shape: 'slot=1/node', duration: 3600 }]);
    await until(async () => /1 jobs run/.test(await facts(page)), 'the job runs');
    await service.stop('SIGKILL');
    await until(async () => /lost/.test(await page.locator('#connection').innerText()), 'the page says that it is alone');
    await service.start();
    await service.batch([{ op: 'submit', id: 2, shape: 'slot=1/node', duration: 3600 }]);
    await until(async () => /2 jobs run/.test(await facts(page)), 'both jobs run');
    await until(async () => /connected/.test(await page.locator('#connection').innerText()), 'it is connected');
    assert.equal(await page.evaluate(() => window.same_page), true);
  }));
});

test('what ran before the service was started again is in the schedule', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    await service.batch([{ op: 'submit', id: 7, shape: 'slot=3/node', duration: 3600, name: 'before it' }]);
    await until(async () => /"running"/.test((await service.ask('GET', 'jobs/7')).text), 'the job runs');
    await service.batch([{ op: 'end', id: 7 }]);
    await service.stop();
    await service.start();
    const page = await open(context, service, 'gil', '#schedule');
    await page.locator('details.twin summary').click();
    const row = page.locator('details.twin tbody tr');
    await until(async () => (await row.count()) === 1, 'the table has the job');
    assert.match(await row.innerText(), /before it[^]*done[^]*3/);
    assert.deepEqual(page.problems, []);
  }));
});

test('more jobs than the page keeps are seen as cells', async () => {
  await with_service('flat32.graphml', async (service) => with_browser(async (context) => {
    const jobs = Array.from({ length: 3400 }, (_, i) => i + 1);
    await service.batch(jobs.map((id) => ({ op: 'submit', id, shape: 'slot=1/core', duration: 60 })));
    await until(async () => JSON.parse((await service.ask('GET', 'page/state')).text).running === jobs.length, 'all run');
    await service.batch(jobs.map((id) => ({ op: 'end', id })));
    const page = await open(context, service, 'gil', '#schedule');
    await until(async () => page.requested.some((url) => url.includes('/v1/page/schedule?')), 'cells are asked for');
    await page.locator('details.twin summary').click();
    await page.getByText('More jobs are in the picture than can be listed').waitFor();
    assert.deepEqual(page.problems, []);
  }));
});

test('layers, live and in time', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    await service.batch([
      { op: 'add-layer', resource: 'power', mode: 2, nodes: 'node[0-3]', count: 10 },
      { op: 'add-layer', resource: 'power', nodes: 'node[0-1]', count: 8 },
      { op: 'submit', id: 1, shape: 'slot=4/node', duration: 1800, hres: 'power:3' },
      { op: 'submit', id: 2, shape: 'slot=4/node', duration: 3600, hres: 'power:5' }]);
    const page = await open(context, service, 'gil', '#layers');
    await page.locator('canvas').focus();
    await until(async () => {
      await page.keyboard.press('n');
      return /: 3 of 10 in use/.test(await page.locator('.live').innerText());
    }, 'the first job draws');
    await page.keyboard.press('ArrowDown');
    assert.match(await page.locator('.live').innerText(), /^node\[0-1\],.*: 3 of 8 in use/);
    await page.locator('details.twin summary').click();
    const planned = page.locator('details.twin tbody tr', { hasText: 'planned' }).first();
    await until(async () => /\b5\b[^]*\b3\b/.test(await planned.innerText()), 'the second job is forecast');
    await page.locator('canvas').focus();
    await page.keyboard.press('0');
    for (let i = 0; i < 60 && !/: 5 of 8/.test(await page.locator('.live').innerText()); ++i) await page.keyboard.press('ArrowRight');
    assert.match(await page.locator('.live').innerText(), /: 5 of 8 in use/);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.problems, []);
  }));
});

test('every live view is for everybody, light and dark', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    await service.batch([{ op: 'submit', id: 1, shape: 'slot=3/node', duration: 3600 }, { op: 'submit', id: 2, shape: 'slot=4/node', duration: 3600 }]);
    const nobody = await open(context, service, null);
    await nobody.getByLabel('Token').waitFor();
    const page = await open(context, service, 'ada', '#machine');
    await until(async () => /1 jobs run/.test(await facts(page)), 'the job is counted');
    for (const scheme of ['light', 'dark']) {
      await nobody.emulateMedia({ colorScheme: scheme });
      assert.deepEqual(await violations(nobody), [], `login, ${scheme}`);
      await page.emulateMedia({ colorScheme: scheme });
      for (const view of ['machine', 'schedule', 'queue', 'job/2', 'layers', 'try', 'health']) {
        await page.evaluate((hash) => { window.location.hash = hash; }, view);
        await page.locator('#main section').first().waitFor();
        if (view === 'try') {
          await page.locator('#try-shape').fill('slot=4/node');
          await page.locator('#try-go').click();
          await page.getByText(/Not now, but later/).waitFor();
        }
        assert.deepEqual(await violations(page), [], `${view}, ${scheme}`);
      }
    }
    assert.deepEqual(page.problems, []);
  }));
});

test('will it run?', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    await service.batch([{ op: 'submit', id: 1, shape: 'slot=3/node', duration: 3600 }, { op: 'submit', id: 2, shape: 'slot=4/node', duration: 3600 }]);
    const page = await open(context, service, 'ada', '#try');
    const attempt = async (shape, duration) => {
      await page.locator('#try-shape').fill(shape);
      await page.locator('#try-duration').fill(duration);
      await page.locator('#try-go').click();
      await until(async () => !/trying…/.test(await page.locator('#try-result').innerText()), 'there is an answer');
      return page.locator('#try-result').innerText();
    };
    assert.match(await attempt('slot=1/node', '10m'), /It would start now/);
    const later = await attempt('slot=1/node', '2h');
    assert.match(later, /Not now, but later/);
    assert.match(later, /What would help/);
    assert.match(await attempt('slot=5/node', '1h'), /Never, on this machine/);
    assert.match(await attempt('slot=', '1h'), /shape/);
    assert.match((await service.ask('GET', 'jobs')).text, /"id": 2, [^[]*"next"/);
  }));
});

// What a browser takes that knows nothing: compressed, as it asks for it.
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

// An hour's changes, at ten a second; COPSE_PAGE_CHANGES=360000 is one at a hundred. They come in batches
// that are told one by one: more than 300 jobs in half a second would be read as a whole.
const HOUR_CHANGES = Number(process.env.COPSE_PAGE_CHANGES || 36_000), HOUR_ROUNDS = 6, BATCH_JOBS = 50;

test('figures: 11,136 nodes and 10,000 jobs, and an hour of changes', async () => {
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
    const [, running, waiting] = /([\d,]+) jobs run\s+([\d,]+) wait/.exec(await facts(page)).map((text) => Number(text.replace(',', '')));
    assert.equal(running + waiting, 10_000);
    // Jobs come and are cancelled, one after the other.
    const session = await context.newCDPSession(page);
    // The least of some: a document that is being read is there for a moment.
    const heap = async () => {
      const used = [];
      for (let i = 0; i < 5; ++i) {
        await session.send('HeapProfiler.collectGarbage');
        used.push((await session.send('Runtime.getHeapUsage')).usedSize);
        await new Promise((done) => { setTimeout(done, 400); });
      }
      return Math.min(...used);
    };
    // The first forecast comes a while after the jobs: from then on nothing more is to be kept.
    const reads = () => page.evaluate(() => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/v1/page/jobs')).length);
    await until(async () => await reads() >= 2, 'the forecast is read', 150);  // a debug build on a busy computer
    const sizes = [];
    let next = 1_000_000;
    const began = Date.now();
    let told = 0;
    for (let round = 0; round < HOUR_ROUNDS; ++round) {
      for (let i = 0; i < HOUR_CHANGES / HOUR_ROUNDS / (2 * BATCH_JOBS); ++i) {
        const more = [];
        for (let k = 0; k < BATCH_JOBS; ++k) more.push({ op: 'submit', id: next + k, shape: 'slot=1/core', duration: 60 });
        await service.batch(more);
        await service.ask('POST', 'batch', more.map(({ id }) => JSON.stringify({ op: 'cancel', id })).join('\n'));
        next += BATCH_JOBS;
        told += 2 * BATCH_JOBS;
        await new Promise((done) => { setTimeout(done, 80); });
      }
      await new Promise((done) => { setTimeout(done, 1500); });
      sizes.push(await heap());
    }
    console.log(`memory of the tab, MB: ${sizes.map((size) => (size / 1e6).toFixed(1)).join(' ')}, after ${told} changes in ${((Date.now() - began) / 1000).toFixed(0)} s`);
    assert.ok(sizes.at(-1) < sizes[1] * 1.25, `it grows: ${sizes}`);
    assert.deepEqual(page.problems, []);
    assert.ok(page.requested.every((url) => url.startsWith(`${service.origin}/`)));
  }));
});
