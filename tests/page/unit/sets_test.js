// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { for_each_range, hostlist, range_text } from '../../../src/page/web/sets.js';

test('ranges of an idset', () => {
  const of = (text) => {
    const out = [];
    for_each_range(text, (first, last) => out.push([first, last]));
    return out;
  };
  assert.deepEqual(of('0-3,7'), [[0, 3], [7, 7]]);
  assert.deepEqual(of(''), []);
  assert.deepEqual(of('3-1,x,5'), [[5, 5]]);
});

test('the text of numbers', () => {
  assert.equal(range_text([0, 1, 2, 5, 7, 8]), '0-2,5,7-8');
  assert.equal(range_text([]), '');
});

test('names as a hostlist', () => {
  assert.equal(hostlist(['node0', 'node1', 'node2', 'node7']), 'node[0-2,7]');
  assert.equal(hostlist(['node08', 'node09', 'node10']), 'node[08-10]');
  assert.equal(hostlist(['node9', 'node10']), 'node[9-10]');
  assert.equal(hostlist(['login', 'node1', 'gpu1']), 'login,node1,gpu1');
  assert.equal(hostlist(['a9007199254740993']), 'a9007199254740993');
  assert.equal(hostlist([]), '');
});
