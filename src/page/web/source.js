// SPDX-License-Identifier: Apache-2.0
//
// Where data is from. Views ask a source and never know which kind it is:
//
//   kind                    'file' or 'live'
//   can                     a set of words: 'simulate', 'health'
//   load(name)              a promise of a document (docs/develop/page.md): 'about', 'machine', 'jobs',
//                           'status', 'layers', 'queue', 'happenings'; null: there is none
//   now()                   the time that the page shows first, or as it passes
//   why(id)                 a promise of the answer for one job, as in 'queue', or null
//   subscribe(listener)     listener({changed: [names of documents]}); returns a function that ends it
//   simulate(request)       if it can: a promise of the answer
//   health()                if it can: a promise of the document 'health'
//   schedule(window)        a live source: a promise of what the service shows of a window of the schedule
//   cut, since              a live source: whether there are jobs that 'jobs' has not, and the first time
//                           that schedule() knows of
//
// A source keeps its documents up to date: after listener is called, load(name) gives the new one.

// Documents that stand in the page itself, each in a <script type="application/json" id="copse-NAME">.
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
      block?.remove();  // its text is of no use any more
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
