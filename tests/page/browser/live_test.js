// SPDX-License-Identifier: Apache-2.0
//
// The page of a service, in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts, kept, open, until, with_browser, with_service } from './live.js';
import { violations } from './violations.js';

test('a token is asked for, and never in an address', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    const page = await open(context, service, null);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'log in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(service.tokens.gil);
    await page.getByRole('button', { name: 'log in' }).click();
    await page.locator('#nav-machine').waitFor();
    assert.match(await page.locator('.caller').innerText(), /gil \(guest\)/);
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
    await page.getByText(/waits for 4 of \d free nodes/).first().waitFor();
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

test('the fragmentation of racks is below the schedule', async () => {
  await with_service('nine-racks.graphml', async (service) => with_browser(async (context) => {
    await service.batch([{ op: 'submit', id: 1, shape: 'slot=16/node', duration: 3600 }]);
    await until(async () => JSON.parse((await service.ask('GET', 'page/fragmentation')).text).time.length > 0, 'the service looked at the nodes');
    const page = await open(context, service, 'gil', '#schedule');
    await page.getByText('below: fragmentation, the share of free nodes outside of the rack with the most').waitFor();
    await page.locator('canvas').focus();
    // Below the nodes of the job. Of 144 free nodes, or of 128 beside the job, 16 are in one rack.
    const told = /nothing runs; .*, fragmentation 8[789](\.\d)? %/;
    for (let i = 0; i < 60 && !told.test(await page.locator('.live').innerText()); ++i) await page.keyboard.press('ArrowDown');
    assert.match(await page.locator('.live').innerText(), told);
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
          await page.locator('#try-nodes').fill('4');
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
      if (!(await page.locator('#try-shape').isVisible())) await page.locator('#try-more summary').click();
      await page.locator('#try-shape').fill(shape);
      await page.locator('#try-duration').selectOption(duration);
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
    await attempt('slot=1/core', '10m');
    await page.locator('#try-submit').click();
    await page.getByText('Submitted as job 3').waitFor();
    assert.match((await service.ask('GET', 'jobs/3')).text, /"user": "ada"/);
  }));
});

// Users act on their jobs, operators on all; a second click confirms that a job is cancelled.
test('the queue: my jobs first, causes, running jobs, actions by role', async () => {
  await with_service('desk.graphml', async (service) => with_browser(async (context) => {
    await service.batch([{ op: 'submit', id: 1, shape: 'slot=3/node', duration: 3600, user: 'bo' }, { op: 'submit', id: 2, shape: 'slot=4/node', duration: 3600, user: 'bo' },
      { op: 'submit', id: 3, shape: 'slot=4/node', duration: 3600, user: 'ada' },
      { op: 'add-reservation', reservation: { name: 'maintenance', start: '9d', duration: '4h', nodes: 2, users: [] } }]);
    const ada = await open(context, service, 'ada', '#queue');
    const rows = async (page) => (await page.locator('table tbody tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    // The service may compute causes only after the first answer.
    await until(async () => (await rows(ada)).filter((row) => !row.includes('not known')).length === 3, 'three jobs with causes');
    const [first, second, third] = await rows(ada);
    assert.match(first, /^3 waits for 4 of 1 free nodes, until \S.* cancel hold /);
    assert.match(second, /^2 waits for 4 of 1 free nodes, until /);
    assert.doesNotMatch(second, /cancel/);
    assert.match(third, /^1 runs on 3 nodes, until /);
    await ada.getByLabel('cancel 3').click();
    assert.match((await service.ask('GET', 'jobs/3')).text, /"state": "pending"/);
    await ada.getByLabel('really cancel? 3').click();
    await until(async () => /"cancelled"/.test((await service.ask('GET', 'jobs/3')).text), 'it is cancelled');
    const olga = await open(context, service, 'olga', '#queue');
    await until(async () => (await rows(olga)).length === 2, 'two jobs');
    await olga.getByLabel('hold 2').click();
    await until(async () => /"held": true/.test((await service.ask('GET', 'jobs/2')).text), 'it is held');
    await olga.evaluate(() => { window.location.hash = 'machine'; });
    await olga.getByText('maintenance').first().waitFor();
    await olga.getByText(/in use/).first().waitFor();
    await olga.evaluate(() => { window.location.hash = 'health'; });
    await olga.locator('#health-node').fill('node3');
    await olga.locator('#health-reason').fill('new fan');
    await olga.getByRole('button', { name: 'drain', exact: true }).click();
    await olga.getByText('new fan').waitFor();
    assert.match((await service.ask('GET', 'nodes/node3')).text, /"reason": "new fan"/);
    for (const page of [ada, olga]) {
      await page.setViewportSize({ width: 390, height: 844 });
      for (const view of ['queue', 'machine', 'health', 'job/2']) {
        await page.evaluate((hash) => { window.location.hash = hash; }, view);
        await page.locator('#main section').first().waitFor();
        assert.deepEqual(await violations(page), [], view);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${view} is as wide as a phone`);
      }
      assert.deepEqual(page.problems, []);
    }
  }));
});

// What a browser takes that knows nothing: compressed, as it asks for it.
