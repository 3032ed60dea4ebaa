// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kept, moved, SPAN_LEAST, ticks, zoomed } from '../../../src/page/web/time_axis.js';

test('ticks stand apart, whatever the span', () => {
  for (let length = 10; length < 1e12; length *= 3.7) {
    const all = ticks({ from: 12345, to: 12345 + length }, 1000, 80);
    assert.ok(all.length >= 1 && all.length <= 13, `${length}: ${all.length}`);
    for (let i = 1; i < all.length; ++i) assert.ok(((all[i].time - all[i - 1].time) / length) * 1000 >= 79.9);
    for (const tick of all) assert.ok(tick.time >= 12345 && tick.time <= 12345 + length);
  }
});

test('labels of counted time', () => {
  assert.deepEqual(ticks({ from: 0, to: 86400 }, 800, 100).map((tick) => tick.label), ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00', '1 d']);
  assert.equal(ticks({ from: 0, to: 60 }, 800, 100)[1].label, '00:00:10');
});

test('ticks of days are midnights of the clock', () => {
  const all = ticks({ from: 0, to: 3 * 86400 }, 300, 100, 3600);
  for (const tick of all) assert.equal((tick.time + 3600) % 86400, 0);
  assert.ok(all.every((tick) => tick.day));
});

test('zooming keeps the time below the pointer, and the bounds', () => {
  const bounds = { from: 0, to: 1000 };
  const near = zoomed({ from: 0, to: 1000 }, 4, 0.5, bounds);
  assert.deepEqual(near, { from: 375, to: 625 });
  assert.deepEqual(zoomed(near, 0.001, 0.2, bounds), bounds);
  const least = zoomed(near, 1e9, 0.25, bounds);
  assert.ok(Math.abs(least.to - least.from - SPAN_LEAST) < 1e-9);
  assert.ok(Math.abs(least.from + 0.25 * SPAN_LEAST - 437.5) < 1e-9);
});

test('moving stops at the bounds and keeps the length', () => {
  const bounds = { from: 0, to: 1000 };
  assert.deepEqual(moved({ from: 100, to: 200 }, 5000, bounds), { from: 900, to: 1000 });
  assert.deepEqual(moved({ from: 100, to: 200 }, -5000, bounds), { from: 0, to: 100 });
  assert.deepEqual(kept({ from: -50, to: 5000 }, bounds), bounds);
});
