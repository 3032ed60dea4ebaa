// SPDX-License-Identifier: Apache-2.0
//
// Layers over time: the load of each layer of a resource, past, present and planned, and one of
// them as a table.
import { Board } from './board.js';
import { palette } from './colours.js';
import { el, name_of, refill } from './dom.js';
import { draw_layer_strip, draw_strip_name, STRIP, STRIP_CHOSEN } from './layer_paint.js';
import { PagedTable } from './paged_table.js';
import { AXIS, draw_axis, draw_time_line } from './time_drawing.js';
import { time_buttons, time_key, TimePlane } from './time_plane.js';
import { grouped, percent, shortened } from './words.js';

const LAYERS_HELP = 'Arrow keys go to another layer and move in time, + and − zoom, Page Up and Page Down move half a span, ' +
  'N goes to now, 0 shows all, Enter looks at the plan at this time. With a pointer: click a layer, drag, zoom by the wheel.';

export class LayersTime {
  constructor(app) {
    this.app = app;
    this.plane = new TimePlane(() => app.bounds(), () => app.at);
    this.layers = [];  // [{layer, depth}], in the order of the tree
    this.loads = null;
    this.chosen = 0;  // an index into `layers`
    this.cursor = null;   // a time
    this.scrolled = 0;    // pixels
    this.board = new Board({
      label: 'Loads of layers: layers down, time to the right',
      help: LAYERS_HELP,
      height: () => Math.max(180, Math.min(window.innerHeight * 0.55, AXIS + this.whole_height())),
      draw: (context, width, height) => this.draw(context, width, height),
      pointer: {
        move: (x, y) => this.point(x, y),
        leave: () => { this.cursor = null; this.board.ask(); },
        click: (x, y) => this.choose(this.place_at(y)),
        drag: (dx, dy) => { this.plane.drag(dx); this.scroll(-dy); this.changed(); },
        wheel: (steps, x) => { const moved = this.plane.zoom(1.2 ** steps, x); this.changed(); return moved; },
      },
      key: (key) => this.key(key),
    });
    this.table = this.make_table();
    this.twin_words = el('summary', {});
    this.twin = el('details', { class: 'twin', ontoggle: () => this.fill_table() }, this.twin_words, this.table.element);
    this.legend = el('ul', { class: 'legend', 'aria-label': 'what the picture says' });
    this.element = el('div', {}, el('div', { class: 'tools' }, time_buttons(this.plane, () => this.changed())), this.legend, this.board.element, this.twin);
  }

  // Sets what is shown. `loads`: LayerLoads.
  set(layers, loads) {
    const number = this.layers[this.chosen]?.layer.number;
    this.layers = layers;
    this.loads = loads;
    this.chosen = Math.max(0, layers.findIndex(({ layer }) => layer.number === number));
    this.name_twin();
    this.name_colours();
    this.changed();
  }

  name_colours() {
    const colours = palette(this.app.dark);
    const swatch = (key, colour, words) => el('li', {}, el('span', { class: `swatch ${key}`, style: { '--colour': colour }, 'aria-hidden': 'true' }), words);
    refill(this.legend, swatch('solid', colours.used, 'in use so far'), swatch('solid', colours.part, 'planned'),
      swatch('kept', colours.planned, 'kept for reservations'), swatch('always', colours.soft, 'always in use'), swatch('solid', colours.bad, 'more than there is'));
  }

  changed() {
    if (this.twin.open) this.fill_table();
    this.board.ask();
  }

  // --- Positions of strips

  whole_height() { return Math.max(0, this.layers.length - 1) * STRIP + STRIP_CHOSEN; }
  strip_height(place) { return place === this.chosen ? STRIP_CHOSEN : STRIP; }
  strip_top(place) { return AXIS - this.scrolled + place * STRIP + (place > this.chosen ? STRIP_CHOSEN - STRIP : 0); }
  place_at(y) {
    for (let place = 0; place < this.layers.length; ++place) {
      if (y >= AXIS && y >= this.strip_top(place) && y < this.strip_top(place) + this.strip_height(place)) return place;
    }
    return -1;
  }
  scroll(by) {
    const most = Math.max(0, this.whole_height() - (this.high ?? 0));
    this.scrolled = Math.min(most, Math.max(0, this.scrolled + by));
  }
  reveal() {
    const top = this.strip_top(this.chosen);
    if (top < AXIS) this.scroll(top - AXIS);
    if (top + STRIP_CHOSEN > AXIS + this.high) this.scroll(top + STRIP_CHOSEN - AXIS - this.high);
  }
  name(place) { return this.layers[place].layer.nodes || 'all nodes'; }

  draw(context, width, height) {
    const { at, dark, zero } = this.app;
    const { plane } = this;
    const colours = palette(dark);
    const left = width < 620 ? 4 : 176;
    plane.place(left, width - left);
    this.high = height - AXIS;
    this.scroll(0);
    context.fillStyle = colours.back;
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, width, this.high);
    context.clip();
    this.layers.forEach(({ layer, depth }, place) => {
      const [top, high] = [this.strip_top(place), this.strip_height(place)];
      if (top + high < AXIS || top > height) return;
      const steps = this.loads.steps(layer.number);
      const chosen = place === this.chosen;
      draw_layer_strip(context, { layer, steps, plane, at, top, height: high, colours });
      draw_strip_name(context, { name: this.name(place), layer, steps, plane, top, height: high, chosen, colours, depth,
        at_load: this.loads.at(layer.number, this.cursor ?? at) });
      if (!chosen) return;
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      context.strokeRect(1, top + 1, width - 2, high - 2);
    });
    context.restore();
    draw_axis(context, plane, { zero, bottom: height, width, colours });
    draw_time_line(context, plane, at, { words: 'now', colour: colours.now, bottom: height });
    if (this.cursor !== null) draw_time_line(context, plane, this.cursor, { words: '', colour: colours.text, bottom: height, width: 1 });
  }

  // --- Input

  point(x, y) {
    const place = this.place_at(y);
    this.cursor = x < this.plane.left ? null : this.plane.time_at(x);
    if (place >= 0 && this.cursor !== null) this.board.say(this.words(place, this.cursor));
    this.board.ask();
  }

  choose(place) {
    if (place < 0) return;
    this.chosen = place;
    this.name_twin();
    this.reveal();
    this.changed();
  }

  key(key) {
    if (this.layers.length === 0) return false;
    const { plane } = this;
    if (key === '0') plane.preset(0);
    else if (key === 'Enter' || key === ' ') {
      if (this.cursor !== null && this.app.slider) this.app.set_time(Math.round(this.cursor));
    } else if (key === 'ArrowUp' || key === 'ArrowDown') {
      this.choose(Math.min(this.layers.length - 1, Math.max(0, this.chosen + (key === 'ArrowUp' ? -1 : 1))));
    } else if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const step = key === 'ArrowLeft' ? -1 : 1;
      const from = this.cursor ?? Math.min(Math.max(this.app.at, plane.span.from), plane.span.to);
      this.cursor = plane.within(from + (step * plane.length) / 60);
      plane.reveal(this.cursor, step);
    } else if (!time_key(plane, key, this.cursor === null ? plane.middle : plane.x_of(this.cursor))) {
      return false;
    }
    this.board.say(this.words(this.chosen, this.cursor ?? this.app.at));
    this.changed();
    return true;
  }

  // --- Text

  words(place, time) {
    const { layer } = this.layers[place];
    const { used, kept } = this.loads.at(layer.number, time);
    const [total, base] = [Number(layer.total), Number(layer.base)];
    const bound = total < 0 ? `${grouped(used)} in use, without a bound` : `${grouped(used)} of ${grouped(total)} in use`;
    return `${shortened(this.name(place), 80)}, ${this.app.time(time)}: ${bound}` +
      (kept > 0 ? `, ${grouped(kept)} kept` : '') + (base > 0 ? `, ${grouped(base)} always` : '') +
      (total < 0 ? '' : `; ${percent(base + used, total + base)}`);
  }

  name_twin() {
    refill(this.twin_words, 'The loads of ', this.layers.length ? name_of(shortened(this.name(this.chosen), 80)) : '', ' as a table');
  }

  make_table() {
    const { app } = this;
    return new PagedTable('Loads of one layer', [
      { title: 'From', key: (row) => row.from, cell: (row) => app.time(row.from) },
      { title: 'Until', key: (row) => row.to, cell: (row) => (Number.isFinite(row.to) ? app.time(row.to) : 'not known') },
      { title: 'Is', key: (row) => row.from, cell: (row) => (row.from > app.at ? 'planned' : row.to <= app.at ? 'past' : 'now') },
      { title: 'Used', number: true, key: (row) => row.used, cell: (row) => grouped(row.used) },
      { title: 'Kept', number: true, key: (row) => row.kept, cell: (row) => grouped(row.kept) },
      { title: 'Free', number: true, key: (row) => row.free, cell: (row) => (row.free === Infinity ? 'no bound' : grouped(row.free)) },
    ], { what: 'step' });
  }

  fill_table() {
    if (!this.twin.open || this.layers.length === 0) return;
    const { layer } = this.layers[this.chosen];
    const steps = this.loads.steps(layer.number);
    const span = this.plane.span ?? this.plane.all();
    const total = Number(layer.total) < 0 ? Infinity : Number(layer.total);
    const rows = [];
    const add = (from, to, used, kept) => {
      if (from < span.to && to > span.from) rows.push({ from, to, used, kept, free: total - used - kept });
    };
    add(span.from, steps.time.length ? steps.time[0] : Infinity, 0, 0);
    steps.time.forEach((time, i) => add(time, i + 1 < steps.time.length ? steps.time[i + 1] : Infinity, steps.used[i], steps.kept[i]));
    this.table.set(rows);
  }
}
