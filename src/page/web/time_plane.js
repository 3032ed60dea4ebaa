// SPDX-License-Identifier: Apache-2.0
//
// A span of time across a canvas: positions of times, and navigation. No span leaves the bounds,
// which may grow while it is shown.
import { kept, moved, zoomed } from './time_axis.js';
import { button, el } from './dom.js';

export class TimePlane {
  // bounds(): {from, to} of all data; now(): the time shown.
  constructor(bounds, now) {
    this.bounds = bounds;
    this.now = now;
    this.span = null;  // until it is drawn for the first time
    this.left = 0;
    this.inner = 1;
  }

  // With some space at both ends.
  all() {
    const { from, to } = this.bounds();
    const edge = (to - from) * 0.01;
    return { from: from - edge, to: to + edge };
  }

  // Called before drawing: pixels from `left` on are its time.
  place(left, inner) {
    this.left = left;
    this.inner = Math.max(1, inner);
    this.span = kept(this.span ?? this.all(), this.all());
  }

  get length() { return this.span.to - this.span.from; }
  get right() { return this.left + this.inner; }
  get middle() { return this.left + this.inner / 2; }
  x_of(time) { return this.left + ((time - this.span.from) / this.length) * this.inner; }
  time_at(x) { return this.span.from + ((x - this.left) / this.inner) * this.length; }
  within(time) { return Math.min(Math.max(time, this.all().from), this.all().to); }

  // Returns whether the span changed: at a bound it does not.
  zoom(factor, x = this.middle) {
    const before = this.span;
    this.span = zoomed(before, factor, Math.min(1, Math.max(0, (x - this.left) / this.inner)), this.all());
    return this.span.from !== before.from || this.span.to !== before.to;
  }

  move(seconds) { this.span = moved(this.span, seconds, this.all()); }
  drag(dx) { this.move((-dx / this.inner) * this.length); }

  // Shows this number of seconds, a quarter of them before now; 0: all.
  preset(seconds) {
    const all = this.all();
    const length = Math.min(seconds, all.to - all.from);
    this.span = seconds === 0 ? all : kept({ from: this.now() - length / 4, to: this.now() + (3 * length) / 4 }, all);
  }

  go_now() {
    const length = this.length;
    this.span = kept({ from: this.now() - length / 2, to: this.now() + length / 2 }, this.all());
  }

  // Makes a time visible; `step`: the direction from which it came.
  reveal(time, step) {
    if (time > this.span.to || time < this.span.from) this.move((step * this.length) / 4);
  }
}

// Spans for users without a wheel. `changed` is called after each; true: the whole span is visible.
export function time_buttons(plane, changed) {
  const preset = (words, seconds) => button(words, () => { plane.preset(seconds); changed(true); });
  return el('span', { class: 'group', role: 'group', 'aria-label': 'span of time' },
    preset('all', 0), preset('1 h', 3600), preset('6 h', 21600), preset('1 day', 86400), preset('1 week', 604800),
    button('now', () => { plane.go_now(); changed(false); }));
}

// The keys for time in all views; false: the key has no such function.
export function time_key(plane, key, x) {
  if (key === '+' || key === '=') plane.zoom(1.4, x);
  else if (key === '-') plane.zoom(1 / 1.4, x);
  else if (key === 'n' || key === 'N') plane.go_now();
  else if (key === 'PageDown' || key === 'PageUp') plane.move((key === 'PageDown' ? 0.5 : -0.5) * plane.length);
  else return false;
  return true;
}
