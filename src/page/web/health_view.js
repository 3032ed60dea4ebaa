// SPDX-License-Identifier: Apache-2.0
//
// Health: nodes that are down and their jobs, the journal, and durations.
import { button, el, facts, field, name_of, refill } from './dom.js';
import { PagedTable } from './paged_table.js';
import { count_of, grouped, shortened } from './words.js';

const HEALTH_AGAIN = 2000;

function health_time(us) {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${Math.round(us / 10) / 100} ms` : `${Math.round(us / 1e4) / 100} s`;
}

export class HealthView {
  constructor(app) {
    this.app = app;
    this.summary = el('p', { class: 'lead', 'aria-live': 'polite' });
    this.figures = el('div');
    this.said = el('p', { 'aria-live': 'polite', id: 'health-said' });
    this.drains = new PagedTable('Nodes that are down or drained', [
      { title: 'Nodes', cell: (row) => name_of(shortened(row.nodes, 200)) },
      { title: 'How many', number: true, key: (row) => row.count, cell: (row) => grouped(row.count) },
      { title: 'Status', key: (row) => row.status, cell: (row) => row.status },
      { title: 'Reason', cell: (row) => name_of(shortened(row.reason || '–', 200)) },
      { title: 'By', key: (row) => row.by || '', cell: (row) => name_of(shortened(row.by || '–', 40)) },
      { title: 'Since', key: (row) => row.at || 0, cell: (row) => (row.at === undefined ? '–' : app.time(row.at)) },
      { title: 'Still running there', cell: (row) => this.jobs_of(row) },
    ], { what: 'row' });
    this.slow = new PagedTable('Latencies', [
      { title: 'What', cell: (row) => row.what },
      { title: 'Count', number: true, cell: (row) => grouped(row.count) },
      { title: 'Median', number: true, cell: (row) => health_time(row.p50_us) },
      { title: '90 % within', number: true, cell: (row) => health_time(row.p90_us) },
      { title: '99 % within', number: true, cell: (row) => health_time(row.p99_us) },
      { title: 'Longest', number: true, cell: (row) => health_time(row.largest_us) },
    ], { what: 'row' });
    this.element = el('section', { class: 'view', 'aria-labelledby': 'title-health' }, el('h2', { id: 'title-health' }, 'Health'),
      this.summary, app.source.may('change') ? this.changer() : null, this.said, this.drains.element, el('h3', {}, 'Journal and clients'), this.figures, this.slow.element);
  }

  // For users with the right.
  changer() {
    const name = el('input', { type: 'text', size: '16', autocomplete: 'off', spellcheck: 'false', id: 'health-node' });
    const reason = el('input', { type: 'text', size: '24', autocomplete: 'off', id: 'health-reason' });
    const set = (status, words) => async () => {
      const node = name.value.trim();
      if (node === '') return;
      try {
        await this.app.source.set_node(node, status, reason.value.trim());
        refill(this.said, name_of(node), ` ${words}`);
        await this.read();
      } catch (error) {
        refill(this.said, name_of(shortened(error.message, 400)));
      }
    };
    return el('div', { class: 'tools' }, field('Node', name), field('Reason', reason), button('drain', set('drain', 'takes no new jobs; running jobs continue')),
      button('set down', set('down', 'is down: its jobs end after a while')), button('up again', set('up', 'takes jobs again')));
  }

  jobs_of(row) {
    if (row.jobs_total === 0) return 'no jobs';
    const links = row.jobs.map((id) => {
      const j = this.app.jobs.by_id.get(id);
      return [j === undefined ? name_of(id) : this.app.job_link(j), ' '];
    });
    const more = row.jobs_total - row.jobs.length;
    return el('span', {}, ...links, more > 0 ? `and ${count_of(more, 'more job')}` : '');
  }

  show() {
    void this.read();
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      if (!this.element.isConnected) clearInterval(this.timer);
      else if (!document.hidden) void this.read();
    }, HEALTH_AGAIN);
  }
  refresh() {}

  async read() {
    let health;
    try {
      health = await this.app.source.health();
    } catch (error) {
      refill(this.summary, `Not known now: ${error.message}`);
      return;
    }
    const nodes = health.drains.reduce((sum, drain) => sum + drain.count, 0);
    refill(this.summary, nodes === 0 ? 'All nodes are up.' : `${count_of(nodes, 'node')} ${nodes === 1 ? 'is' : 'are'} down or drained.`,
      health.journal.disk_space ? '' : ' The disk is nearly full: only requests that release something are accepted.');
    this.drains.set(health.drains);
    refill(this.figures, facts([
      ['Changes so far', grouped(health.journal.records)], ['Waiting for the disk', `${grouped(health.pending_bytes)} bytes`],
      ['Space on the disk', health.journal.disk_space ? 'enough' : 'nearly none'], ['Clients', grouped(health.connections)], ['Streams of events', grouped(health.streams)],
    ]));
    this.slow.set([['A request over HTTP', health.requests], ['A change, until it is on disk', health.commits]].map(([what, of]) => ({ what, ...of })));
  }
}
