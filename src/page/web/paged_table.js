// SPDX-License-Identifier: Apache-2.0
//
// A table that shows a page of its rows, so the document stays small.
import { button, el, refill } from './dom.js';
import { count_of, grouped } from './words.js';

export class PagedTable {
  // columns: [{title, cell(row) → text or element, number, key(row): what to sort by}]
  constructor(caption, columns, { rows_at_once = 50, what = 'row' } = {}) {
    this.columns = columns;
    this.at_once = rows_at_once;
    this.what = what;
    this.page = 0;
    this.sorted_by = -1;
    this.descending = false;
    this.given = [];
    this.rows = [];
    this.head = el('tr');
    this.body = el('tbody');
    this.foot = el('div', { class: 'pages' });
    this.caption = el('caption', {}, caption);
    this.element = el('div', { class: 'table' },
      el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption },
        el('table', {}, this.caption, el('thead', {}, this.head), this.body)), this.foot);
    this.draw_head();
  }

  set(rows) {
    this.given = rows;
    this.sort();
    if (this.page * this.at_once >= rows.length) this.page = 0;
    this.draw();
  }

  sort() {
    const column = this.columns[this.sorted_by];
    if (!column) {
      this.rows = this.given;
      return;
    }
    const sign = this.descending ? -1 : 1;
    const keyed = this.given.map((row) => [column.key(row), row]);
    keyed.sort(([a], [b]) => sign * (typeof a === 'string' ? a.localeCompare(b, undefined, { numeric: true }) : a - b));
    this.rows = keyed.map(([, row]) => row);
  }

  draw_head() {
    refill(this.head, ...this.columns.map((column, i) => {
      if (!column.key) return el('th', { scope: 'col', class: column.number ? 'number' : null }, column.title);
      const order = this.sorted_by !== i ? 'none' : this.descending ? 'descending' : 'ascending';
      return el('th', { scope: 'col', class: column.number ? 'number' : null, 'aria-sort': order },
        button([column.title, el('span', { 'aria-hidden': 'true' }, order === 'none' ? '' : this.descending ? ' ▼' : ' ▲')], () => {
          this.descending = this.sorted_by === i && !this.descending;
          this.sorted_by = i;
          this.page = 0;
          this.sort();
          this.draw_head();
          this.draw();
        }));
    }));
  }

  draw() {
    const first = this.page * this.at_once;
    const some = this.rows.slice(first, first + this.at_once);
    refill(this.body, ...some.map((row) => el('tr', {}, ...this.columns.map((column, i) =>
      el(i === 0 ? 'th' : 'td', { class: column.number ? 'number' : null, scope: i === 0 ? 'row' : null },
        column.cell(row))))));
    const pages = Math.max(1, Math.ceil(this.rows.length / this.at_once));
    const go = (to) => () => {
      this.page = to;
      this.draw();
    };
    refill(this.foot,
      el('span', {}, this.rows.length === 0 ? `no ${this.what}`
        : pages === 1 ? count_of(this.rows.length, this.what)
          : `${grouped(first + 1)}–${grouped(first + some.length)} of ${count_of(this.rows.length, this.what)}`),
      pages > 1 ? button('first', go(0), { disabled: this.page === 0 }) : null,
      pages > 1 ? button('previous', go(this.page - 1), { disabled: this.page === 0 }) : null,
      pages > 1 ? button('next', go(this.page + 1), { disabled: this.page + 1 >= pages }) : null,
      pages > 1 ? button('last', go(pages - 1), { disabled: this.page + 1 >= pages }) : null);
  }
}
