// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell_rectangles, cell_window, ScheduleCells } from '../../../src/page/web/schedule_cells.js';

const WINDOW = { from: 100, to: 200, first: 10, count: 8, rows: 4, columns: 10 };

function packed_cells(entries) {
  return btoa(String.fromCharCode(...entries.flatMap(([job, kind, share, length]) => [job & 255, job >> 8, kind, share, length & 255, length >> 8])));
}

test('cells stand where their rows and columns are', () => {
  const cells = packed_cells([[0, 0, 0, 10], [2, 0, 8, 3], [0, 0, 0, 7], [1, 3, 4, 10], [0, 0, 0, 9], [300, 1, 1, 1]]);
  const jobs = Array.from({ length: 300 }, (_, i) => `j${i}`);
  assert.deepEqual(cell_rectangles({ ...WINDOW, jobs, cells }), [
    { job: 'j1', kind: 0, share: 1, from: 100, to: 130, first: 12, last: 14 },
    { job: 'j0', kind: 3, share: 0.5, from: 100, to: 200, first: 14, last: 16 },
    { job: 'j299', kind: 1, share: 0.125, from: 190, to: 200, first: 16, last: 18 }]);
});

test('bars are as they are', () => {
  assert.deepEqual(cell_rectangles({ ...WINDOW, jobs: ['9007199254740993'], bars: [[0, 0, 90, 120, 11, 2, 64]] }),
    [{ job: '9007199254740993', kind: 0, share: 0.25, from: 90, to: 120, first: 11, last: 13 }]);
});

test('a window is within what the service answers', () => {
  const whole = cell_window({ from: -5.5, to: 1e9 + 0.5 }, { from: 0, to: 11136 }, 3840, 2160);
  assert.equal(whole.from, 0);
  assert.equal(whole.count, 11136);
  assert.ok(whole.rows <= 1000 && whole.columns <= 2000 && whole.rows * whole.columns <= 400000);
  const small = cell_window({ from: 7.2, to: 7.9 }, { from: 3.5, to: 4.5 }, 1, 1);
  assert.deepEqual(small, { from: 7, to: 8, first: 3, count: 2, rows: 1, columns: 1 });
});

test('it asks only if there is more than the page has, once for a window', async () => {
  const asked = [];
  const source = { cut: false, schedule: async (of) => { asked.push(of); return { ...WINDOW, ...of, jobs: ['1'], bars: [[0, 0, 100, 110, 0, 1, 256]] }; } };
  let changed = 0;
  const cells = new ScheduleCells(source, () => { ++changed; });
  cells.look({ from: 100, to: 200 }, { from: 0, to: 4 }, 100, 100);
  source.cut = true;
  for (let i = 0; i < 3; ++i) cells.look({ from: 100 + i, to: 200 }, { from: 0, to: 4 }, 100, 100);
  cells.look({ from: 102, to: 200 }, { from: 0, to: 4 }, 100, 100);
  for (let i = 0; i < 12_000 && changed === 0; ++i) await new Promise((done) => { setTimeout(done, 10); });
  assert.deepEqual(asked.map((of) => of.from), [102]);
  assert.equal(changed, 1);
  assert.equal(cells.at(105, 0.5).job, '1');
  assert.equal(cells.at(111, 0.5), undefined);
  assert.deepEqual(cells.rows(() => false), [{ id: '1', start: 100, end: 110, nodes: 1, planned: false }]);
  assert.deepEqual(cells.rows(() => true), []);
});
