// SPDX-License-Identifier: Apache-2.0
//
// A canvas that is redrawn after changes, at most once per frame, in the resolution of the screen.
// It handles pointers and keys, and has a live region for screen readers.
import { el } from './dom.js';

export class Board {
  // draw(context, width, height, ratio); pointer: {move(x, y), leave(), click(x, y), drag(dx, dy,
  // x, y), wheel(steps, x, y, shift) → true if it was handled}; key(name, shift) → true if it was
  // handled.
  constructor({ label, help, height, draw, pointer, key }) {
    this.canvas = el('canvas', { tabindex: '0', role: 'application', 'aria-label': label, 'aria-roledescription': 'map' });
    this.live = el('p', { class: 'live', 'aria-live': 'polite' });
    this.element = el('div', { class: 'board' }, this.canvas, this.live, el('p', { class: 'help' }, help));
    this.draw_now = draw;
    this.height = height;
    this.width = 0;
    this.asked = false;
    this.drawn = 0;
    this.pointer = pointer;
    this.touches = new Map();
    new ResizeObserver(() => this.ask()).observe(this.element);
    this.listen(key);
  }

  say(text) { if (this.live.textContent !== text) this.live.textContent = text; }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const width = Math.floor(this.element.clientWidth);
    if (width === 0) return;  // not shown
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const height = Math.floor(typeof this.height === 'function' ? this.height(width) : this.height);
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.setProperty('height', `${height}px`);
    }
    this.width = width;
    const context = this.canvas.getContext('2d', { alpha: false });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw_now(context, width, height, ratio);
    if (this.drawn++ === 0) performance.mark('copse-drawn');
  }

  listen(key) {
    const { canvas, pointer } = this;
    let pressed = null;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener('pointerdown', (event) => {
      const [x, y] = place(event);
      this.touches.set(event.pointerId, [x, y]);
      pressed = { x, y, far: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      const [x, y] = place(event);
      if (pressed && this.touches.size === 2) {
        this.pinch(event.pointerId, x, y);
        pressed.far = true;
      } else if (pressed) {
        pressed.far ||= Math.hypot(x - pressed.x, y - pressed.y) > 4;
        if (pressed.far) {
          const [ox, oy] = this.touches.get(event.pointerId) || [x, y];
          pointer.drag(x - ox, y - oy, x, y);
          this.touches.set(event.pointerId, [x, y]);
        }
      } else {
        pointer.move(x, y);
      }
    });
    const end = (event) => {
      const [x, y] = place(event);
      const click = event.type === 'pointerup' && pressed && !pressed.far && this.touches.size === 1;
      this.touches.delete(event.pointerId);
      if (this.touches.size === 0) pressed = null;
      if (click) pointer.click(x, y);
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerleave', () => pointer.leave());
    canvas.addEventListener('wheel', (event) => {
      const [x, y] = place(event);
      const delta = event.deltaY || event.deltaX;
      const steps = -Math.sign(delta) * Math.min(3, Math.abs(delta) / 100 + 0.2);
      // If there is nothing to zoom, the page scrolls.
      if (pointer.wheel(steps, x, y, event.shiftKey)) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key(event.key, event.shiftKey)) event.preventDefault();
    });
  }

  pinch(id, x, y) {
    const other = [...this.touches].find(([each]) => each !== id)[1];
    const [ox, oy] = this.touches.get(id);
    const before = Math.hypot(ox - other[0], oy - other[1]);
    const after = Math.hypot(x - other[0], y - other[1]);
    this.touches.set(id, [x, y]);
    if (before > 10) this.pointer.wheel(Math.log2(after / before) * 4, (x + other[0]) / 2, (y + other[1]) / 2, false);
  }
}
