// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, mixed, packed, pixel } from '../../../src/page/web/cells.js';
import { contrast, ink_on, number_colour, palette } from '../../../src/page/web/colours.js';

test('a colour as a pixel', () => {
  assert.equal(pixel('#123456'), 0xff563412);
  assert.equal(mixed(pixel('#ff0000'), pixel('#000000'), 256), pixel('#ff0000'));
  assert.equal(mixed(pixel('#ff0000'), pixel('#000000'), 0), pixel('#000000'));
});

test('rectangles are cut off at the edges', () => {
  const buffer = new Uint32Array(12);
  fill(buffer, 4, 3, -5, 1, 2, 9, 7);
  assert.deepEqual([...buffer], [0, 0, 0, 0, 7, 7, 0, 0, 7, 7, 0, 0]);
  fill(buffer, 4, 3, 4, 0, 9, 3, 9);
  assert.ok(!buffer.includes(9));
});

test('stripes are oblique, and half of a large area', () => {
  const buffer = new Uint32Array(64 * 64);
  fill(buffer, 64, 64, 0, 0, 64, 64, 1, 2, 4);
  const two = buffer.filter((value) => value === 2).length;
  assert.ok(Math.abs(two - 2048) < 130, `${two}`);
  assert.notEqual(buffer[0], buffer[4]);
  assert.equal(buffer[64], buffer[1]);  // a row further, a pixel to the left
});

test('a stripe begins where it would, wherever the rectangle does', () => {
  const one = new Uint32Array(40 * 8);
  const two = new Uint32Array(40 * 8);
  fill(one, 40, 8, 0, 0, 40, 8, 1, 2, 3);
  fill(two, 40, 8, 13, 0, 40, 8, 1, 2, 3);
  for (let y = 0; y < 8; ++y) for (let x = 13; x < 40; ++x) assert.equal(one[y * 40 + x], two[y * 40 + x]);
});

test('boxes fit, and do not overlap', () => {
  for (const counts of [[4], [18, 18, 18], new Array(87).fill(128), [1, 1000, 3, 50], new Array(2000).fill(4)]) {
    const layout = packed(counts, 900, 600, 140, 16);
    layout.boxes.forEach((box, i) => {
      assert.ok(box.columns * box.rows >= counts[i]);
      assert.ok(box.x >= 0 && box.y >= 0);
      for (const other of layout.boxes.slice(i + 1, i + 30)) {
        const apart = other.x >= box.x + box.width || other.y >= box.y + box.height || box.x >= other.x + other.width || box.y >= other.y + other.height;
        assert.ok(apart);
      }
    });
    if (layout.cell > 3) assert.ok(layout.height <= 600 && layout.width <= 900);
  }
});

test('words on colours can be read', () => {
  for (let i = 0; i < 500; ++i) {
    for (const dark of [false, true]) {
      const colour = number_colour(i, dark);
      assert.match(colour, /^#[0-9a-f]{6}$/);
      assert.ok(contrast(colour, ink_on(colour)) >= 4.5, `${i} ${colour}`);
    }
  }
  for (const dark of [false, true]) {
    const colours = palette(dark);
    for (const name of ['text', 'soft', 'accent', 'bad']) {
      assert.ok(contrast(colours[name], colours.back) >= 4.5, name);
      assert.ok(contrast(colours[name], colours.panel) >= 4.5, name);
    }
    for (const name of ['used', 'down', 'drained', 'line']) assert.ok(contrast(colours[name], colours.back) >= 3, name);
  }
});
