// SPDX-License-Identifier: Apache-2.0
//
// The origin of data. Views query a source, and do not depend on its kind:
//
//   kind                    'file' or 'live'
//   can                     a set of words: 'simulate', 'health'
//   load(name)              a promise of a document (docs/develop/page.md): 'about', 'machine', 'jobs',
//                           'status', 'layers', 'queue', 'availability'; null: there is none
//   now()                   the time shown first, or the present time
//   why(id)                 a promise of the answer for one job, as in 'queue', or null
//   subscribe(listener)     listener({changed: [names of documents]}); returns a function that ends it
//   simulate(request)       if it can: a promise of the answer
//   health()                if it can: a promise of the document 'health'
//   schedule(window)        a live source: a promise of the part of the schedule in a window
//   cut, since              a live source: whether some jobs are not in 'jobs', and the first time
//                           for which schedule() has data
//
// A source keeps its documents up to date: after a call of the listener, load(name) returns the new
// one.

// Documents within the page itself, each in a <script type="application/json" id="copse-NAME">.
export class FileSource {
  constructor(page) {
    this.page = page;
    this.kind = 'file';
    this.can = new Set();
    this.kept = new Map();
  }

  static is_in(page) { return page.getElementById('copse-about') !== null; }

  async load(name) {
    if (!this.kept.has(name)) {
      const block = this.page.getElementById(`copse-${name}`);
      this.kept.set(name, block === null ? null : JSON.parse(block.textContent));
      block?.remove();  // its text is not needed any more
    }
    return this.kept.get(name);
  }

  now() { return Number(this.kept.get('about').at); }

  async why(id) {
    const queue = await this.load('queue');
    return queue === null ? null : queue.jobs.find((answer) => answer.job === id) || null;
  }

  subscribe() { return () => {}; }
}
