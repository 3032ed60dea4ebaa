// SPDX-License-Identifier: Apache-2.0
//
// LiveSource: documents from `copse serve`, kept up to date by its stream of changes.
//
// All documents are read once, then patched: a change costs the difference. The stream is read by
// fetch, because EventSource cannot send a token. After a disconnection it is requested again from
// its last position. If the service no longer has that position, it answers 410, and all documents
// are read again.
//
// Memory: at most 20,000 waiting or running jobs, and 3,000 ended ones.
import { live_document, live_is_over, live_rows, LiveEvents } from './live_rows.js';

const LIVE_ENDED_MOST = 3000, LIVE_QUEUE_MOST = 1000, LIVE_QUEUE_PAGE = 500;
// Minimum milliseconds between notifications of views, and between complete reads.
const LIVE_TOLD = 1000, LIVE_TICK = 5000, LIVE_NODES_AGAIN = 2000, LIVE_JOBS_AGAIN = 15000, LIVE_QUEUE_AGAIN = 2000, LIVE_FRAGMENTATION_AGAIN = 30000;
const LIVE_WAIT_LEAST = 500, LIVE_WAIT_MOST = 10000, LIVE_SILENT_MOST = 40000;

export class LiveProblem extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

// A position in the stream, "RECORD-EVENT".
const live_event_of = (cursor) => Number(cursor.slice(cursor.indexOf('-') + 1));

export class LiveSource {
  // `base`: the address of the page, with a slash at its end.
  constructor(base, token) {
    this.base = base;
    this.token = token;
    this.kind = 'live';
    this.can = new Set(['health']);
    this.listeners = new Set();
    this.rows = new Map();
    this.meanwhile = null;  // events since the jobs were requested as a whole
    this.endings = [];
    this.docs = new Map();
    this.changed = new Set();
    this.last = new Map();  // time of the last complete read, by name
    this.cursor = null;
    this.wait = LIVE_WAIT_LEAST;
    this.state_words = 'connected';
    this.ended = false;
    this.notified_at = 0;
  }

  async ask(path, { method = 'GET', body, signal, headers = {} } = {}) {
    const all = { ...headers };
    if (this.token) all.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) all['Content-Type'] = 'application/json';
    const answer = await fetch(new URL(`v1/${path}`, this.base), { method, body, signal, headers: all, cache: 'no-store', credentials: 'same-origin', referrerPolicy: 'no-referrer' });
    if (answer.ok) return answer;
    let words = `${answer.status} ${answer.statusText}`;
    try { words = (await answer.json()).detail || words; } catch { /* not of the service: a proxy's page */ }
    throw new LiveProblem(answer.status, words);
  }
  async read(path, more) { return (await this.ask(path, more)).json(); }

  // Errors: LiveProblem 401, if the page cannot be read without a token.
  async begin() {
    await this.read_state();
    void this.follow();
    this.ticker = setInterval(() => this.tick(), LIVE_TICK);
    window.addEventListener('hashchange', () => this.on_shown());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.tick(); });
  }

  async read_state() {
    this.state = await this.read('page/state');
    this.offset_s = this.state.clock - Date.now() / 1000;
    if (this.may('try')) this.can.add('simulate');
  }

  may(action) { return this.state.permissions.includes(action); }
  now_s() { return Math.floor(Date.now() / 1000 + this.offset_s); }
  now() { return this.shown_s = this.now_s(); }

  // --- Documents

  async load(name) {
    if (!this.docs.has(name)) this.docs.set(name, this.fetch_document(name));
    try {
      return await this.docs.get(name);
    } catch (error) {
      this.docs.delete(name);
      throw error;
    }
  }

  async fetch_document(name) {
    switch (name) {
      case 'about': return {
        format: 1, kind: 'service', title: this.state.machine, version: this.state.version, at: this.now_s(), zero: 0,
        made_with: [['you are', this.state.caller || 'not logged in'], ['role', this.state.role]],
      };
      case 'machine': return this.read('page/machine');
      case 'jobs': await this.read_jobs(); return live_document(this.rows.values(), this.endings);
      case 'availability': await this.load('jobs'); return { format: 1, nodes: [], reservations: this.reservations };
      case 'status': return (await this.read('page/nodes')).status;
      case 'layers': return this.state.layers ? this.read('page/layers') : null;
      case 'fragmentation': return this.read('page/fragmentation');
      case 'queue': return this.shows('queue') ? this.read_queue() : null;
      default: return null;
    }
  }

  async read_jobs() {
    this.meanwhile = [];
    let read = null;
    try {
      read = await this.read('page/jobs');
    } catch (error) {
      this.meanwhile = null;
      throw error;
    }
    // Events that came meanwhile may be newer than the document.
    const newer = this.meanwhile.filter(({ id }) => live_event_of(id) > live_event_of(read.cursor));
    this.last.set('jobs', Date.now());
    this.endings = read.jobs.endings;
    this.forecast = read.forecast;
    this.cut = read.cut;
    this.reservations = read.reservations;
    this.since = read.since;
    this.rows = new Map(live_rows(read.jobs).map((row) => [row.id, row]));
    if (this.cursor === null) this.cursor = read.cursor;
    for (const { rows } of newer) this.apply_jobs(rows);
    this.meanwhile = null;
  }

  async read_queue() {
    this.last.set('queue', Date.now());
    const out = [];
    const known = new Set();
    // Those of the reader first: they may be far behind.
    const own = this.caller() === '' ? [] : (await this.read(`page/queue?user=${encodeURIComponent(this.caller())}&limit=${LIVE_QUEUE_PAGE}`)).rows;
    for (let offset = 0; offset < LIVE_QUEUE_MOST; offset += LIVE_QUEUE_PAGE) {
      const page = await this.read(`page/queue?offset=${offset}&limit=${LIVE_QUEUE_PAGE}`);
      this.queue_total = page.total;
      for (const row of offset === 0 ? [...own, ...page.rows] : page.rows) {
        if (known.has(row.id)) continue;
        known.add(row.id);
        out.push({
          job: row.id, queue: row.queue || '', ahead: row.held ? undefined : row.ahead, expected: row.promised ? undefined : row.start,
          promised: row.promised ? row.start : undefined, held: row.held === true,
          why: row.held ? { cause: 'held', short: 'it is held until it is released', text: 'it is held' }
            : row.text === undefined ? (page.searching ? { cause: '', short: 'the service computes it', text: '' } : null) : { cause: row.cause, short: row.short, text: row.text },
        });
      }
      // Causes of a long queue take the service a while.
      if (page.searching) this.again('queue', LIVE_QUEUE_AGAIN);
      if (page.rows.length < LIVE_QUEUE_PAGE) break;
    }
    const source = this;
    // Valid for the present; older ones are read again soon.
    return { format: 1, get at() { return source.shown_s; }, jobs: out };
  }

  async why(id) {
    const read = await this.read(`page/jobs/${encodeURIComponent(id)}`);
    return read.answer || null;
  }
  simulate(request) { return this.read('page/try', { method: 'POST', body: JSON.stringify(request) }); }
  health() { return this.read('page/health'); }
  schedule(window_of) { return this.read(`page/schedule?${new URLSearchParams(window_of)}`); }
  set_node(name, status, reason = '') {
    const change = status === 'up' || reason === '' ? { status } : { status, reason };
    return this.read(`nodes/${encodeURIComponent(name)}`, { method: 'PATCH', body: JSON.stringify(change) });
  }

  // --- Changes of jobs; each is refused if the user may not do it

  caller() { return this.state.caller || ''; }
  cancel(id) { return this.ask(`jobs/${encodeURIComponent(id)}`, { method: 'DELETE' }); }
  hold(id) { return this.ask(`jobs/${encodeURIComponent(id)}/hold`, { method: 'POST', body: '{}' }); }
  release(id) { return this.ask(`jobs/${encodeURIComponent(id)}/release`, { method: 'POST', body: '{}' }); }
  set_priority(id, priority) { return this.ask(`jobs/${encodeURIComponent(id)}`, { method: 'PATCH', body: JSON.stringify({ priority }) }); }
  submit(request) { return this.read('jobs', { method: 'POST', body: JSON.stringify(request) }); }
  async queues() { return (await this.read('queue')).queues || []; }

  // --- Notifications

  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  note(...names) {
    for (const name of names) this.changed.add(name);
    if (this.notifying) return;
    this.notifying = setTimeout(() => this.tell(), Math.max(0, this.notified_at + LIVE_TOLD - Date.now()));
  }

  tell() {
    this.notifying = null;
    this.notified_at = Date.now();
    const changed = [...this.changed];
    this.changed.clear();
    if (changed.includes('jobs')) this.docs.set('jobs', Promise.resolve(live_document(this.rows.values(), this.endings)));
    for (const listener of this.listeners) listener({ changed });
  }

  // Adds the state of the connection to the changes.
  set_state(words) {
    if (words === this.state_words) return;
    this.state_words = words;
    this.note('time');
  }

  shows(view) { return window.location.hash.replace(/^#/, '').split('/')[0] === view && !document.hidden; }
  on_shown() {
    if (this.shows('queue')) this.again('queue', 0);
  }

  tick() {
    if (document.hidden) return;
    if (this.shows('layers')) this.again('layers', LIVE_TICK);
    if (this.shows('schedule')) this.again('fragmentation', LIVE_FRAGMENTATION_AGAIN);
    this.note('time');
  }

  // Reads a document as a whole, with a delay since its last reading: once for all callers.
  again(name, after) {
    const key = `again ${name}`;
    if (this.last.get(key)) return;
    const due = (this.last.get(name) || 0) + after - Date.now();
    this.last.set(key, setTimeout(async () => {
      this.last.delete(key);
      this.last.set(name, Date.now());
      try {
        if (name === 'jobs') await this.read_jobs();
        const made = name === 'jobs' ? null : await this.fetch_document(name);
        if (name !== 'jobs') this.docs.set(name, Promise.resolve(made));
        this.note(name);
      } catch { /* the stream reports when the service is available again; the page then reads again */ }
    }, Math.max(0, due)));
  }

  // --- The stream

  async follow() {
    while (!this.ended) {
      this.stopper = new AbortController();
      try {
        await this.follow_once(this.stopper.signal);
      } catch (error) {
        if (error.status === 410) await this.read_all_again();
        else if (error.status === 401 || error.status === 403) this.request_login();
      }
      if (this.ended) return;
      this.set_state('the connection is lost: trying again');
      await new Promise((done) => { setTimeout(done, this.wait * (0.75 + Math.random() / 2)); });
      this.wait = Math.min(LIVE_WAIT_MOST, this.wait * 2);
    }
  }

  async follow_once(signal) {
    await this.load('jobs');  // whose position is the begin of the stream
    const answer = await this.ask('page/events', { signal, headers: { 'Last-Event-ID': this.cursor } });
    const reader = answer.body.getReader();
    const text = new TextDecoder();
    const events = new LiveEvents((event) => this.apply(event));
    this.set_state('connected');
    for (;;) {
      const silent = setTimeout(() => this.stopper.abort(), LIVE_SILENT_MOST);
      const { value, done } = await reader.read().finally(() => clearTimeout(silent));
      if (done) return;
      this.wait = LIVE_WAIT_LEAST;
      this.bytes = (this.bytes || 0) + value.length;
      events.take(text.decode(value, { stream: true }));
    }
  }

  async read_all_again() {
    try {
      await this.read_state();
      this.cursor = null;
      for (const name of ['machine', 'jobs', 'status', 'availability', 'layers', 'fragmentation', 'queue']) this.docs.delete(name);
      await this.load('jobs');
      this.wait = LIVE_WAIT_LEAST;
      this.note('jobs', 'status', 'availability', 'layers', 'queue');
    } catch { /* it is tried again */ }
  }

  request_login() {
    this.ended = true;
    if (this.on_unknown) this.on_unknown();
  }

  apply({ id, data }) {
    const news = JSON.parse(data);
    if (id !== null) this.cursor = id;
    if (this.machine_generation !== undefined && this.machine_generation !== news.machine_generation) this.note('machine');
    this.machine_generation = news.machine_generation;
    if (news.nodes === null) this.again('status', LIVE_NODES_AGAIN);
    else if (news.nodes.length > 0) this.apply_nodes(news.nodes);
    if (news.jobs === null || news.forecast !== this.forecast) this.again('jobs', LIVE_JOBS_AGAIN);
    if (news.jobs !== null && news.jobs.jobs.id.length > 0) {
      const rows = live_rows(news.jobs);
      if (this.meanwhile !== null) this.meanwhile.push({ id, rows });
      this.apply_jobs(rows);
    }
    if (this.shows('queue')) this.again('queue', LIVE_QUEUE_AGAIN);
  }

  async apply_nodes(runs) {
    const status = await this.load('status');
    if (status === null) return;
    const letters = [...status.nodes];
    let any = false;
    for (const [first, count, state] of runs) {
      for (let n = first; n < first + count; ++n) {
        const letter = state & 16 ? 'f' : state & 4 ? 'd' : letters[n] === 'g' ? 'g' : 'u';
        any ||= letter !== letters[n];
        letters[n] = letter;
      }
    }
    if (!any) return;
    this.docs.set('status', Promise.resolve({ ...status, nodes: letters.join('') }));
    this.note('status');
  }

  apply_jobs(rows) {
    const now = this.now_s();
    for (const row of rows) {
      const old = this.rows.get(row.id);
      // The nodes of a waiting job come as events of their own.
      if (row.runs.length === 0 && row.never === 0 && old) row.runs = old.runs.filter((run) => run.ending === 0 && run.start > now);
      this.rows.delete(row.id);  // to the end: the oldest are removed first
      this.rows.set(row.id, row);
    }
    this.forget(now);
    this.note('jobs');
  }

  forget(now) {
    let over = 0;
    for (const row of this.rows.values()) if (live_is_over(row, now)) ++over;
    if (over <= LIVE_ENDED_MOST * 1.1) return;
    for (const [id, row] of this.rows) {
      if (over <= LIVE_ENDED_MOST) return;
      if (!live_is_over(row, now)) continue;
      this.rows.delete(id);
      this.cut = true;  // some jobs have no row any more
      --over;
    }
  }

  end() {
    this.ended = true;
    clearInterval(this.ticker);
    if (this.stopper) this.stopper.abort();
  }
}
