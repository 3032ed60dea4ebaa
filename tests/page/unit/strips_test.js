// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { name_number } from '../../../src/page/web/colours.js';
import { strip_sums } from '../../../src/page/web/machine_strips.js';

test('strips sum what is in use, and what is down', () => {
  const machine = { types: ['memory', 'core'], count: 3, total: (node, type) => [100, 4][type], unit_of: (type) => ['GB', ''][type] };
  const view = { owner: [0, -1, -1], state: [2, 0, 5] };
  const sums = strip_sums(machine, view, [0, 1], (node, type) => [50, 4][type]);
  assert.deepEqual(sums, [
    { type: 1, name: 'cores', total: 12, used: 4, down: 4, unit: '' },
    { type: 0, name: 'memory', total: 300, used: 50, down: 100, unit: 'GB' },
  ]);
});

test('the colour of a user does not depend on who else is there', () => {
  assert.equal(name_number('ada'), name_number('ada'));
  assert.notEqual(name_number('ada'), name_number('bo'));
  assert.ok(name_number('x'.repeat(10_000)) < 4096);
});
