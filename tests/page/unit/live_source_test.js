// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live_document, live_rows, LiveEvents } from '../../../src/page/web/live_rows.js';
import { LiveSource } from '../../../src/page/web/live_source.js';

const endings = ['open', 'done', 'limit', 'cancelled', 'failed', 'requeued'];

function row(id, runs = [], more = {}) {
  return { id, name: '', user: 'ada', queue: '', request: 'slot=1/node', submit: 5, limit: 60, priority: 0, promised: null, never: 0, left: null, remark: '', runs, ...more };
}
function run(start, end, ending = 0) {
  return { start, end, ending, nodes: 2, cores: 8, places: [[0, 2, 256]], parts: [], draws: [] };
}

test('rows and their document are the same', () => {
  const rows = [
    row('9007199254740993', [run(10, 70, 1), run(100, null)], { name: '<b>', user: 'bob', promised: 12 }),
    row('2', [{ ...run(1, 2), places: [[3, 1, 64]], parts: [[3, '0-1']], draws: [[5, 70], [0, '9007199254740993']] }]),
    row('3', [], { never: 2, left: 9, remark: 'it was cancelled' })];
  const doc = live_document(rows, endings);
  assert.equal(doc.words[0], '');
  assert.deepEqual(doc.places.run, [0, 1, 2]);
  assert.deepEqual(live_rows(doc), rows);
  assert.deepEqual(live_document(live_rows(doc), endings), doc);
});

test('events are whole, wherever pieces are cut', () => {
  const text = ': hello\n\nid: 1-2\ndata: {"a": 1}\n\n: alive\n\nid: 3-4\ndata: {"b":\ndata:  2}\n\n';
  for (let size = 1; size <= text.length; ++size) {
    const told = [];
    const events = new LiveEvents((event) => told.push(event));
    for (let at = 0; at < text.length; at += size) events.take(text.slice(at, at + size));
    assert.deepEqual(told, [{ id: '1-2', data: '{"a": 1}' }, { id: '3-4', data: '{"b": 2}' }]);
  }
});

// A source without a service: what it does with news.
function source_with(rows) {
  const source = new LiveSource('http://127.0.0.1/', '');
  source.endings = endings;
  source.offset_s = 50 - Date.now() / 1000;
  source.rows = new Map(rows.map((each) => [each.id, each]));
  source.forecast = 1;
  source.shows = () => false;
  source.told = [];
  source.note = (...names) => source.told.push(...names);
  source.asked = [];
  source.again = (name) => source.asked.push(name);
  return source;
}
function news(rows, more = {}) {
  return { id: '7-9', data: JSON.stringify({ now: 50, forecast: 1, machine_generation: 1, nodes: [], jobs: live_document(rows, endings), ...more }) };
}

test('a job that changed takes the place of what it was', () => {
  const source = source_with([row('1', [run(20, 90)]), row('2', [run(80, 140)])]);
  source.apply(news([row('1', [run(20, 50, 1)])]));
  assert.equal(source.cursor, '7-9');
  assert.deepEqual(source.rows.get('1').runs, [run(20, 50, 1)]);
  assert.deepEqual(source.rows.get('2').runs, [run(80, 140)]);
  assert.deepEqual(source.told, ['jobs']);
});

test('where a job will be is kept until it is known better', () => {
  const source = source_with([row('1', [run(80, 140)]), row('2', [run(40, 60)])]);
  source.apply(news([row('1', [], { priority: 5 }), row('2')]));
  assert.deepEqual(source.rows.get('1').runs, [run(80, 140)]);
  assert.deepEqual(source.rows.get('2').runs, []);
  source.apply(news([row('1', [], { never: 2, left: 50 })]));
  assert.deepEqual(source.rows.get('1').runs, []);
});

test('too much that changed is read again, and so is a newer forecast', () => {
  const source = source_with([]);
  source.apply(news([], { jobs: null, nodes: null }));
  assert.deepEqual(source.asked, ['status', 'jobs']);
  source.apply(news([], { forecast: 2 }));
  assert.deepEqual(source.asked, ['status', 'jobs', 'jobs']);
});

test('nodes that go down, and come back', async () => {
  const source = source_with([]);
  source.docs.set('status', Promise.resolve({ format: 1, nodes: 'uugu' }));
  await source.apply_nodes([[1, 2, 4, 0], [3, 1, 2, 255]]);
  assert.equal((await source.load('status')).nodes, 'uddu');
  await source.apply_nodes([[1, 2, 0, 0]]);
  assert.equal((await source.load('status')).nodes, 'uuuu');
  assert.deepEqual(source.told, ['status', 'status']);
});

test('jobs that ended are forgotten, the oldest first, and no others', () => {
  const source = source_with([row('waits'), row('runs', [run(20, 900)])]);
  for (let i = 0; i < 20000; ++i) source.apply_jobs([row(String(i), [run(30, 40, 1)])]);
  assert.ok(source.rows.size <= 3302 + 2);
  assert.ok(source.rows.has('waits') && source.rows.has('runs') && source.rows.has('19999') && !source.rows.has('0'));
});

test('what the stream told while all was read is not lost, and nothing older is taken for new', async () => {
  const source = source_with([]);
  let answer;
  source.read = () => new Promise((done) => { answer = done; });
  const reading = source.read_jobs();
  source.apply(news([row('1', [run(20, 30, 1)])]));  // event 9
  source.apply({ ...news([row('2', [run(20, 30, 1)])]), id: '8-12' });
  answer({ cursor: '7-10', forecast: 1, cut: false, reservations: [], jobs: live_document([row('1', [run(25, 90)]), row('2', [run(20, 90)])], endings) });
  await reading;
  assert.deepEqual(source.rows.get('1').runs, [run(25, 90)]);
  assert.deepEqual(source.rows.get('2').runs, [run(20, 30, 1)]);
  assert.equal(source.cursor, '8-12');
});
