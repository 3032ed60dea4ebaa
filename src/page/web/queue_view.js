// SPDX-License-Identifier: Apache-2.0
//
// The queue: the waiting jobs, why they wait, and when each starts, as text.
import { choice, el, field, name_of, refill } from './dom.js';
import { WAITS } from './model.js';
import { PagedTable } from './paged_table.js';
import { count_of, duration_words, grouped, relative_words, shortened } from './words.js';

export class QueueView {
  constructor(app) {
    this.app = app;
    this.text = '';
    this.queue = '';
    this.cause = '';
    this.queue_choice = el('span');
    this.cause_choice = el('span');
    this.summary = el('p', { class: 'lead', 'aria-live': 'polite' });
    this.table = new PagedTable('Waiting jobs', [
      { title: 'Job', key: (row) => app.jobs.name(row.job), cell: (row) => app.job_link(row.job) },
      { title: 'Place', number: true, key: (row) => row.place, cell: (row) => (row.place < 1e9 ? grouped(row.place) : '–') },
      { title: 'User', key: (row) => app.jobs.user(row.job), cell: (row) => name_of(shortened(app.jobs.user(row.job), 40)) },
      { title: 'Queue', key: (row) => row.queue, cell: (row) => name_of(shortened(row.queue, 40)) },
      { title: 'Asks for', cell: (row) => el('span', { class: 'request' }, name_of(shortened(app.jobs.request(row.job), 60))) },
      { title: 'Waits', number: true, key: (row) => app.at - app.jobs.submit[row.job], cell: (row) => duration_words(app.at - app.jobs.submit[row.job]) },
      { title: 'Starts', key: (row) => row.start, cell: (row) => (Number.isFinite(row.start)
        ? el('span', { title: app.time(row.start) }, relative_words(row.start, app.at), row.promised ? el('b', {}, ' promised') : '') : 'not known') },
      { title: 'Why it waits', cell: (row) => name_of(shortened(row.why, 240)) },
    ], { what: 'job' });
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-queue' },
      el('h2', { id: 'title-queue' }, 'Queue'), this.summary,
      el('div', { class: 'tools' },
        field('Find', el('input', { type: 'search', placeholder: 'job, user or words of a reason', autocomplete: 'off', oninput: (event) => {
          this.text = event.target.value.trim().toLowerCase();
          this.fill();
        } })), this.queue_choice, this.cause_choice),
      this.table.element);
  }

  // Answers of the source for this time have priority; at another time of a plan, data of the plan
  // is shown.
  rows() {
    const { jobs, queue, at } = this.app;
    if (queue !== null && Number(queue.at) === at) {
      const out = [];
      for (const answer of queue.jobs) {
        const job = jobs.by_id.get(answer.job);
        if (job === undefined) continue;
        out.push({
          job,
          place: answer.first === undefined && answer.ahead === undefined ? 1e9 : (answer.ahead || 0) + 1,
          queue: answer.queue || '',
          start: number_or_nan(answer.promised ?? answer.expected),
          promised: answer.promised !== undefined,
          cause: answer.why ? answer.why.cause : '',
          why: answer.why ? answer.why.text : '',
        });
      }
      return out;
    }
    const out = [];
    for (let job = 0; job < jobs.count; ++job) {
      const { state, run } = jobs.state_of(job, at);
      if (state !== WAITS) continue;
      out.push({
        job, place: 0, queue: jobs.queue(job), start: run < 0 ? NaN : jobs.start[run], promised: false, cause: '',
        why: run < 0 ? jobs.remark(job) || 'it never starts in this plan' : `its nodes are in use, or kept for others, until ${this.app.time(jobs.start[run])}`,
      });
    }
    out.sort((a, b) => jobs.doc.jobs.priority[b.job] - jobs.doc.jobs.priority[a.job] || jobs.submit[a.job] - jobs.submit[b.job] || a.job - b.job);
    out.forEach((row, i) => { row.place = i + 1; });
    return out;
  }

  refresh() {
    this.all = this.rows();
    const words = (of) => [...new Set(this.all.map(of))].filter((word) => word !== '').sort();
    const filter = (label, of, name) => {
      const options = words(of);
      if (!options.includes(this[name])) this[name] = '';
      return options.length < 2 ? null : field(label, choice([['', 'all'], ...options.map((word) => [word, shortened(word, 40)])], this[name], (value) => {
        this[name] = value;
        this.fill();
      }));
    };
    refill(this.queue_choice, filter('Queue', (row) => row.queue, 'queue'));
    refill(this.cause_choice, filter('Cause', (row) => row.cause, 'cause'));
    this.fill();
  }

  fill() {
    const { jobs } = this.app;
    const rows = this.all.filter((row) => (this.queue === '' || row.queue === this.queue) && (this.cause === '' || row.cause === this.cause) &&
      (this.text === '' || `${jobs.name(row.job)}\n${jobs.ids[row.job]}\n${jobs.user(row.job)}\n${row.why}`.toLowerCase().includes(this.text)));
    const soon = rows.filter((row) => Number.isFinite(row.start)).reduce((least, row) => Math.min(least, row.start), Infinity);
    refill(this.summary, this.all.length === 0 ? `No job waits at ${this.app.time(this.app.at)}.`
      : `${count_of(rows.length, 'job')} ${rows.length === 1 ? 'waits' : 'wait'} at ${this.app.time(this.app.at)}` +
        (Number.isFinite(soon) ? `; the next start is ${relative_words(soon, this.app.at)}.` : '.'));
    this.table.set(rows);
  }

  show() { this.refresh(); }
}

export function number_or_nan(value) {
  return value === null || value === undefined ? NaN : Number(value);
}
