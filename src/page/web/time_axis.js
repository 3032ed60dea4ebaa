// SPDX-License-Identifier: Apache-2.0
//
// A span of time on a screen: ticks with labels, zooming and moving. Pure functions; a span is
// {from, to} in seconds, from < to.

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800,
  432000, 604800, 1209600, 2592000, 7776000, 31536000, 63072000, 157680000, 315360000];

export const SPAN_LEAST = 10;

// Ticks at least `apart` pixels from each other: [{time, label, day}]. `offset`: seconds from the
// span's zero to a midnight, so that ticks of hours and days are those of a clock.
export function ticks(span, width, apart, offset = 0, clock = null) {
  const length = span.to - span.from;
  const most = Math.max(1, Math.floor(width / apart));
  let step = STEPS.find((each) => length / each <= most);
  if (step === undefined) step = 10 ** Math.ceil(Math.log10(length / most));
  const out = [];
  const begin = Math.ceil((span.from + offset) / step) * step - offset;
  for (let time = begin; time <= span.to && out.length <= most + 1; time += step) {
    out.push({ time, label: tick_label(time, step, clock), day: (time + offset) % 86400 === 0 });
  }
  return out;
}

function tick_label(time, step, clock) {
  const two = (number) => String(number).padStart(2, '0');
  if (clock !== null) {
    const date = new Date((time + clock) * 1000);
    const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    if (step >= 86400 * 300) return String(date.getFullYear());
    if (step >= 86400) return day;
    const hour = `${two(date.getHours())}:${two(date.getMinutes())}`;
    if (step < 60) return `${hour}:${two(date.getSeconds())}`;
    return hour === '00:00' ? day : hour;
  }
  const sign = time < 0 ? '−' : '';
  const t = Math.abs(time);
  const day = Math.floor(t / 86400);
  if (step >= 86400) return `${sign}${day} d`;
  const hour = `${two(Math.floor((t % 86400) / 3600))}:${two(Math.floor((t % 3600) / 60))}`;
  if (step < 60) return `${sign}${hour}:${two(t % 60)}`;
  if (t % 86400 === 0 && t > 0) return `${sign}${day} d`;
  return sign + hour;
}

// Zooms by a factor (above 1: in) around the time at `share` of the width, within `bounds`.
export function zoomed(span, factor, share, bounds) {
  const length = span.to - span.from;
  const most = bounds.to - bounds.from;
  const next = Math.min(Math.max(length / factor, Math.min(SPAN_LEAST, most)), most);
  const at = span.from + length * share;
  return kept({ from: at - next * share, to: at + next * (1 - share) }, bounds);
}

export function moved(span, seconds, bounds) {
  return kept({ from: span.from + seconds, to: span.to + seconds }, bounds);
}

// The same length, moved into the bounds.
export function kept(span, bounds) {
  const length = Math.min(span.to - span.from, bounds.to - bounds.from);
  let from = Math.max(span.from, bounds.from);
  if (from + length > bounds.to) from = bounds.to - length;
  return { from, to: from + length };
}
