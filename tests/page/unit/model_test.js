// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOWN, DRAINED, ENDED, FREE, GONE, Jobs, Machine, PART, PLANNED, RUNS, state_at, USED, WAITS, AHEAD } from '../../../src/page/web/model.js';
import { in_tree_order } from '../../../src/page/web/layers_view.js';
import { kept_rows, zoomed_rows } from '../../../src/page/web/schedule_view.js';
import { add_job, add_run, empty_jobs, hostile_plan, HOSTILE, machine_of, plan_of, word_in } from '../browser/documents.js';

const UP = { format: 1, nodes: 'uuuu' };

function small() {
  const machine = new Machine(machine_of(4, 2));
  const doc = empty_jobs();
  const user = word_in(doc, 'ada');
  add_job(doc, { id: '7', user, submit: 0 });
  add_job(doc, { id: '9007199254740993', submit: 5, promised: 100 });
  add_job(doc, { id: '9007199254740992', submit: 5, never: 1, left: 50, remark: word_in(doc, 'too large') });
  add_run(doc, { job: 0, start: 10, end: 100 }, [[0, 2]]);
  add_run(doc, { job: 1, start: 100, end: 200 }, [[0, 1, 64], [3, 1]], [[0, '1-2']]);
  return { machine, doc };
}

test('the states of a job in time', () => {
  const { machine, doc } = small();
  const jobs = new Jobs(doc, machine);
  const of = (j, time) => jobs.state_of(j, time).state;
  assert.deepEqual([-1, 0, 10, 99, 100].map((time) => of(0, time)), [AHEAD, WAITS, RUNS, RUNS, ENDED]);
  assert.deepEqual([49, 50].map((time) => of(2, time)), [WAITS, GONE]);
});

test('ids are told apart beyond 2^53', () => {
  const { machine, doc } = small();
  const jobs = new Jobs(doc, machine);
  assert.equal(jobs.by_id.get('9007199254740993'), 1);
  assert.equal(jobs.by_id.get('9007199254740992'), 2);
});

test('the states of nodes in time', () => {
  const { machine, doc } = small();
  const jobs = new Jobs(doc, machine);
  assert.deepEqual([...state_at(machine, jobs, UP, null, 50).state], [USED, USED, FREE, PLANNED]);
  const later = state_at(machine, jobs, UP, null, 150);
  assert.deepEqual([...later.state], [PART, FREE, FREE, USED]);
  assert.equal(later.share[0], 0.25);
  assert.deepEqual([...state_at(machine, jobs, { nodes: 'dfuu' }, null, 500).state], [DOWN, DRAINED, FREE, FREE]);
});

test('what happens to nodes holds until something else does', () => {
  const { machine, doc } = small();
  const jobs = new Jobs(doc, machine);
  const availability = { nodes: [{ time: 300, what: 'down', nodes: '0-1' }, { time: 400, what: 'up', nodes: '1' }], reservations: [] };
  assert.deepEqual([...state_at(machine, jobs, UP, availability, 299).state], [FREE, FREE, FREE, FREE]);
  assert.deepEqual([...state_at(machine, jobs, UP, availability, 300).state], [DOWN, DOWN, FREE, FREE]);
  assert.deepEqual([...state_at(machine, jobs, UP, availability, 400).state], [DOWN, FREE, FREE, FREE]);
});

test('what a run has of a node', () => {
  const { machine, doc } = small();
  const jobs = new Jobs(doc, machine);
  const core = machine.types.indexOf('core');
  assert.equal(machine.total(0, core), 8);
  assert.equal(jobs.used(1, 0, core), 2);
  assert.equal(jobs.used(1, 3, core), 8);
  assert.equal(jobs.nodes_of(1), 'node[0,3]');
  assert.deepEqual(jobs.on_node(0), [0, 1]);
});

test('jobs that share a node have tracks of their own', () => {
  const machine = new Machine(machine_of(2, 2));
  const doc = empty_jobs();
  for (let i = 0; i < 3; ++i) {
    add_job(doc, { id: String(i) });
    add_run(doc, { job: i, start: 10 * i, end: 10 * i + 15 }, [[0, 1, 64]], [[0, `${i}`]]);
  }
  const jobs = new Jobs(doc, machine);
  assert.deepEqual([...jobs.track], [0, 1, 0]);
  assert.equal(jobs.tracks.get(0), 2);
});

test('how many nodes are in use, and jobs wait', () => {
  const { machine, doc } = small();
  const load = new Jobs(doc, machine).load();
  assert.deepEqual(load.time, [0, 5, 10, 50, 100, 200]);
  assert.deepEqual(load.busy, [0, 0, 2, 2, 2, 0]);
  assert.deepEqual(load.waiting, [1, 3, 2, 1, 0, 0]);
});

test('the load never falls below nothing, and ends with nothing', () => {
  const plan = plan_of(64, 8, 400, 5);
  const load = new Jobs(plan.jobs, new Machine(plan.machine)).load();
  assert.ok(load.busy.every((busy) => busy >= 0 && busy <= 64));
  assert.ok(load.waiting.every((waiting) => waiting >= 0));
  assert.equal(load.busy.at(-1), 0);
  assert.equal(load.waiting.at(-1), 0);
});

test('hostile documents make a model', () => {
  const plan = hostile_plan();
  const machine = new Machine(plan.machine);
  const jobs = new Jobs(plan.jobs, machine);
  assert.equal(machine.by_name.get(HOSTILE.markup), 0);
  assert.ok(machine.properties(0).includes('__proto__'));
  assert.equal(jobs.by_id.get('__proto__') >= 0, true);
  const view = state_at(machine, jobs, plan.status, plan.availability, 10);
  assert.equal(view.state[4], DOWN);
});

test('rows stay within the machine', () => {
  assert.deepEqual(zoomed_rows({ from: 0, to: 100 }, 2, 0.5, 100), { from: 25, to: 75 });
  assert.deepEqual(zoomed_rows({ from: 25, to: 75 }, 0.01, 0.5, 100), { from: 0, to: 100 });
  assert.deepEqual(kept_rows({ from: 25, to: 75 }, 1000, 100), { from: 50, to: 100 });
  assert.deepEqual(zoomed_rows({ from: 0, to: 2 }, 50, 0.5, 2), { from: 0, to: 2 });
});

test('each layer stands before those below it', () => {
  const layers = [{ parent: 2 }, { parent: 2 }, { parent: -1 }, { parent: 0 }];
  const order = in_tree_order(layers.map((layer, i) => ({ layer, i })));
  assert.deepEqual(order.map(({ i, depth }) => [i, depth]), [[2, 0], [0, 1], [3, 2], [1, 1]]);
});
