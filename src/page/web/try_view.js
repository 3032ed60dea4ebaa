// SPDX-License-Identifier: Apache-2.0
//
// Will it run? A request is tried on a copy of the queue: when it would start, why not now, and
// what would let it start. The queue is not changed.
import { button, el, facts, field, name_of, refill } from './dom.js';
import { count_of, duration_words, help_words, relative_words, shortened } from './words.js';

const TRY_VERDICTS = {
  now: 'It would start now.', later: 'Not now, but later.', never: 'Never, on this machine.',
  unknown: 'When is unknown: it waits for something that has no end, or the queue is too long to simulate up to its start.',
};

export class TryView {
  constructor(app) {
    this.app = app;
    this.nodes = el('input', { type: 'number', min: '0', max: '10000000', value: '1', id: 'try-nodes' });
    this.cores = el('input', { type: 'number', min: '0', max: '10000000', value: '0' });
    this.gpus = el('input', { type: 'number', min: '0', max: '10000000', value: '0' });
    this.duration = el('input', { type: 'text', value: '1h', size: '6', id: 'try-duration' });
    this.queue = el('input', { type: 'text', size: '10', autocomplete: 'off' });
    this.shape = el('input', { type: 'text', size: '34', spellcheck: 'false', autocomplete: 'off', id: 'try-shape' });
    this.jobspec = el('textarea', { rows: '7', cols: '60', spellcheck: 'false', placeholder: '{"version": 1, "resources": […], "tasks": […], "attributes": {"system": {"duration": 3600}}}' });
    this.result = el('div', { 'aria-live': 'polite', id: 'try-result' });
    for (const input of [this.nodes, this.cores, this.gpus]) input.addEventListener('input', () => this.fill_shape());
    this.fill_shape();
    const form = el('form', { onsubmit: (event) => {
      event.preventDefault();
      void this.attempt();
    } },
    el('div', { class: 'tools' }, field('Nodes', this.nodes), field('Cores of each', this.cores), field('GPUs of each', this.gpus),
      field('For', this.duration), field('Queue', this.queue)),
    el('div', { class: 'tools' }, field('As a shape', this.shape)),
    el('details', {}, el('summary', {}, 'or a jobspec (JSON)'), el('label', {}, el('span', { class: 'sr' }, 'jobspec'), this.jobspec)),
    el('p', {}, el('button', { type: 'submit', id: 'try-go' }, 'will it run?')));
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-try' }, el('h2', { id: 'title-try' }, 'Will it run?'),
      el('p', { class: 'lead' }, 'The request is tried on a copy of the queue, after all waiting jobs. Nothing is submitted.'), form, this.result);
  }

  // 0 cores and GPUs on each node: whole nodes.
  fill_shape() {
    const [nodes, cores, gpus] = [this.nodes, this.cores, this.gpus].map((input) => Math.max(0, Math.floor(Number(input.value) || 0)));
    const inside = [[cores, 'core'], [gpus, 'gpu']].filter(([count]) => count > 0).map(([count, type]) => `${type}=${count}`);
    const of_slot = inside.length > 1 ? `[${inside.join(';')}]` : inside[0];
    if (nodes === 0) this.shape.value = `slot=1/${of_slot || 'core'}`;
    else this.shape.value = inside.length === 0 ? `slot=${nodes}/node` : `node=${nodes}/slot=1/${of_slot}`;
  }

  request() {
    const out = {};
    if (this.queue.value.trim() !== '') out.queue = this.queue.value.trim();
    if (this.jobspec.value.trim() !== '') return { ...out, jobspec: JSON.parse(this.jobspec.value) };
    const duration = this.duration.value.trim();
    return { ...out, shape: this.shape.value.trim(), duration: /^\d+$/.test(duration) ? Number(duration) : duration };
  }

  async attempt() {
    let request;
    try {
      request = this.request();
    } catch (error) {
      refill(this.result, el('p', { role: 'alert' }, `The jobspec is not JSON: ${error.message}`));
      return;
    }
    refill(this.result, el('p', {}, 'trying…'));
    try {
      this.show_tried(await this.app.source.simulate(request));
    } catch (error) {
      refill(this.result, el('p', { role: 'alert' }, name_of(shortened(error.message, 1000))));
    }
  }

  show_tried(tried) {
    const { app } = this;
    const answer = tried.answer || {};
    refill(this.result,
      el('h3', {}, TRY_VERDICTS[tried.verdict] || tried.verdict),
      facts([
        ['Starts', tried.start === null ? '' : `${relative_words(tried.start, app.at)} (${app.time(tried.start)})`],
        ['Jobs ahead', answer.ahead ? count_of(answer.ahead, 'job') : ''],
        ['Why not now', answer.why && name_of(shortened(answer.why.text, 2000))],
        ['Where', tried.nodes && el('code', { class: 'long' }, name_of(shortened(tried.nodes, 2000)))],
      ]),
      (answer.help || []).length ? el('div', {}, el('h4', {}, 'What would help'), el('ul', {}, ...answer.help.map((help) => el('li', {}, name_of(help_words(help)))))) : null,
      tried.complete ? null : el('p', { class: 'soft' }, 'The queue is long: it was not simulated to its end.'),
      tried.text ? el('details', { open: tried.verdict === 'never' }, el('summary', {}, 'on the machine alone, without the queue'), el('div', { class: 'long' }, name_of(tried.text))) : null,
      tried.verdict === 'never' || tried.verdict === 'now' ? null : el('p', { class: 'soft' }, `As of ${app.time(tried.now)}; ${duration_words(Math.max(0, app.at - tried.now))} ago.`),
      el('p', {}, button('try again', () => this.attempt())));
  }

  show() { this.refresh(); }
  refresh() {}
}
