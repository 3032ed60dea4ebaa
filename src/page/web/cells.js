// SPDX-License-Identifier: Apache-2.0
//
// Rectangles in a buffer of pixels, and cells in boxes. Pure functions.
//
// Pixels have 32 bits, in the order of ImageData on a little-endian machine: 0xAABBGGRR. The cost
// of a schedule depends on its pixels, not on the number of its jobs.

// "#rrggbb" as a pixel.
export function pixel(colour) {
  const value = parseInt(colour.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

// `share` of 256 parts of a, the rest of b.
export function mixed(a, b, share) {
  const rest = 256 - share;
  const red = ((a & 0xff) * share + (b & 0xff) * rest) >> 8;
  const green = (((a >> 8) & 0xff) * share + ((b >> 8) & 0xff) * rest) >> 8;
  const blue = (((a >> 16) & 0xff) * share + ((b >> 16) & 0xff) * rest) >> 8;
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

// Fills [x0, x1) × [y0, y1) of a buffer `width` pixels wide, clipped at its edges. `other`: the
// colour of oblique stripes, every `stripe` pixels.
export function fill(buffer, width, height, x0, y0, x1, y1, colour, other = colour, stripe = 4) {
  const left = Math.max(0, x0);
  const right = Math.min(width, x1);
  const top = Math.max(0, y0);
  const bottom = Math.min(height, y1);
  if (left >= right) return;
  for (let y = top; y < bottom; ++y) {
    const row = y * width;
    buffer.fill(colour, row + left, row + right);
    if (other === colour) continue;
    const period = 2 * stripe;
    // The first stripe that reaches the row.
    let x = left - ((left + y) % period);
    for (; x < right; x += period) {
      const from = Math.max(left, x);
      const to = Math.min(right, x + stripe);
      if (from < to) buffer.fill(other, row + from, row + to);
    }
  }
}

// Shapes of a box of many cells, as width over height; the space decides which one wastes least.
const BOX_SHAPES = [0.7, 0.9, 1.1, 1.3, 1.6, 2, 2.6, 3.4];

// Arranges boxes with these numbers of square cells in lines of at most `width`. Chooses the
// largest cell (at most `most`, small ones in quarters of a pixel) with which all boxes are at most
// `height` high, or 3. Among shapes with the same cell, it chooses the one nearest to a square.
// Returns {cell, width, height, boxes: [{x, y, columns, rows, width, height}]}.
export function packed(counts, width, height, most, label) {
  const shapes = Math.max(...counts) > 8 ? BOX_SHAPES : [1.3];
  const all = shapes.map((shape) => packed_in(counts, width, height, most, label, shape));
  const off = (shape) => Math.abs(Math.log(shape / 1.3));
  const order = shapes.map((shape, i) => i).sort((a, b) => all[b].cell - all[a].cell || all[a].height - all[b].height || off(shapes[a]) - off(shapes[b]));
  return all[order[0]];
}

function packed_in(counts, width, height, most, label, shape) {
  const place = (cell) => {
    const gap = Math.max(4, Math.min(12, cell));
    const boxes = [];
    let x = gap;
    let y = gap;
    let line = 0;
    let right = 0;
    for (const count of counts) {
      const columns = columns_of(count, cell, width - 2 * gap, shape);
      const rows = Math.ceil(count / columns);
      const box = { x, y, columns, rows, width: columns * cell, height: rows * cell + label };
      if (x > gap && x + box.width + gap > width) {
        x = gap;
        y += line + gap;
        line = 0;
        box.x = x;
        box.y = y;
      }
      boxes.push(box);
      x += box.width + gap;
      line = Math.max(line, box.height);
      right = Math.max(right, x);
    }
    return { cell, width: right, height: y + line + gap, boxes };
  };
  let low = 12;  // in quarters
  let high = Math.max(12, Math.floor(4 * most));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const tried = place(middle / 4);
    if (tried.height <= height && tried.width <= width) low = middle; else high = middle - 1;
  }
  return place(low >= 32 ? Math.floor(low / 4) : low / 4);
}

// A few cells form a line; more form a box of a shape. Never wider than the space.
function columns_of(count, cell, room, shape) {
  const wide = count <= 8 ? count : Math.ceil(Math.sqrt(count * shape));
  return Math.max(1, Math.min(wide, count, Math.max(1, Math.floor(room / cell))));
}
