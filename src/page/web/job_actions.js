// SPDX-License-Identifier: Apache-2.0
//
// What a user may do with a job of a service: cancel, hold, release, and a priority. Users act on
// their own jobs, operators on all; only operators may raise a priority. The service decides; what it
// would refuse is not shown.
import { button, el, name_of, refill } from './dom.js';
import { RUNS, WAITS } from './model.js';
import { shortened } from './words.js';

// "none", "own" or "any".
export function job_rights(source, user) {
  if (source.kind !== 'live') return 'none';
  if (source.may('release-any')) return 'any';
  return source.may('release-own') && user !== '' && user === source.caller() ? 'own' : 'none';
}

// Whether a job of this user is that of the reader.
export function is_mine(source, user) {
  return source.kind === 'live' && user !== '' && user === source.caller();
}

// Whether the reader writes into a field of these elements: they are then not drawn again.
export function is_edited(element) {
  return document.activeElement !== null && document.activeElement.matches('.actions input') && element.contains(document.activeElement);
}

// Buttons for job j, or null. `held`: it is on hold. `short`: without its priority, for a row.
export function job_actions(app, j, held, short = false) {
  const { jobs, source, at } = app;
  const { state } = jobs.state_of(j, at);
  const rights = job_rights(source, jobs.user(j));
  if (rights === 'none' || (state !== WAITS && state !== RUNS)) return null;
  // Views are drawn again while the reader decides.
  const kept = (app.job_answers ??= new Map());
  const id = jobs.ids[j];
  const said = el('span', { role: 'status' }, name_of(kept.get(id) || ''));
  const named = shortened(jobs.name(j), 40);
  const say = (words) => {
    kept.set(id, words);
    refill(said, name_of(words));
  };
  const act = (work, words) => async () => {
    try {
      await work(id);
      say(words);
    } catch (error) {
      say(shortened(error.message, 200));
    }
  };
  // A second click confirms: nothing brings a cancelled job back.
  const ask = (sure) => (sure ? 'really cancel?' : 'cancel');
  const cancel = button(ask(app.job_to_cancel === id), () => {
    if (app.job_to_cancel === id) {
      app.job_to_cancel = null;
      void act((of) => source.cancel(of), 'cancelled')();
    } else {
      app.job_to_cancel = id;
      cancel.textContent = ask(true);
      cancel.setAttribute('aria-label', `${ask(true)} ${named}`);
    }
  }, { 'aria-label': `${ask(app.job_to_cancel === id)} ${named}` });
  const out = [cancel];
  if (state === WAITS) {
    out.push(held ? button('release', act((of) => source.release(of), 'released'), { 'aria-label': `release ${named}` })
      : button('hold', act((of) => source.hold(of), 'held'), { 'aria-label': `hold ${named}` }));
    if (rights === 'any' && !short) {
      const number = el('input', { type: 'number', value: String(jobs.doc.jobs.priority[j]), size: '4', class: 'short', 'aria-label': `priority of ${named}` });
      out.push(number, button('set priority', act((of) => source.set_priority(of, Math.round(Number(number.value) || 0)), 'changed'), { 'aria-label': `set priority of ${named}` }));
    }
  }
  return el('span', { class: 'actions' }, ...out, said);
}
