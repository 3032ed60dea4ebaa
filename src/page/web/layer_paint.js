// SPDX-License-Identifier: Apache-2.0
//
// Loads of layers over time, one strip below the other. The height of a strip is its total. From
// the bottom: always in use, used by jobs, and on top, framed, kept by reservations.
import { load_columns } from './layer_loads.js';
import { fitted, isolated, percent } from './words.js';

export const STRIP = 26, STRIP_CHOSEN = 96;

// The amount that a strip's height represents: its total with what is always in use; without a
// limit, the maximum over time.
export function layer_scale(layer, steps) {
  const base = Number(layer.base);
  if (Number(layer.total) >= 0) return Math.max(1, Number(layer.total) + base);
  let most = 1;
  for (let i = 0; i < steps.time.length; ++i) most = Math.max(most, base + steps.used[i] + steps.kept[i]);
  return most;
}

// `what`: {layer, steps, plane, at, top, height, colours}. Loads above the total are cut off and
// red.
export function draw_layer_strip(context, { layer, steps, plane, at, top, height, colours }) {
  const columns = Math.max(1, Math.floor(plane.inner));
  const scale = layer_scale(layer, steps);
  const bottom = top + height - 1;
  const room = height - 3;
  const high = (amount) => Math.round(Math.min(1, Math.max(0, amount / scale)) * room);
  context.fillStyle = colours.panel;
  context.fillRect(plane.left, top + 1, plane.inner, height - 2);
  const base = high(Number(layer.base));
  const { used, kept } = load_columns(steps, plane.span, columns);
  const now = Math.min(columns, Math.max(0, Math.floor(plane.x_of(at) - plane.left)));
  // Equal neighbours are one rectangle.
  for (let x = 0; x < columns;) {
    const u = high(Number(layer.base) + used[x]) - base;
    const k = high(Number(layer.base) + used[x] + kept[x]) - base - u;
    const over = Number(layer.base) + used[x] > scale;
    const planned = x >= now;
    let end = x + 1;
    while (end < columns && used[end] === used[x] && kept[end] === kept[x] && end !== now) ++end;
    if (u > 0) {
      context.fillStyle = over ? colours.bad : planned ? colours.part : colours.used;
      context.fillRect(plane.left + x, bottom - base - u, end - x, u);
    }
    if (k > 0) draw_kept(context, plane.left + x, bottom - base - u - k, end - x, k, colours);
    x = end;
  }
  if (base > 0) draw_hatched(context, plane.left, bottom - base, plane.inner, base, colours);
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(plane.left, bottom + 0.5);
  context.lineTo(plane.right, bottom + 0.5);
  context.stroke();
}

function draw_kept(context, x, y, width, height, colours) {
  context.fillStyle = colours.planned;
  context.globalAlpha = 0.35;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.fillRect(x, y, width, Math.min(2, height));
}

function draw_hatched(context, x, y, width, height, colours) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.fillStyle = colours.back;
  context.fillRect(x, y, width, height);
  context.strokeStyle = colours.soft;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 5) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

// The name of a strip, to its left, or on it if there is no space; for the selected one also the
// amount at its top.
export function draw_strip_name(context, { name, layer, steps, plane, top, height, chosen, colours, depth, at_load }) {
  const margin_labels = plane.left >= 100;
  const room = (margin_labels ? plane.left : plane.inner) - 8 - Math.min(depth, 8) * 8;
  const x = (margin_labels ? 4 : plane.left + 4) + Math.min(depth, 8) * 8;
  context.font = `${chosen ? 'bold ' : ''}11px system-ui, sans-serif`;
  context.textBaseline = 'top';
  const text = isolated(fitted(name, room, (of) => context.measureText(isolated(of)).width));
  if (!margin_labels) {
    context.fillStyle = colours.back;
    context.globalAlpha = 0.75;
    context.fillRect(x - 2, top + 2, context.measureText(text).width + 4, 14);
    context.globalAlpha = 1;
  }
  context.fillStyle = chosen ? colours.text : colours.soft;
  context.fillText(text, x, top + 3);
  if (!chosen) return;
  const scale = layer_scale(layer, steps);
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = colours.soft;
  const bound = Number(layer.total) < 0 ? 'no bound' : percent(Number(layer.base) + at_load.used, scale);
  if (margin_labels) context.fillText(`${bound} in use at this time`, 4, top + 20);
}
