// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LayerLoads, load_columns } from '../../../src/page/web/layer_loads.js';
import { layer_scale } from '../../../src/page/web/layer_paint.js';
import { Jobs, Machine } from '../../../src/page/web/model.js';
import { add_job, add_run, empty_jobs, machine_of, plan_of } from '../browser/documents.js';

const NOTHING_KEPT = { layer: [], time: [], amount: [] };

function loads_of(runs, kept = NOTHING_KEPT, reservations = []) {
  const doc = empty_jobs();
  const job = add_job(doc, { id: '1' });
  runs.forEach(([start, end, draws], run) => {
    add_run(doc, { job, start, end }, [[0, 1]]);
    for (const [layer, amount] of draws) {
      doc.draws.run.push(run);
      doc.draws.layer.push(layer);
      doc.draws.amount.push(amount);
    }
  });
  return new LayerLoads(new Jobs(doc, new Machine(machine_of(2, 2))), { kept, layers: [] }, reservations);
}

test('the load of a layer is what those draw that run', () => {
  const loads = loads_of([[0, 10, [[3, 5]]], [10, 20, [[3, 7], [4, 1]]], [5, 15, [[3, 1]]], [30, null, [[3, 2]]]]);
  assert.deepEqual(loads.steps(3), { time: [0, 5, 10, 15, 20, 30], used: [5, 6, 8, 7, 0, 2], kept: [0, 0, 0, 0, 0, 0] });
  assert.deepEqual([-1, 0, 9, 10, 1e9].map((time) => loads.at(3, time).used), [0, 5, 6, 8, 2]);
  assert.deepEqual(loads.at(4, 12), { used: 1, kept: 0 });
  assert.deepEqual(loads.at(99, 12), { used: 0, kept: 0 });
});

test('what is kept has steps of its own, and reservations of nodes draw as well', () => {
  const kept = { layer: [3, 4, 3], time: [5, 5, 9], amount: [10, 2, 4] };
  const loads = loads_of([[0, 10, [[3, 5]]]], kept, [{ start: 7, end: 8, draws: [[3, 100]] }, { start: 0, end: 9 }]);
  assert.deepEqual(loads.steps(3), { time: [0, 5, 7, 8, 9, 10], used: [5, 5, 105, 5, 5, 0], kept: [0, 10, 10, 10, 4, 4] });
});

test('a pixel has the most that is in it', () => {
  const steps = { time: [0, 10, 11, 12], used: [1, 9, 2, 0], kept: [0, 0, 0, 5] };
  const { used, kept } = load_columns(steps, { from: 0, to: 20 }, 4);
  assert.deepEqual([...used], [1, 1, 9, 0]);
  assert.deepEqual([...kept], [0, 0, 0, 5]);
  const later = load_columns(steps, { from: 100, to: 110 }, 2);  // the last step goes on
  assert.deepEqual([...later.kept], [5, 5]);
  assert.deepEqual([...load_columns({ time: [], used: [], kept: [] }, { from: 0, to: 1 }, 2).used], [0, 0]);
});

test('a strip is as high as there is, or as there ever was', () => {
  const steps = { time: [0, 5], used: [70, 10], kept: [0, 5] };
  assert.equal(layer_scale({ total: 90, base: 10 }, steps), 100);
  assert.equal(layer_scale({ total: -1, base: 10 }, steps), 80);
  assert.equal(layer_scale({ total: 0, base: 0 }, { time: [], used: [], kept: [] }), 1);
});

test('at the time of a document, loads are those that it has', () => {
  const documents = plan_of(1152, 18, 2000, 5);
  const loads = new LayerLoads(new Jobs(documents.jobs, new Machine(documents.machine)), documents.layers, []);
  for (const layer of documents.layers.layers) {
    assert.deepEqual(loads.at(layer.number, documents.layers.at), { used: layer.used, kept: layer.held }, layer.nodes);
  }
});
