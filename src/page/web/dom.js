// SPDX-License-Identifier: Apache-2.0
//
// Creates elements without markup: all text is text.

// el('td', {class: 'number', onclick: f, 'aria-label': '…'}, 'text', element, …). null and
// undefined are skipped; `true` is an attribute without a value.
export function el(tag, attributes = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) out.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, of] of Object.entries(value)) out.style.setProperty(key, of);
    else out.setAttribute(name, value === true ? '' : value);
  }
  append_to(out, children);
  return out;
}

function append_to(element, children) {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (Array.isArray(child)) append_to(element, child);
    else element.append(child);
  }
}

export function refill(element, ...children) {
  element.replaceChildren();
  append_to(element, children);
  return element;
}

// Foreign text, isolated, so a right-to-left name does not reorder the text next to it.
export function name_of(text) {
  return el('bdi', {}, text);
}

export function field(label, control) {
  return el('label', { class: 'field' }, el('span', {}, label), control);
}

// [[value, words], …]
export function choice(options, value, onchange, attributes = {}) {
  const out = el('select', { ...attributes, onchange: () => onchange(out.value) },
    ...options.map(([of, words]) => el('option', { value: of }, words)));
  out.value = value;
  return out;
}

export function button(words, onclick, attributes = {}) {
  return el('button', { type: 'button', onclick, ...attributes }, words);
}

// Names and values: a dl of [[name, value], …]; a value may be an element, or null.
export function facts(pairs) {
  return el('dl', {}, ...pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}
