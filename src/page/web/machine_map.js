// SPDX-License-Identifier: Apache-2.0
//
// Positions and appearance of nodes on the map of a machine. A node is a square in the box of its
// rack; large squares show the contents of the node.
import { packed } from './cells.js';
import { ink_on, name_number, number_colour, palette, ramp } from './colours.js';
import { DOWN, DRAINED, FREE, NODE_LETTERS, PART, PLANNED, USED } from './model.js';
import { fitted, grouped, isolated, shortened } from './words.js';

export const LABEL = 16;       // the height of a rack's name
const LEAVES_MOST = 600;
const CELL_MOST = 200;         // the side of a node, in pixels

export class MachineMap {
  constructor(machine) {
    this.machine = machine;
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.leaves = machine.doc.insides.map((inside) => {
      const out = [];
      for (let i = 0; i < inside.type.length; ++i) {
        if (i + 1 === inside.type.length || inside.depth[i + 1] <= inside.depth[i]) out.push(i);
      }
      return out;
    });
  }

  // The height of the map within a limit: a small machine needs less.
  wanted_height(width, most) {
    const key = `${width} ${most}`;
    if (this.packed_for !== key) {
      this.packed_for = key;
      this.layout = packed(this.machine.blocks.map((block) => block.count), width, most, CELL_MOST, LABEL);
    }
    return Math.ceil(this.layout.height);
  }

  // REQUIRES wanted_height() for this width.
  fit(width, height) {
    if (this.width === width && this.height === height) return;
    this.width = width;
    this.height = height;
    this.clamp();
  }

  clamp() {
    const most = (size, room) => Math.max(0, size * this.zoom - room);
    this.x = Math.min(Math.max(0, this.x), most(this.layout.width, this.width));
    this.y = Math.min(Math.max(0, this.y), most(this.layout.height, this.height));
  }

  // Returns whether it changed.
  zoom_by(factor, x, y) {
    const before = this.zoom;
    this.zoom = Math.min(Math.max(1, this.zoom * factor), Math.max(1, 1.6 * CELL_MOST / this.layout.cell));
    this.x = (this.x + x) * (this.zoom / before) - x;
    this.y = (this.y + y) * (this.zoom / before) - y;
    this.clamp();
    return this.zoom !== before;
  }

  drag(dx, dy) {
    this.x -= dx;
    this.y -= dy;
    this.clamp();
  }

  // The square of a node on the screen.
  square(node) {
    const b = this.machine.block_of[node];
    const box = this.layout.boxes[b];
    const i = node - this.machine.blocks[b].first;
    const cell = this.layout.cell * this.zoom;
    return {
      x: box.x * this.zoom - this.x + (i % box.columns) * cell,
      y: (box.y + LABEL) * this.zoom - this.y + Math.floor(i / box.columns) * cell,
      side: cell,
    };
  }

  columns(node) { return this.layout.boxes[this.machine.block_of[node]].columns; }

  node_at(x, y) {
    const [mx, my] = [(x + this.x) / this.zoom, (y + this.y) / this.zoom];
    for (let b = 0; b < this.layout.boxes.length; ++b) {
      const box = this.layout.boxes[b];
      if (mx < box.x || mx >= box.x + box.width || my < box.y + LABEL || my >= box.y + box.height) continue;
      const i = Math.floor((my - box.y - LABEL) / this.layout.cell) * box.columns + Math.floor((mx - box.x) / this.layout.cell);
      if (i < this.machine.blocks[b].count) return this.machine.blocks[b].first + i;
    }
    return -1;
  }

  // Moves the map so that a node is visible.
  reveal(node) {
    const { x, y, side } = this.square(node);
    if (x < 0) this.x += x - side;
    if (y < 0) this.y += y - side;
    if (x + side > this.width) this.x += x + 2 * side - this.width;
    if (y + side > this.height) this.y += y + 2 * side - this.height;
    this.clamp();
  }

  // `what`: {view (of state_at), jobs, mode, type, dark, marked (a set of nodes, or null), cursor, selected,
  // runs_on(node)}.
  draw(context, what) {
    const colours = palette(what.dark);
    context.fillStyle = colours.back;
    context.fillRect(0, 0, this.width, this.height);
    const cell = this.layout.cell * this.zoom;
    this.machine.blocks.forEach((block, b) => {
      const box = this.layout.boxes[b];
      const x = box.x * this.zoom - this.x;
      const y = box.y * this.zoom - this.y;
      const w = box.width * this.zoom;
      const h = LABEL * this.zoom + box.rows * cell;
      if (x > this.width || y > this.height || x + w < 0 || y + h < 0) return;
      this.draw_label(context, block, x, y, w, colours);
      for (let i = 0; i < block.count; ++i) {
        const cx = x + (i % box.columns) * cell;
        const cy = y + LABEL * this.zoom + Math.floor(i / box.columns) * cell;
        if (cx > this.width || cy > this.height || cx + cell < 0 || cy + cell < 0) continue;
        this.draw_node(context, block.first + i, cx, cy, cell, colours, what);
      }
    });
    this.outline(context, what.selected, colours.accent, 3);
    this.outline(context, what.cursor, colours.text, 2);
  }

  draw_label(context, block, x, y, w, colours) {
    if (w < 26) return;
    const size = Math.min(13, 11 * Math.max(1, this.zoom * 0.5));
    context.fillStyle = colours.soft;
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = 'bottom';
    const name = block.frame < 0 ? '' : this.machine.frames.name[block.frame];
    context.fillText(isolated(shortened(name, Math.max(3, Math.floor(w / 6.2)))), x, y + LABEL * this.zoom - 2);
  }

  outline(context, node, colour, width) {
    if (node < 0) return;
    const { x, y, side } = this.square(node);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(x - 1, y - 1, side + 1, side + 1);
  }

  draw_node(context, node, x, y, cell, colours, what) {
    const { view } = what;
    const state = view.state[node];
    const gap = cell >= 20 ? 3 : cell >= 6 ? 1 : cell > 3 ? 0.5 : 0;
    const side = cell - gap;
    const look = this.look(node, colours, what);
    context.globalAlpha = what.marked && !what.marked.has(node) ? 0.18 : 1;
    context.fillStyle = look.base;
    context.fillRect(x, y, side, side);
    if (cell >= 44 && this.draw_inside(context, node, x, y, side, colours, what)) {
      if (state === DOWN || state === DRAINED) this.draw_mark(context, state, x, y, side, colours);
      context.globalAlpha = 1;
      return;
    }
    if (look.fill) {
      context.fillStyle = look.fill;
      const high = Math.max(1, Math.round(side * look.share));
      context.fillRect(x, y + side - high, side, high);
    }
    if (state === PLANNED && what.mode !== 'free') this.draw_stripes(context, x, y, side, colours.planned);
    if (state === DOWN || state === DRAINED) this.draw_mark(context, state, x, y, side, colours);
    else if (cell >= 15) this.draw_letter(context, node, x, y, side, look, what);
    context.globalAlpha = 1;
  }

  // {base, fill, share, letter}: the colours of a node.
  look(node, colours, { view, jobs, mode, type, dark }) {
    const state = view.state[node];
    const owner = view.owner[node];
    if (mode === 'free') {
      const total = this.machine.total(node, type);
      const left = state >= DRAINED ? 0 : total - this.used(node, type, view, jobs);
      return { base: ramp(total ? left / total : 0, dark), letter: total ? grouped(left) : '' };
    }
    if (state === DOWN) return { base: colours.down, letter: '' };
    if (owner < 0) return { base: colours.free, letter: NODE_LETTERS[state] };
    if (mode === 'state') {
      return { base: colours.free, fill: state === PART ? colours.part : colours.used, share: Math.max(0.15, view.share[node]), letter: NODE_LETTERS[state] };
    }
    const job = jobs.run_job[owner];
    const number = mode === 'user' ? name_number(jobs.user(job)) : job;
    const letter = view.several[node] ? '+' : mode === 'user' ? jobs.user(job) : jobs.name(job);
    return { base: colours.free, fill: number_colour(number, dark), share: Math.max(0.15, view.share[node]), letter };
  }

  used(node, type, view, jobs) {
    if (view.owner[node] < 0) return 0;
    const runs = view.several[node] ? this.runs_on(view, jobs).get(node) : [view.owner[node]];
    return Math.min(this.machine.total(node, type), runs.reduce((sum, r) => sum + jobs.used(r, node, type), 0));
  }

  // The runs on each node, at the time of a view; cached with it.
  runs_on(view, jobs) {
    if (view.runs_on) return view.runs_on;
    view.runs_on = new Map();
    for (const r of view.running) {
      for (let p = jobs.place_begin[r]; p < jobs.place_begin[r + 1]; ++p) {
        for (let n = jobs.place_first[p]; n < jobs.place_first[p] + jobs.place_count[p]; ++n) {
          if (!view.runs_on.has(n)) view.runs_on.set(n, []);
          view.runs_on.get(n).push(r);
        }
      }
    }
    return view.runs_on;
  }

  // Leaves of a node as small squares. Returns false if there is no space.
  draw_inside(context, node, x, y, side, colours, what) {
    const leaves = this.leaves[this.machine.doc.nodes.inside[node]];
    const room = side - 6 - 13;
    const columns = Math.ceil(Math.sqrt(leaves.length * (side / Math.max(1, room))));
    const cell = Math.floor((side - 6) / columns);
    if (leaves.length === 0 || leaves.length > LEAVES_MOST || cell < 3) return false;
    const { view, jobs, dark } = what;
    const inside = this.machine.inside(node);
    const owners = this.leaf_owners(node, view, jobs);
    context.fillStyle = colours.panel;
    context.fillRect(x, y, side, side);
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    context.fillStyle = colours.text;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'top';
    const name = fitted(this.machine.names[node], side - 5, (text) => context.measureText(isolated(text)).width);
    context.fillText(isolated(name), x + 3, y + 2);
    leaves.forEach((leaf, i) => {
      const lx = x + 3 + (i % columns) * cell;
      const ly = y + 15 + Math.floor(i / columns) * cell;
      if (ly + cell > y + side) return;
      const r = owners[leaf];
      let colour = colours.free;
      if (r >= 0) {
        const job = jobs.run_job[r];
        colour = what.mode === 'job' ? number_colour(job, dark)
          : what.mode === 'user' ? number_colour(name_number(jobs.user(job)), dark) : colours.used;
      }
      context.fillStyle = what.mode === 'free' && inside.type[leaf] !== what.type ? colours.faint : colour;
      context.fillRect(lx, ly, cell - 1, cell - 1);
      if (cell >= 9) {
        context.fillStyle = r >= 0 ? ink_on(colour) : colours.soft;
        context.font = `${Math.min(10, cell - 2)}px system-ui, sans-serif`;
        context.fillText((this.machine.types[inside.type[leaf]][0] || '') + (r >= 0 ? '•' : ''), lx + 1, ly + 1);
      }
    });
    if (view.state[node] === PLANNED) this.draw_stripes(context, x, y + side - 6, side, colours.planned, 6);
    return true;
  }

  // By position: a run, or -1.
  leaf_owners(node, view, jobs) {
    const count = this.machine.inside(node).type.length;
    const out = new Int32Array(count).fill(-1);
    for (const r of this.runs_on(view, jobs).get(node) || []) {
      const positions = jobs.positions(r, node);
      if (positions === null) {
        out.fill(r);
        continue;
      }
      for (const piece of positions.split(',')) {
        const [first, last = first] = piece.split('-').map(Number);
        out.fill(r, first, Math.min(last + 1, count));
      }
    }
    return out;
  }

  draw_stripes(context, x, y, side, colour, high = side) {
    context.save();
    context.beginPath();
    context.rect(x, y, side, high);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = side >= 10 ? 2 : 1;
    const step = side >= 10 ? 6 : 3;
    context.beginPath();
    for (let at = -high; at < side; at += step) {
      context.moveTo(x + at, y + high);
      context.lineTo(x + at + high, y);
    }
    context.stroke();
    context.restore();
  }

  // Down: a cross; drained: a stroke.
  draw_mark(context, state, x, y, side, colours) {
    if (side < 4) return;
    if (state === DRAINED) {
      context.strokeStyle = colours.drained;
      context.lineWidth = Math.min(4, Math.max(1.5, side / 7));
      context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    } else {
      context.strokeStyle = side >= 40 ? colours.down : colours.back;
      context.lineWidth = Math.min(5, Math.max(1, side / 12));
    }
    const inset = side * 0.22;
    context.beginPath();
    context.moveTo(x + inset, y + side - inset);
    context.lineTo(x + side - inset, y + inset);
    if (state === DOWN) {
      context.moveTo(x + inset, y + inset);
      context.lineTo(x + side - inset, y + side - inset);
    }
    context.stroke();
  }

  draw_letter(context, node, x, y, side, look, { view }) {
    if (!look.letter) return;
    const covered = look.fill && look.share > 0.6;
    context.fillStyle = ink_on(covered ? look.fill : look.base);
    const size = Math.min(13, Math.max(9, side / 3));
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = 'middle';
    const text = isolated(shortened(look.letter, Math.max(1, Math.floor(side / (size * 0.62)))));
    const width = context.measureText(text).width;
    if (width <= side - 1) context.fillText(text, x + (side - width) / 2, y + side / 2 + (view.state[node] === FREE ? 0 : 1));
  }
}

export const LEGEND = [[FREE, 'free'], [PART, 'part'], [USED, 'used'], [PLANNED, 'planned'], [DRAINED, 'drained'], [DOWN, 'down']];
