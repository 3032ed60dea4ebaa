// SPDX-License-Identifier: Apache-2.0
//
// Will it run? A request is tried on a copy of the queue: when it would start, why not now, and
// what would let it start. The queue is not changed. What has few values is chosen from a list. A
// request that was tried can be submitted.
import { button, choice, el, facts, field, name_of, refill } from './dom.js';
import { cause_words, count_of, duration_words, help_words, local_words, relative_words, shortened } from './words.js';

const TRY_VERDICTS = {
  now: 'It would start now.', later: 'Not now, but later.', never: 'Never, on this machine.',
  unknown: 'When is unknown: it waits for something that has no end, or the queue is too long to simulate up to its start.',
};

const TRY_TIMES = [['10m', '10 minutes'], ['30m', '30 minutes'], ['1h', '1 hour'], ['2h', '2 hours'], ['4h', '4 hours'], ['8h', '8 hours'], ['12h', '12 hours'],
  ['1d', '1 day'], ['2d', '2 days'], ['7d', '7 days'], ['0', 'no limit'], ['', 'another time']];

export class TryView {
  constructor(app) {
    this.app = app;
    const number = (value, more = {}) => el('input', { type: 'number', min: '0', max: '10000000', value, class: 'short', ...more });
    this.nodes = number('1', { id: 'try-nodes' });
    this.cores = number('0');
    this.gpus = number('0');
    this.gpu_type = choice([['', 'any type'], ...gpu_types(app.machine).map((type) => [type, shortened(type, 40)])], '', () => this.fill_shape());
    this.other_time = el('input', { type: 'text', value: '3h', size: '6', hidden: true, 'aria-label': 'another time, such as 90m', id: 'try-other-time' });
    this.duration = choice(TRY_TIMES, '1h', (value) => { this.other_time.hidden = value !== ''; }, { id: 'try-duration' });
    this.queue = choice([['', 'the default']], '', () => {}, { id: 'try-queue' });
    this.shape = el('input', { type: 'text', size: '34', spellcheck: 'false', autocomplete: 'off', id: 'try-shape' });
    this.jobspec = el('textarea', { rows: '7', cols: '60', spellcheck: 'false', placeholder: '{"version": 1, "resources": […], "tasks": […], "attributes": {"system": {"duration": 3600}}}' });
    this.result = el('div', { 'aria-live': 'polite', id: 'try-result' });
    for (const input of [this.nodes, this.cores, this.gpus]) input.addEventListener('input', () => this.fill_shape());
    this.fill_shape();
    const form = el('form', { onsubmit: (event) => {
      event.preventDefault();
      void this.attempt();
    } },
    el('div', { class: 'tools' }, field('Nodes', this.nodes), field('Cores of each', this.cores), this.has_gpus() ? [field('GPUs of each', this.gpus), gpu_types(app.machine).length ? field('Of type', this.gpu_type) : null] : null,
      field('For', this.duration), this.other_time, field('Queue', this.queue)),
    el('details', { id: 'try-more' }, el('summary', {}, 'as a shape, or a jobspec'), el('div', { class: 'tools' }, field('Shape', this.shape)),
      el('label', { class: 'block' }, 'Jobspec (JSON), instead of a shape', this.jobspec)),
    el('p', {}, el('button', { type: 'submit', id: 'try-go' }, 'will it run?')));
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-try' }, el('h2', { id: 'title-try' }, 'Will it run?'),
      el('p', { class: 'lead' }, 'The request is tried on a copy of the queue, after all waiting jobs. Nothing is submitted.'), form, this.result);
  }

  has_gpus() { return this.app.machine.types.includes('gpu'); }

  // The queues of the service, in its order.
  async fill_queues() {
    let names = [];
    try {
      names = (await this.app.source.queues()).map((queue) => queue.name || '').filter((name) => name !== '');
    } catch { /* then the service chooses */ }
    const chosen = this.queue.value;
    refill(this.queue, ...(names.length ? names : ['']).map((name) => el('option', { value: name }, name === '' ? 'the only one' : shortened(name, 40))));
    if (names.includes(chosen)) this.queue.value = chosen;
  }

  // 0 cores and GPUs on each node: whole nodes.
  fill_shape() {
    const [nodes, cores, gpus] = [this.nodes, this.cores, this.gpus].map((input) => Math.max(0, Math.floor(Number(input.value) || 0)));
    const gpu = this.gpu_type.value === '' ? '' : `{${this.gpu_type.value}}`;
    const inside = [[cores, 'core'], [gpus, 'gpu']].filter(([count]) => count > 0).map(([count, type]) => `${type}=${count}${type === 'gpu' ? gpu : ''}`);
    const of_slot = inside.length > 1 ? `[${inside.join(';')}]` : inside[0];
    if (nodes === 0) this.shape.value = `slot=1/${of_slot || 'core'}`;
    else this.shape.value = inside.length === 0 ? `slot=${nodes}/node` : `node=${nodes}/slot=1/${of_slot}`;
  }

  request() {
    const out = {};
    if (this.queue.value !== '') out.queue = this.queue.value;
    if (this.jobspec.value.trim() !== '') return { ...out, jobspec: JSON.parse(this.jobspec.value) };
    const duration = (this.duration.value || this.other_time.value).trim();
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
      this.show_tried(await this.app.source.simulate(request), request);
    } catch (error) {
      refill(this.result, el('p', { role: 'alert' }, name_of(shortened(error.message, 1000))));
    }
  }

  // Submits the request that was tried.
  async submit(request) {
    try {
      const { id } = await this.app.source.submit(request);
      refill(this.submitted, 'Submitted as job ', el('a', { href: `#job/${id}` }, String(id)), '.');
    } catch (error) {
      refill(this.submitted, name_of(shortened(error.message, 1000)));
    }
  }

  show_tried(tried, request) {
    const { app } = this;
    const answer = tried.answer || {};
    const start = tried.start === null ? NaN : Number(tried.start);
    this.submitted = el('p', { role: 'status' });
    const submittable = tried.verdict !== 'never' && app.source.may('submit');
    refill(this.result,
      el('h3', {}, TRY_VERDICTS[tried.verdict] || tried.verdict),
      facts([
        ['Starts', tried.start === null ? '' : `${relative_words(tried.start, app.at)} (${app.time(tried.start)})`],
        ['Jobs ahead', answer.ahead ? count_of(answer.ahead, 'job') : ''],
        ['Why not now', answer.why && name_of(cause_words(answer.why.short ?? answer.why.text, start, tried.now, app.zero))],
        ['Where', tried.nodes && el('code', { class: 'long' }, name_of(shortened(tried.nodes, 2000)))],
      ]),
      (answer.help || []).length ? el('div', {}, el('h4', {}, 'What would help'), el('ul', {}, ...answer.help.map((help) => el('li', {}, name_of(help_words(help)))))) : null,
      tried.complete ? null : el('p', { class: 'soft' }, 'The queue is long: it was not simulated to its end.'),
      tried.text ? el('details', { open: tried.verdict === 'never' }, el('summary', {}, 'on the machine alone, without the queue'), el('div', { class: 'long' }, name_of(local_words(tried.text)))) : null,
      tried.verdict === 'never' || tried.verdict === 'now' ? null : el('p', { class: 'soft' }, `As of ${app.time(tried.now)}; ${duration_words(Math.max(0, app.at - tried.now))} ago.`),
      el('p', { class: 'actions' }, button('try again', () => this.attempt()),
        submittable ? button('submit this', () => this.submit(request), { id: 'try-submit' }) : null), this.submitted);
  }

  show() {
    void this.fill_queues();
    this.refresh();
  }
  refresh() {}
}

// Types of GPUs.
function gpu_types(machine) {
  return (machine.doc.devices || {}).gpu || [];
}
