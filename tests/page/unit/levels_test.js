// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragmentation_of, fragmentation_steps, levels_of } from '../../../src/page/web/levels.js';
import { Jobs, Machine, state_at } from '../../../src/page/web/model.js';
import { draw_share } from '../../../src/page/web/schedule_paint.js';
import { add_job, add_run, empty_jobs, machine_of } from '../browser/documents.js';

// Two blocks of two racks of two nodes.
function tree(types = ['cluster', 'block', 'rack', 'node']) {
  const doc = machine_of(8, 2);
  doc.types = types.concat(doc.types.slice(3));
  doc.frames = { parent: [-1, 0, 1, 1, 0, 4, 4], name: ['c', 'b0', 'r0', 'r1', 'b1', 'r2', 'r3'], type: [0, 1, 2, 2, 1, 2, 2] };
  doc.nodes.frame = [2, 2, 3, 3, 5, 5, 6, 6];
  return new Machine(doc);
}

test('levels are the heights that several pools have, the highest first', () => {
  const levels = levels_of(tree());
  assert.deepEqual(levels.map(({ name, count }) => [name, count]), [['block', 2], ['rack', 4]]);
  assert.deepEqual([...levels[0].pool_of], [0, 0, 0, 0, 1, 1, 1, 1]);
  assert.deepEqual([...levels[1].pool_of], [0, 0, 1, 1, 2, 2, 3, 3]);
});

test('levels of one type are numbered from below', () => {
  assert.deepEqual(levels_of(tree(['cluster', 'switch', 'switch', 'node'])).map(({ name }) => name), ['switch2', 'switch1']);
});

test('a machine without levels has none', () => {
  const doc = machine_of(4, 4);
  assert.deepEqual(levels_of(new Machine(doc)), []);
  doc.frames = { parent: [-1], name: ['c'], type: [0] };
  doc.nodes.frame = [0, 0, 0, 0];
  assert.deepEqual(levels_of(new Machine(doc)), []);
});

function plan() {
  const machine = tree();
  const doc = empty_jobs();
  for (const id of ['a', 'b', 'c']) add_job(doc, { id });
  add_run(doc, { job: 0, start: 10, end: 40 }, [[0, 1]]);
  add_run(doc, { job: 1, start: 20, end: 40 }, [[0, 1, 64], [2, 1], [4, 1], [6, 2]]);
  add_run(doc, { job: 2, start: 30, end: 50 }, [[1, 1], [3, 1], [5, 1]]);
  return { machine, jobs: new Jobs(doc, machine) };
}

test('fragmentation is the share of free nodes outside of the largest piece', () => {
  const { machine, jobs } = plan();
  const [block, rack] = levels_of(machine);
  const at = (level, time, nodes = 'uuuuuuuu') => fragmentation_of(level, state_at(machine, jobs, { nodes }, null, time).state);
  assert.deepEqual(at(rack, 0), { free: 8, largest: 2, share: 0.75 });
  assert.deepEqual(at(block, 0), { free: 8, largest: 4, share: 0.5 });
  assert.deepEqual(at(rack, 20), { free: 3, largest: 1, share: 1 - 1 / 3 });
  assert.deepEqual(at(rack, 30), { free: 0, largest: 0, share: 0 });
  assert.deepEqual(at(rack, 0, 'dduuffnn'), { free: 2, largest: 2, share: 0 });
});

test('the series over time is what each time has', () => {
  const { machine, jobs } = plan();
  const status = { nodes: 'uuuuuuud' };
  const availability = { nodes: [{ time: 15, what: 'down', nodes: '1' }, { time: 35, what: 'up', nodes: '1,7' }, { time: 45, what: 'drain', nodes: '0-1' }], reservations: [] };
  for (const level of levels_of(machine)) {
    const { time, share } = fragmentation_steps(machine, jobs, status, availability, level);
    assert.deepEqual(time, [10, 15, 20, 30, 35, 40, 45, 50]);
    time.forEach((t, i) => {
      const { state } = state_at(machine, jobs, status, availability, t);
      assert.equal(share[i], fragmentation_of(level, state).share, `${level.name} at ${t}`);
    });
  }
});

test('a series is drawn until the next step, and the last one until its end', () => {
  const drawn = (end) => {
    const columns = [];
    const context = { fillRect: (x, y, width, height) => { if (width === 1) columns.push([x, height]); } };
    const plane = { left: 0, inner: 10, span: { from: 0, to: 10 }, x_of: (time) => time };
    draw_share(context, { steps: { time: [2, 4], share: [1, 0.5], end }, plane, top: 0, height: 12, colours: {}, words: '' });
    return columns;
  };
  assert.deepEqual(drawn(6), [[2, 10], [3, 10], [4, 5], [5, 5]]);
  assert.deepEqual(drawn(3), [[2, 10]]);
  assert.deepEqual(drawn(undefined).length, 8);
});
