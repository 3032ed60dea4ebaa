// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as w from '../../../src/page/web/words.js';

test('integers keep all digits', () => {
  assert.equal(w.grouped(11136), '11,136');
  assert.equal(w.grouped('9007199254740993'), '9,007,199,254,740,993');
  assert.equal(w.grouped(-1234), '-1,234');
  assert.equal(w.grouped('no number'), 'no number');
});

test('counts have their plural', () => {
  assert.equal(w.count_of(1, 'node'), '1 node');
  assert.equal(w.count_of(0, 'job'), '0 jobs');
  assert.equal(w.count_of(2, 'memory'), '2 memories');
  assert.equal(w.count_of(3, 'box'), '3 boxes');
});

test('durations have two units, rounded down', () => {
  for (const [seconds, words] of [[0, '0 s'], [59.9, '59 s'], [60, '1 min'], [61, '1 min 01 s'], [3600, '1 h'], [7500, '2 h 05 min'],
    [86399, '23 h 59 min'], [86400, '1 d'], [266400, '3 d 2 h'], [-5, '0 s']]) {
    assert.equal(w.duration_words(seconds), words);
  }
});

test('times are counted, or those of a clock', () => {
  assert.equal(w.time_words(0, null), '00:00:00');
  assert.equal(w.time_words(90061, null), '1 d 01:01:01');
  assert.equal(w.time_words(-60, null), '−00:01:00');
  assert.equal(w.time_words(null, null), '–');
  const date = new Date(2026, 10, 23, 14, 5, 9);
  assert.equal(w.time_words(9, date.getTime() / 1000 - 9), '2026-11-23 14:05:09');
  assert.equal(w.time_words(1e18, 0), '1,000,000,000,000,000,000 s');
});

test('relative times', () => {
  assert.equal(w.relative_words(100, 100), 'now');
  assert.equal(w.relative_words(700, 100), 'in 10 min');
  assert.equal(w.relative_words(100, 3700), '1 h ago');
});

test('long names are cut between letters as people see them', () => {
  assert.equal(w.shortened('abc', 3), 'abc');
  assert.equal(w.shortened('abcd', 3), 'ab…');
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  assert.equal(w.shortened(family + 'ab' + 'c'.repeat(9), 3), family + 'a…');
  assert.equal(w.shortened(family, 1), family);
  assert.equal(w.shortened('x'.repeat(10240), 60).length, 60);
});

test('names on a canvas are isolated, and stand in one line', () => {
  assert.equal(w.isolated('a\nb\u2028c\u0000'), '\u2068a b c \u2069');
});

test('shares are not rounded to nothing or all', () => {
  assert.equal(w.percent(0, 10), '0 %');
  assert.equal(w.percent(1, 1000), '< 1 %');
  assert.equal(w.percent(999, 1000), '> 99 %');
  assert.equal(w.percent(10, 10), '100 %');
  assert.equal(w.percent(1, 0), '0 %');
});

test('what would help', () => {
  assert.equal(w.help_words({ kind: 'fewer', type: 'node', count: 1 }), 'with 1 node it would start now');
  assert.equal(w.help_words({ kind: 'shorter', seconds: 600 }), 'with at most 10 min it would start now');
  assert.equal(w.help_words({ kind: 'queue', queue: 'debug' }), 'in queue debug it would start now');
});

test('a name that has no room keeps its end', () => {
  const wide = (text) => text.length;
  assert.equal(w.fitted('node7', 6, wide), 'node7');
  assert.equal(w.fitted('node100', 5, wide), '…e100');
  assert.equal(w.fitted('node100', 4, wide), '…100');
  assert.equal(w.fitted('x'.repeat(10000) + '7', 3, wide), '…x7');
  assert.equal(w.fitted('ab', 0, wide), '');
  assert.equal(w.fitted('', 5, wide), '');
});

test('causes have the start that ends the waiting, in the zone of the reader', () => {
  const zero = new Date(2026, 10, 23, 13, 0, 0).getTime() / 1000;
  assert.equal(w.cause_words('waits for 4 of 2 free nodes', 3900, 900, zero), 'waits for 4 of 2 free nodes, until 14:05 (in 50 min)');
  assert.match(w.cause_words('it waits', 7193, 0, zero), /\(in 2 h\)$/);
  assert.match(w.cause_words('it waits', 7100, 0, zero), /\(in 118 min\)$/);
  assert.equal(w.cause_words('waits', 900 + 3 * 86400, 900, zero), 'waits, until 2026-11-26 13:15 (in 3 days)');
  assert.equal(w.cause_words('waits', NaN, 900, zero), 'waits');
  assert.equal(w.cause_words('waits', 900, 900, zero), 'waits');
  assert.equal(w.cause_words('waits', 7200, 0, null), 'waits, until 02:00:00 (in 2 h)');
});

test('times of the service are shown in the zone of the reader', () => {
  const time = new Date('2026-11-22T12:00:00Z');
  assert.equal(w.local_words('job 1 until 2026-11-22T12:00:00Z, then'), `job 1 until ${w.time_words(time.getTime() / 1000, 0)}, then`);
});
