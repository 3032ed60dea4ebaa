// SPDX-License-Identifier: Apache-2.0
//
// Common parts of pictures over time: ticks with labels, and lines at named times.
import { ink_on } from './colours.js';
import { ticks } from './time_axis.js';

export const AXIS = 24;  // the height of the labels above a picture

// `zero`: as in `about`. Lines go down to `bottom`.
export function draw_axis(context, plane, { zero, bottom, width, colours }) {
  const offset = zero === null ? 0 : zero - new Date(zero * 1000).getTimezoneOffset() * 60;
  context.fillStyle = colours.soft;
  context.strokeStyle = colours.line;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (const tick of ticks(plane.span, plane.inner, 76, offset, zero)) {
    const x = Math.round(plane.x_of(tick.time)) + 0.5;
    context.globalAlpha = tick.day ? 0.7 : 0.25;
    context.beginPath();
    context.moveTo(x, AXIS - 5);
    context.lineTo(x, bottom);
    context.stroke();
    context.globalAlpha = 1;
    const wide = context.measureText(tick.label).width;
    context.fillText(tick.label, Math.min(Math.max(x - wide / 2, plane.left), width - wide - 2), AXIS / 2 - 2);
  }
}

export function draw_time_line(context, plane, time, { words, colour, bottom, width = 2, dash = [] }) {
  const x = Math.round(plane.x_of(time)) + 0.5;
  if (!(x >= plane.left && x <= plane.right)) return;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x, AXIS - 4);
  context.lineTo(x, bottom);
  context.stroke();
  context.setLineDash([]);
  context.font = 'bold 11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const wide = context.measureText(words).width + 6;
  const at = Math.min(x, plane.right - wide);
  context.fillStyle = colour;
  context.fillRect(at, AXIS - 10, wide, 14);
  context.fillStyle = ink_on(colour);
  context.fillText(words, at + 3, AXIS - 2.5);
}

// The cross of the cursor.
export function draw_cross(context, plane, x, y, bottom, colours) {
  context.strokeStyle = colours.text;
  context.globalAlpha = 0.6;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, AXIS);
  context.lineTo(Math.round(x) + 0.5, bottom);
  context.moveTo(plane.left, Math.round(y) + 0.5);
  context.lineTo(plane.right, Math.round(y) + 0.5);
  context.stroke();
  context.globalAlpha = 1;
}
