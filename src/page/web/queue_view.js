// SPDX-License-Identifier: Apache-2.0
//
// The queue: the jobs that wait, why, and when each starts; and those that run. Those of the reader
// are first.
import { choice, el, field, name_of, refill } from './dom.js';
import { is_edited, is_mine, job_actions, job_rights } from './job_actions.js';
import { RUNS, WAITS } from './model.js';
import { PagedTable } from './paged_table.js';
import { cause_words, clock_words, count_of, duration_words, grouped, local_words, relative_words, shortened } from './words.js';

export class QueueView {
  constructor(app) {
    this.app = app;
    this.text = '';
    this.queue = '';
    this.cause = '';
    this.shown = 'all';
    const acts = app.source.kind === 'live' && (app.source.may('release-any') || app.source.may('release-own'));
    this.queue_choice = el('span');
    this.cause_choice = el('span');
    this.summary = el('p', { class: 'lead', 'aria-live': 'polite' });
    this.table = new PagedTable('Jobs that wait or run', [
      { title: 'Job', key: (row) => app.jobs.name(row.job), cell: (row) => app.job_link(row.job) },
      { title: 'Why', cell: (row) => el('span', { class: 'why', title: row.whole ? local_words(row.whole) : null }, name_of(shortened(row.why, 120))) },
      { title: 'Starts', key: (row) => row.start, cell: (row) => (row.runs ? 'runs' : Number.isFinite(row.start)
        ? el('span', { title: app.time(row.start) }, relative_words(row.start, app.at), row.promised ? el('b', {}, ' promised') : '') : 'not known') },
      ...(acts ? [{ title: 'Actions', cell: (row) => (job_rights(app.source, app.jobs.user(row.job)) === 'none' ? '' : job_actions(app, row.job, row.held, true) || '') }] : []),
      { title: 'Place', number: true, key: (row) => row.place, cell: (row) => (row.place < 1e9 ? grouped(row.place) : '–') },
      { title: 'User', key: (row) => app.jobs.user(row.job), cell: (row) => name_of(shortened(app.jobs.user(row.job), 40)) },
      { title: 'Queue', key: (row) => row.queue, cell: (row) => name_of(shortened(row.queue, 40)) },
      { title: 'Asks for', cell: (row) => el('span', { class: 'request' }, name_of(shortened(app.jobs.request(row.job), 60))) },
      { title: 'Since', number: true, key: (row) => app.at - row.since, cell: (row) => duration_words(app.at - row.since) },
    ], { what: 'job' });
    this.table.element.classList.add('queue');
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-queue' },
      el('h2', { id: 'title-queue' }, 'Queue'), this.summary,
      el('div', { class: 'tools' },
        field('Find', el('input', { type: 'search', placeholder: 'job, user or words of a reason', autocomplete: 'off', oninput: (event) => {
          this.text = event.target.value.trim().toLowerCase();
          this.fill();
        } })), field('Show', choice([['all', 'all'], ...(app.source.kind === 'live' && app.source.caller() ? [['mine', 'my jobs']] : []), ['waits', 'waiting'], ['runs', 'running']], 'all', (value) => {
          this.shown = value;
          this.fill();
        })), this.queue_choice, this.cause_choice),
      this.table.element);
  }

  rows() {
    const rows = [...this.waiting_rows(), ...this.running_rows()];
    const { source, jobs } = this.app;
    for (const row of rows) row.mine = is_mine(source, jobs.user(row.job));
    return [...rows.filter((row) => row.mine), ...rows.filter((row) => !row.mine)];
  }

  // Answers of the source for this time have priority; at another time of a plan, data of the plan
  // is shown.
  waiting_rows() {
    const { jobs, queue, at, zero } = this.app;
    if (queue !== null && Number(queue.at) === at) {
      const out = [];
      for (const answer of queue.jobs) {
        const job = jobs.by_id.get(answer.job);
        if (job === undefined) continue;
        const start = number_or_nan(answer.promised ?? answer.expected);
        out.push({
          job, start, since: jobs.submit[job], runs: false, held: answer.held === true || answer.state === 'held',
          place: answer.first === undefined && answer.ahead === undefined ? 1e9 : (answer.ahead || 0) + 1,
          queue: answer.queue || '',
          promised: answer.promised !== undefined,
          cause: answer.why ? answer.why.cause : '',
          why: answer.why ? cause_words(answer.why.short ?? answer.why.text, start, at, zero) : '',
          whole: answer.why ? answer.why.text : '',
        });
      }
      return out;
    }
    const out = [];
    for (let job = 0; job < jobs.count; ++job) {
      const { state, run } = jobs.state_of(job, at);
      if (state !== WAITS) continue;
      const start = run < 0 ? NaN : jobs.start[run];
      out.push({
        job, start, since: jobs.submit[job], runs: false, held: false, place: 0, queue: jobs.queue(job), promised: false, cause: '',
        why: run < 0 ? jobs.remark(job) || 'it never starts in this plan' : cause_words('waits for what others use', start, at, zero), whole: '',
      });
    }
    out.sort((a, b) => jobs.doc.jobs.priority[b.job] - jobs.doc.jobs.priority[a.job] || jobs.submit[a.job] - jobs.submit[b.job] || a.job - b.job);
    out.forEach((row, i) => { row.place = i + 1; });
    return out;
  }

  running_rows() {
    const { jobs, at } = this.app;
    const out = [];
    for (const run of this.app.view.running) {
      const job = jobs.run_job[run];
      if (jobs.state_of(job, at).state !== RUNS) continue;
      const end = jobs.end[run];
      out.push({
        job, start: -Infinity, since: jobs.start[run], runs: true, held: false, place: 1e9, queue: jobs.queue(job), promised: false, cause: 'runs',
        why: `runs on ${count_of(jobs.doc.runs.nodes[run], 'node')}` + (Number.isFinite(end) ? `, ${end > at ? 'until' : 'over its time since'} ${clock_words(end, at, this.app.zero)}` : ', without an end'),
        whole: '',
      });
    }
    return out.sort((a, b) => b.since - a.since || a.job - b.job);
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
    const of_kind = { all: () => true, mine: (row) => row.mine, waits: (row) => !row.runs, runs: (row) => row.runs }[this.shown];
    const rows = this.all.filter((row) => of_kind(row) && (this.queue === '' || row.queue === this.queue) && (this.cause === '' || row.cause === this.cause) &&
      (this.text === '' || `${jobs.name(row.job)}\n${jobs.ids[row.job]}\n${jobs.user(row.job)}\n${row.why}`.toLowerCase().includes(this.text)));
    const waiting = this.all.filter((row) => !row.runs);
    const mine = this.all.filter((row) => row.mine);
    const total = Math.max(waiting.length, this.app.source.queue_total || 0);
    const soon = waiting.filter((row) => Number.isFinite(row.start)).reduce((least, row) => Math.min(least, row.start), Infinity);
    refill(this.summary, (waiting.length === 0 ? `No job waits at ${this.app.time(this.app.at)}`
      : `${count_of(total, 'job')} ${total === 1 ? 'waits' : 'wait'}${total > waiting.length ? ` (${grouped(waiting.length)} are listed)` : ''} at ${this.app.time(this.app.at)}` +
        (Number.isFinite(soon) ? `; the next start is ${relative_words(soon, this.app.at)}` : '')) +
      `; ${count_of(this.all.length - waiting.length, 'job')} ${this.all.length - waiting.length === 1 ? 'runs' : 'run'}.` +
      (mine.length ? ` Yours are first: ${grouped(mine.filter((row) => row.runs).length)} run, ${grouped(mine.filter((row) => !row.runs).length)} wait.` : '') +
      (rows.length < this.all.length ? ` ${count_of(rows.length, 'job')} ${rows.length === 1 ? 'is' : 'are'} shown.` : ''));
    if (!is_edited(this.table.element)) this.table.set(rows);
  }

  show() { this.refresh(); }
}

export function number_or_nan(value) {
  return value === null || value === undefined ? NaN : Number(value);
}
