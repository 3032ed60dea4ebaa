// SPDX-License-Identifier: Apache-2.0
//
// Every view in a real browser, with machines of 4, 1,152 and 11,136 nodes. Figures are printed, not judged.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { open_browser } from './browser.js';
import { HOSTILE, hostile_plan, plan_of } from './documents.js';
import { page_html } from './page_html.js';
import { LayerLoads } from '../../../src/page/web/layer_loads.js';
import { Jobs, Machine } from '../../../src/page/web/model.js';
import { violations } from './violations.js';

const SOURCE = process.env.COPSE_SOURCE_DIR;
const MADE = join(process.env.COPSE_BUILD_DIR, 'page');
const VIEWS = ['machine', 'schedule', 'queue', 'job', 'layers'];
// What chromium says of pixels that a test reads back.
const PROBED = 'Canvas2D: Multiple readback operations';
const SIZES = [[4, 4, 40], [1152, 18, 3000], [11136, 128, 10000]];

let browser, page, folder;
const files = new Map();
let asked = [];   // for on the network
let wrong = [];   // that the page said of itself

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'copse-page-files-'));
  browser = await open_browser();
  page = await browser.context.newPage();
  page.on('request', (request) => { if (!request.url().startsWith('file://')) asked.push(request.url()); });
  page.on('pageerror', (error) => wrong.push(error.stack));
  page.on('console', (message) => { if (/error|warning/.test(message.type()) && !message.text().startsWith(PROBED)) wrong.push(message.text()); });
  for (const [nodes, a_rack, jobs] of SIZES) write(String(nodes), plan_of(nodes, a_rack, jobs));
  write('hostile', hostile_plan());
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name, documents) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, page_html(SOURCE, MADE, documents.about.title, documents));
  files.set(name, { url: pathToFileURL(file).href, documents });
}

async function open(name, view, size = { width: 1280, height: 800 }) {
  wrong = [];
  asked = [];
  await page.setViewportSize(size);
  await page.goto('about:blank');
  await page.goto(`${files.get(name).url}#${view}`);
  await page.waitForSelector('h2');
  await settled();
}

// Two frames: what was asked for has been drawn.
const settled = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

function nothing_wrong() {
  assert.deepEqual(wrong, []);
  assert.deepEqual(asked, []);
}

// How many colours a part of a canvas has, and the share of its most frequent one.
const probe = (left = 0, top = 0, right = 1, bottom = 1) => page.evaluate(([l, t, r, b]) => {
  const canvas = document.querySelector('canvas');
  const [x, y] = [Math.floor(canvas.width * l), Math.floor(canvas.height * t)];
  const { data } = canvas.getContext('2d').getImageData(x, y, Math.ceil(canvas.width * (r - l)), Math.ceil(canvas.height * (b - t)));
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  const [most] = [...counts.entries()].sort((p, q) => q[1] - p[1]);
  return { colours: counts.size, most: '#' + most[0].toString(16).padStart(6, '0'), share: most[1] / (data.length / 4) };
}, [left, top, right, bottom]);

const pixel_at = (x, y) => page.evaluate(([px, py]) => {
  const canvas = document.querySelector('canvas');
  const ratio = canvas.width / canvas.clientWidth;
  return [...canvas.getContext('2d').getImageData(Math.round(px * ratio), Math.round(py * ratio), 1, 1).data].slice(0, 3);
}, [x, y]);

for (const [nodes] of SIZES) {
  for (const view of VIEWS) {
    test(`${view}, ${nodes} nodes: shows, nothing wrong, nobody asked, light and dark`, async () => {
      for (const scheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: scheme });
        await open(String(nodes), view);
        if (view === 'machine' || view === 'schedule' || view === 'layers') {
          const whole = await probe();
          assert.ok(whole.colours > 4, `${whole.colours} colours`);
          assert.ok(whole.share < 0.97);
        }
        if (view === 'machine') await page.locator('canvas').click({ position: { x: 40, y: 60 } });
        if (view === 'job') {
          await page.fill('input[type=search]', '1');
          await page.locator('.found a').first().click();
          await page.waitForSelector('ol.life li');
        }
        if (view === 'queue') assert.ok((await page.locator('tbody tr').count()) > 0);
        if (view === 'layers') assert.equal(await page.locator('.view > .table tbody tr').count(), 21);
        for (const twin of await page.locator('details.twin summary').all()) {
          await twin.click();
          await page.waitForSelector('details.twin tbody tr');
        }
        assert.deepEqual(await violations(page), []);
        nothing_wrong();
      }
      await page.emulateMedia({ colorScheme: 'light' });
    });
  }
}

test('a phone: nothing is wider than the screen', async () => {
  for (const view of VIEWS) {
    await open('1152', view, { width: 360, height: 740 });
    const [scrolled, width] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(scrolled <= width, `${view}: ${scrolled} of ${width}`);
    assert.deepEqual(await violations(page), []);
    nothing_wrong();
  }
});

test('the map has the colour of each node\'s state, and a click tells which node it is', async () => {
  await open('4', 'machine');
  const box = await page.locator('canvas').boundingBox();
  await page.mouse.click(box.x + 40, box.y + 90);
  await page.waitForSelector('.panel h3');
  assert.equal(await page.locator('.panel h3').textContent(), 'node0');
  assert.match(await page.locator('.panel').textContent(), /core: \d+ of 8 free/);
  await page.selectOption('select', 'free 4');
  await settled();
  const free = await pixel_at(40, 110);
  await page.selectOption('select', 'job');
  await settled();
  assert.notDeepEqual(await pixel_at(40, 110), free);
  nothing_wrong();
});

test('keys go over the map, and what they meet is said', async () => {
  await open('1152', 'machine');
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match(await page.locator('.live').textContent(), /^node1: /);
  await page.keyboard.press('End');
  assert.match(await page.locator('.live').textContent(), /^node1151: /);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.panel h3').textContent(), 'node1151');
  nothing_wrong();
});

test('finding marks nodes, and pales the others', async () => {
  await open('1152', 'machine');
  const before_it = await probe();
  await page.fill('input[type=search]', 'node115');
  await settled();
  assert.match(await page.locator('.found').textContent(), /^3 nodes$/);  // 115, 1150, 1151
  assert.notDeepEqual(await probe(), before_it);
  nothing_wrong();
});

test('the schedule: now, plans striped, zoom by keys, wheel and presets', async () => {
  await open('11136', 'schedule');
  const past = await probe(0.2, 0.2, 0.4, 0.7);
  assert.ok(past.colours > 50);
  await page.locator('canvas').focus();
  const told = async () => (await page.locator('.live').textContent()).split(',')[1];
  await page.keyboard.press('ArrowDown');
  const now = await told();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await told(), now);
  const before_it = await probe();
  const box = await page.locator('canvas').boundingBox();
  await page.mouse.move(box.x + 600, box.y + 200);
  await page.mouse.wheel(0, -400);
  await settled();
  assert.notDeepEqual(await probe(), before_it);
  await page.getByRole('button', { name: '1 h', exact: true }).click();
  await settled();
  await page.getByRole('button', { name: 'all', exact: true }).click();
  nothing_wrong();
});

test('where free nodes lie is told, and drawn below the schedule of a machine with levels', async () => {
  await open('1152', 'machine');
  assert.match(await page.locator('.pieces').textContent(), /^rack: at most \d+ of [\d,]+ free nodes? in one, fragmentation (< |> )?\d+ %$/);
  await open('1152', 'schedule');
  assert.match(await page.locator('.legend').textContent(), /fragmentation, the share of free nodes outside of the rack with the most/);
  const strip = await probe(0.2, 0.96, 0.9, 0.99);
  assert.ok(strip.colours > 1);
  await open('4', 'machine');
  assert.equal(await page.locator('.pieces li').count(), 0);
  await open('4', 'schedule');
  assert.doesNotMatch(await page.locator('.legend').textContent(), /fragmentation/);
  nothing_wrong();
});

test('a job chosen in the schedule has its whole life told', async () => {
  await open('4', 'schedule');
  const box = await page.locator('canvas').boundingBox();
  for (let x = 100; x < 700 && /^Choose/.test(await page.locator('p.life').textContent()); x += 40) {
    await page.mouse.click(box.x + x, box.y + 60);
    await settled();
  }
  assert.match(await page.locator('p.life').textContent(), /submitted .* ago, started .* on \d+ nodes?/);
  await page.getByRole('button', { name: 'show all jobs again' }).click();
  assert.match(await page.locator('p.life').textContent(), /^Choose a job/);
  nothing_wrong();
});

test('layers in time: keys, words, the table and the tree agree', async () => {
  await open('1152', 'layers');
  await page.locator('canvas').focus();
  await page.keyboard.press('n');
  const words = await page.locator('.live').textContent();
  const used = /: ([\d,]+) of ([\d,]+) in use/.exec(words);
  assert.ok(used, words);
  const root = page.locator('.view > .table tbody tr').first();
  assert.deepEqual((await root.locator('td').allTextContents()).slice(3, 5), [used[2], used[1]]);
  await page.locator('details.twin summary').click();
  const now = page.locator('details.twin tbody tr', { hasText: /now/ });
  while ((await now.count()) === 0) await page.locator('details.twin button', { hasText: 'next' }).click();
  assert.equal(await now.locator('td').nth(2).textContent(), used[1]);
  // Another layer, another time; Enter looks at the plan then.
  await page.locator('canvas').focus();
  await page.keyboard.press('ArrowDown');
  assert.match(await page.locator('.live').textContent(), /^node\[0-287\],/);
  for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowLeft');
  const before_it = await page.locator('#clock output').textContent();
  const then = /: ([\d,]+) of/.exec(await page.locator('.live').textContent());
  await page.keyboard.press('Enter');
  await settled();
  assert.notEqual(await page.locator('#clock output').textContent(), before_it);
  assert.equal(await page.locator('.view > .table tbody tr').nth(1).locator('td').nth(4).textContent(), then[1]);
  await page.selectOption('select', 'licence');
  await page.keyboard.press('Tab');
  assert.equal(await page.locator('.view > .table tbody tr').count(), 1);
  nothing_wrong();
});

// What the page makes of the draws of jobs is what the engine has at that time.
test('loads of layers in a page of a plan are those of its engine', () => {
  const [file, hres] = [join(folder, 'hres.html'), join(folder, 'hres.yaml')];
  writeFileSync(hres, `
- resource: power
  mode: MODE_3
  layers:
    - {nodes: "node[0-1]", count: 40, base: [{name: fans, value: 2}]}
    - {nodes: "node[2-3]", count: 40}
    - {nodes: "node[0-3]", count: 60}
- resource: licence
  mode: MODE_1
  layers:
    - {nodes: "node[0-3]", count: 3}
`);
  for (const at of ['0', '900', '5000', '20000']) {
    execFileSync(join(process.env.COPSE_BUILD_DIR, 'copse'), ['plan', '-L', 'examples/machines/desk.graphml', '--hres', hres, '--hres-request', 'power:9,licence:1',
      '--generate', '60', '--summary', '--page', file, '--page-at', at], { cwd: SOURCE, stdio: 'pipe' });
    const text = readFileSync(file, 'utf8');
    const document_of = (name) => JSON.parse(text.split(`id="copse-${name}">`)[1].split('</script>')[0]);
    const layers = document_of('layers');
    assert.equal(layers.layers.length, 4);
    const loads = new LayerLoads(new Jobs(document_of('jobs'), new Machine(document_of('machine'))), layers, []);
    for (const layer of layers.layers) {
      assert.deepEqual(loads.at(layer.number, layers.at), { used: layer.used, kept: layer.held }, `${layer.nodes} at ${at}`);
    }
    assert.ok(layers.layers.every((layer) => Math.max(...loads.steps(layer.number).used) > 0));
  }
});

test('a plan is looked at at any time', async () => {
  await open('1152', 'machine');
  const facts = await page.locator('#facts').textContent();
  await page.locator('#clock input').fill('0');
  await settled();
  assert.notEqual(await page.locator('#facts').textContent(), facts);
  await page.getByRole('button', { name: 'the next change' }).click();
  assert.notEqual(await page.locator('#clock output').textContent(), '00:00:00');
  nothing_wrong();
});

test('the queue has reasons, and filters', async () => {
  await open('1152', 'queue');
  const all = await page.locator('.lead').textContent();
  await page.getByLabel('Cause').selectOption('order');
  assert.notEqual(await page.locator('.lead').textContent(), all);
  await page.fill('input[type=search]', 'no such job at all');
  assert.match(await page.locator('.pages').textContent(), /^no job/);
  nothing_wrong();
});

test('hostile names are shown as text, exactly', async () => {
  for (const view of VIEWS) {
    await open('hostile', view);
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(await violations(page), []);
    nothing_wrong();
  }
  for (const [name, text] of Object.entries(HOSTILE)) {
    if (name === 'control') continue;  // HTML has no way to show a NUL
    await open('hostile', `job/${encodeURIComponent(text.slice(0, 2000))}`);
    if (text.length > 2000) continue;
    assert.equal(await page.locator('h3 bdi').textContent(), text, name);
    assert.equal(await page.locator('dd code bdi').first().textContent(), text, name);
  }
  await open('hostile', 'machine');
  await page.locator('canvas').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.panel h3 bdi').textContent(), HOSTILE.markup);
});

test('ids beyond 2^53 are told apart', async () => {
  for (const id of ['9007199254740992', '9007199254740993', '18446744073709551615']) {
    await open('hostile', `job/${id}`);
    assert.equal(await page.locator('h3 bdi').textContent(), id);
  }
  await open('hostile', 'queue');
  assert.match(await page.locator('tbody').textContent(), /9007199254740993/);
});

test('on paper it is light, whatever it is on the screen', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const view of ['machine', 'schedule', 'layers']) {
    await open('1152', view);
    const edge = [2, 2];
    assert.notDeepEqual(await pixel_at(...edge), [255, 255, 255]);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    assert.deepEqual(await pixel_at(...edge), [255, 255, 255], view);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.notDeepEqual(await pixel_at(...edge), [255, 255, 255]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
});

test('print: controls are gone, the contents are there', async () => {
  await open('1152', 'queue');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.tools').isVisible(), false);
  assert.equal(await page.locator('table').isVisible(), true);
  await page.emulateMedia({ media: 'screen' });
});

test('figures', async (t) => {
  await open('11136', 'machine');
  const drawn = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    return performance.getEntriesByName('copse-drawn')[0].startTime - navigation.responseEnd;
  });
  await open('11136', 'schedule');
  const frames = await page.evaluate(async () => {
    const canvas = document.querySelector('canvas');
    const box = canvas.getBoundingClientRect();
    const times = [];
    let last = await new Promise(requestAnimationFrame);
    for (let i = 0; i < 120; ++i) {
      const deltaY = i % 60 < 30 ? -60 : 60;
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, clientX: box.left + 700, clientY: box.top + 200, cancelable: true }));
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b)[60];
  });
  const code = ['page.js'].map((name) => readFileSync(join(MADE, name)))
    .concat(['index.html', 'style.css'].map((name) => readFileSync(join(SOURCE, 'src/page/web', name))));
  const packed = code.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
  t.diagnostic(`11,136 nodes, 10,000 jobs: first map ${drawn.toFixed(0)} ms after the response; ` +
    `zooming the schedule ${(1000 / frames).toFixed(0)} frames a second (median); code ${packed} bytes, gzip`);
  assert.ok(packed <= 100 * 1024, `${packed}`);
  nothing_wrong();
});
