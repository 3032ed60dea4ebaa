// SPDX-License-Identifier: Apache-2.0
//
// Numbers, times and names for readers. Pure functions.

// An integer with commas; text (an integer beyond 2^53) stays exact.
export function grouped(number) {
  const text = String(number);
  return /^-?\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

// "1 node", "2 nodes".
export function count_of(number, what) {
  const several = /(s|x|ch)$/.test(what) ? what + 'es' : /[^aeiou]y$/.test(what) ? what.slice(0, -1) + 'ies' : what + 's';
  return `${grouped(number)} ${Number(number) === 1 ? what : several}`;
}

// "45 s", "2 min 30 s", "1 h 05 min", "3 d 4 h": at most two units, rounded down.
export function duration_words(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, '0');
  if (s < 60) return `${s} s`;
  if (s < 3600) return s % 60 ? `${Math.floor(s / 60)} min ${two(s % 60)} s` : `${s / 60} min`;
  if (s < 86400) {
    const minutes = Math.floor((s % 3600) / 60);
    return minutes ? `${Math.floor(s / 3600)} h ${two(minutes)} min` : `${Math.floor(s / 3600)} h`;
  }
  const hours = Math.floor((s % 86400) / 3600);
  return hours ? `${grouped(Math.floor(s / 86400))} d ${hours} h` : `${grouped(Math.floor(s / 86400))} d`;
}

// A time as text. Without a zero, relative to the begin: "1 d 03:20:00". With one (the real time
// then, in seconds since 1970), local time: "2026-11-23 14:05:00".
export function time_words(seconds, zero) {
  if (seconds === null || seconds === undefined) return '–';
  const two = (number) => String(number).padStart(2, '0');
  if (zero === null || zero === undefined) {
    const negative = seconds < 0;
    const s = Math.floor(Math.abs(seconds));
    const clock = `${two(Math.floor((s % 86400) / 3600))}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
    const day = Math.floor(s / 86400);
    return (negative ? '−' : '') + (day ? `${grouped(day)} d ${clock}` : clock);
  }
  const date = new Date((seconds + zero) * 1000);
  if (Number.isNaN(date.getTime())) return `${grouped(seconds)} s`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// "in 2 h 05 min", "10 min ago", "now".
export function relative_words(seconds, now) {
  const off = seconds - now;
  if (Math.abs(off) < 1) return 'now';
  return off > 0 ? `in ${duration_words(off)}` : `${duration_words(-off)} ago`;
}

// "50 min", "3 h", "2 days", rounded: as `copse why` has it.
function rough_words(seconds) {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60), hours = Math.round(seconds / 3600);
  if (minutes < 120) return `${minutes} min`;
  return hours < 48 ? `${hours} h` : `${Math.round(seconds / 86400)} days`;
}

// A time as the reader's clock shows it: "14:05", on another day "2026-11-23 14:05"; without a zero
// as time_words().
export function clock_words(time, at, zero) {
  const full = time_words(time, zero);
  if (zero === null || zero === undefined) return full;
  return full.slice(0, 10) === time_words(at, zero).slice(0, 10) ? full.slice(11, 16) : full.slice(0, 16);
}

// The short cause of an answer with the start that ends the waiting, in the reader's time zone:
// "waits for 4 of 2 free nodes, until 14:05 (in 50 min)". `start`: NaN if it is not known.
export function cause_words(cause, start, at, zero) {
  if (!(start > at)) return cause;
  return `${cause}, until ${clock_words(start, at, zero)} (in ${rough_words(start - at)})`;
}

// A text of the service, with its times in the reader's time zone.
export function local_words(text) {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => {
    const seconds = Date.parse(time) / 1000;
    return Number.isNaN(seconds) ? time : time_words(seconds, 0);
  });
}

// At most this number of visible characters; an ellipsis replaces the rest.
export function shortened(text, most) {
  if (text.length <= most) return text;
  const head = text.slice(0, most * 16);  // enough for any cluster; labels may have 10 KB
  const letters = typeof Intl !== 'undefined' && Intl.Segmenter
    ? Array.from(new Intl.Segmenter().segment(head), (piece) => piece.segment)
    : Array.from(head);
  if (letters.length <= most && head.length === text.length) return text;
  return letters.slice(0, most - 1).join('') + '…';
}

// The longest end of a name that fits, after an ellipsis, because the end distinguishes names of
// nodes. `wide(text)` is the width of a text; "" if nothing fits.
export function fitted(name, room, wide) {
  if (name.length < 256 && wide(name) <= room) return name;
  const letters = Array.from(name.slice(-64));
  for (let from = 1; from < letters.length; ++from) {
    const end = '…' + letters.slice(from).join('');
    if (wide(end) <= room) return end;
  }
  return '';
}

// For a canvas: isolated, so a right-to-left name does not reorder the text next to it; line breaks
// and tabs become blanks.
export function isolated(text) {
  return `\u2068${text.replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, ' ')}\u2069`;
}

export function percent(part, whole) {
  if (!(whole > 0)) return '0 %';
  const value = (100 * part) / whole;
  if (value > 0 && value < 1) return '< 1 %';
  if (value > 99 && value < 100) return '> 99 %';
  return `${Math.round(value)} %`;
}

// The suggestions of an answer for a waiting job, as text.
//
export function help_words(help) {
  switch (help.kind) {
    case 'fewer': return `with ${count_of(help.count, help.type)} it would start now`;
    case 'shorter': return `with at most ${duration_words(help.seconds)} it would start now`;
    case 'queue': return `in queue ${help.queue} it would start now`;
    default: return '';
  }
}
