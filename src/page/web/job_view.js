// SPDX-License-Identifier: Apache-2.0
//
// One job: its request, its resources, why it waits, and its history.
import { button, el, facts, field, name_of, refill } from './dom.js';
import { ENDED, GONE, RUNS, STATE_WORDS, WAITS } from './model.js';
import { is_edited, job_actions } from './job_actions.js';
import { number_or_nan } from './queue_view.js';
import { cause_words, count_of, duration_words, grouped, help_words, local_words, relative_words, shortened } from './words.js';

const FOUND_MOST = 20;

export class JobView {
  constructor(app) {
    this.app = app;
    this.found = el('ul', { class: 'plain found', 'aria-live': 'polite' });
    this.body = el('div');
    this.input = el('input', { type: 'search', placeholder: 'id, name or user', autocomplete: 'off', oninput: () => this.search() });
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-job' },
      el('h2', { id: 'title-job' }, 'Job'), el('div', { class: 'tools' }, field('Find', this.input)), this.found, this.body);
  }

  search() {
    const wanted = this.input.value.trim().toLowerCase();
    const { jobs } = this.app;
    const out = [];
    if (wanted !== '') {
      for (let j = 0; j < jobs.count && out.length < FOUND_MOST; ++j) {
        if (jobs.ids[j].toLowerCase().startsWith(wanted) || jobs.own_name(j).toLowerCase().includes(wanted) || jobs.user(j).toLowerCase().startsWith(wanted)) out.push(j);
      }
    }
    refill(this.found, ...out.map((j) => el('li', {}, this.app.job_link(j), jobs.user(j) ? [' of ', name_of(shortened(jobs.user(j), 40))] : '')));
    if (wanted !== '' && out.length === 0) refill(this.found, el('li', {}, 'no job has an id, a name or a user that begins so'));
  }

  refresh() {
    const { jobs, chosen_job: j, at } = this.app;
    if (is_edited(this.body)) return;
    if (j < 0) {
      refill(this.body, el('p', { class: 'soft' }, 'Choose a job: here, in the queue, on the map or in the schedule.'));
      return;
    }
    const { state, run } = jobs.state_of(j, at);
    const when = state === RUNS ? `for ${duration_words(at - jobs.start[run])}`
      : state === WAITS ? `for ${duration_words(at - jobs.submit[j])}` : state === ENDED ? relative_words(jobs.end[run], at) : '';
    const priority = jobs.doc.jobs.priority[j];
    refill(this.body,
      el('h3', { class: 'long' }, 'Job ', name_of(jobs.name(j))),
      facts([
        ['Id', el('code', { class: 'long' }, name_of(jobs.ids[j]))],
        ['State', `${STATE_WORDS[state]} ${when}`],
        ['User', jobs.user(j) && name_of(jobs.user(j))], ['Queue', jobs.queue(j) && name_of(jobs.queue(j))],
        ['Priority', priority ? grouped(priority) : ''],
        ['Asks for', jobs.request(j) && el('code', { class: 'long' }, name_of(jobs.request(j)))],
        ['For', jobs.limit[j] > 0 ? `${duration_words(jobs.limit[j])} at most` : ''],
      ]),
      this.place_of(j, run), this.reason = el('div', { 'aria-live': 'polite' }), this.life(j),
      this.doing = el('p', {}, job_actions(this.app, j, this.held_job === jobs.ids[j]) || ''),
      el('p', {}, button('show it in the schedule', () => this.app.go('schedule')), ' ', button('show it on the machine', () => this.app.go('machine'))));
    this.explain(j, state);
  }

  place_of(j, run) {
    const { jobs } = this.app;
    if (run < 0) return null;
    const planned = jobs.start[run] > this.app.at;
    return [el('h4', {}, planned ? 'Will have' : 'Has, or had'), facts([
      ['Nodes', grouped(jobs.doc.runs.nodes[run])], ['Cores', Number(jobs.doc.runs.cores[run]) ? grouped(jobs.doc.runs.cores[run]) : ''],
      ['On', el('code', { class: 'long' }, name_of(shortened(jobs.nodes_of(run), 20000)))],
      ['Draws', this.draws_of(run)],
      ['From', this.app.time(jobs.start[run])], ['Until', Number.isFinite(jobs.end[run]) ? this.app.time(jobs.end[run]) : 'no end is known'],
    ])];
  }

  // Its charges to layers of hierarchical resources, the first dozen.
  draws_of(run) {
    const layers = new Map((this.app.layers ? this.app.layers.layers : []).map((layer) => [layer.number, layer]));
    const draws = this.app.jobs.draws(run).filter(([number]) => layers.has(number));
    if (draws.length === 0) return '';
    const lines = draws.slice(0, 12).map(([number, amount]) => {
      const { resource, nodes } = layers.get(number);
      return el('li', {}, `${grouped(amount)} `, name_of(shortened(resource, 60)), ' of ', name_of(shortened(nodes || 'all nodes', 80)));
    });
    return el('ul', { class: 'plain' }, ...lines, draws.length > 12 ? el('li', {}, `and of ${count_of(draws.length - 12, 'more layer')}`) : null);
  }

  async explain(j, state) {
    const { jobs, source, at } = this.app;
    const here = this.reason;
    if (state === GONE) {
      refill(here, el('h4', {}, 'Why it never ran'), el('p', { class: 'long' }, name_of(jobs.remark(j) || 'it was withdrawn')));
      return;
    }
    if (state !== WAITS) return;
    let answer = null;
    try {
      answer = await source.why(jobs.ids[j]);
    } catch (error) {
      refill(here, el('h4', {}, 'Why it waits'), el('p', {}, `The request failed: ${error.message}`));
      return;
    }
    if (here !== this.reason) return;  // another job was chosen meanwhile
    const asked_s = number_or_nan(this.app.queue && this.app.queue.at);
    if (answer === null || (source.kind === 'file' && asked_s !== at)) {
      const next = jobs.state_of(j, at).run;
      refill(here, el('h4', {}, 'Why it waits'), el('p', {}, next < 0 ? 'It never starts in this plan.'
        : `What it asks for is in use, or reserved for others, until ${this.app.time(jobs.start[next])}.`,
      Number.isFinite(asked_s) ? ` The reasons of all were written down at ${this.app.time(asked_s)}.` : ''));
      return;
    }
    const { why } = answer;
    const held = answer.state === 'held';
    if (held !== (this.held_job === jobs.ids[j])) {
      this.held_job = held ? jobs.ids[j] : null;
      refill(this.doing, job_actions(this.app, j, held) || '');
    }
    const start = number_or_nan(answer.promised ?? answer.expected);
    const cause = why ? cause_words(why.short ?? why.text, start, at, this.app.zero) : 'unknown';
    refill(here, el('h4', {}, 'Why it waits'), el('p', { class: 'long' }, name_of(cause)),
      why && why.text !== why.short ? el('details', {}, el('summary', {}, 'with all numbers'), el('p', { class: 'long' }, name_of(local_words(why.text)))) : null,
      facts([
        ['Jobs ahead', answer.ahead ? count_of(answer.ahead, 'job') : ''],
        ['Promised', answer.promised !== undefined ? this.when(answer.promised) : ''],
        ['Expected', answer.expected !== null && answer.expected !== undefined ? this.when(answer.expected) : 'unknown'],
      ]),
      answer.help && answer.help.length ? [el('h4', {}, 'What would help'), el('ul', {}, ...answer.help.map((each) => el('li', {}, help_words(each))))] : null);
  }

  when(time) { return `${this.app.time(Number(time))}, ${relative_words(Number(time), this.app.at)}`; }

  // Its history, in the order of time.
  life(j) {
    const { jobs, at } = this.app;
    const lines = [[jobs.submit[j], 'submitted']];
    if (Number.isFinite(jobs.promised[j])) lines.push([jobs.promised[j], 'the start that it was first promised']);
    for (const r of jobs.job_runs(j)) {
      lines.push([jobs.start[r], `starts on ${count_of(jobs.doc.runs.nodes[r], 'node')}, after ${duration_words(jobs.start[r] - jobs.submit[j])}`]);
      if (Number.isFinite(jobs.end[r])) lines.push([jobs.end[r], { done: 'ends', open: 'ends at the latest', limit: 'is ended: its time is over', requeued: 'goes back to the queue: a node failed',
        cancelled: 'is cancelled', failed: 'fails with its node' }[jobs.ending[r]]]);
    }
    if (Number.isFinite(jobs.left[j])) lines.push([jobs.left[j], jobs.doc.jobs.never[j] === 1 ? 'is refused' : 'leaves the queue']);
    lines.sort((a, b) => a[0] - b[0]);
    return [el('h4', {}, 'Its life'), el('ol', { class: 'life' }, ...lines.map(([time, words]) =>
      el('li', { class: time > at ? 'ahead' : null }, el('time', {}, this.app.time(time)), ` ${words}`, time > at ? ' (planned)' : '')))];
  }

  show() { this.refresh(); }
}

