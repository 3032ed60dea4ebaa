// SPDX-License-Identifier: Apache-2.0
//
// Colours of canvases, light and dark. A letter, a stripe or a word repeats the meaning of each
// colour. Pure functions.
import { pixel } from './cells.js';

const LIGHT = {
  back: '#ffffff', panel: '#eef1f5', line: '#7f8c9c', faint: '#dfe4ea', text: '#16202c', soft: '#4b5a6b',
  free: '#dce4ec', used: '#2563a8', part: '#7fa9d6', planned: '#b7a1ea', down: '#3b4350', drained: '#c77d12',
  now: '#c2232f', accent: '#0b57b4', bad: '#c2232f', ink: '#ffffff',
};
const DARK = {
  back: '#10151c', panel: '#1a222c', line: '#5d6b7c', faint: '#28323e', text: '#e8edf3', soft: '#a9b6c4',
  free: '#2a3441', used: '#5b9fe3', part: '#3b6a9e', planned: '#7a62b8', down: '#8b95a3', drained: '#d9942f',
  now: '#ff6b74', accent: '#7db8ff', bad: '#ff6b74', ink: '#0b1016',
};

export function palette(dark) {
  return dark ? DARK : LIGHT;
}

function rgb_of(hue, saturation, lightness) {
  const a = saturation * Math.min(lightness, 1 - lightness);
  const part = (n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return '#' + [part(0), part(8), part(4)].map((value) => value.toString(16).padStart(2, '0')).join('');
}

// The colour of a job, a user or a queue by its number: neighbours differ clearly, and a number
// always has the same colour.
export function number_colour(number, dark) {
  const hue = (number * 137.508) % 360;
  const turn = Math.floor(number / 3) % 3;
  const lightness = dark ? [0.58, 0.68, 0.5][turn] : [0.46, 0.58, 0.38][turn];
  return rgb_of(hue, dark ? 0.5 : 0.55, lightness);
}

// The number of a name for number_colour(): the same on each page and each day, whatever other names there are.
export function name_number(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  return hash % 4096;
}

const KEPT = new Map();
export function number_pixel(number, dark) {
  const key = number % 4096 + (dark ? 4096 : 0);
  let found = KEPT.get(key);
  if (found === undefined) KEPT.set(key, found = pixel(number_colour(number % 4096, dark)));
  return found;
}

export function luminance(colour) {
  const value = parseInt(colour.slice(1), 16);
  const channel = (byte) => {
    const c = byte / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(value >> 16) + 0.7152 * channel((value >> 8) & 255) + 0.0722 * channel(value & 255);
}

export function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

// Black or white, whichever is easier to read on a colour.
export function ink_on(colour) {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000';
}

// From nothing (0) to all (1).
export function ramp(share, dark) {
  const steps = dark
    ? ['#2a3441', '#2f4d6b', '#3a6d9c', '#4d90cc', '#79bdf7']
    : ['#dce4ec', '#b3cfe8', '#7fadd8', '#4684bd', '#174f8a'];
  return steps[share <= 0 ? 0 : Math.min(4, 1 + Math.floor(share * 3.999))];
}
