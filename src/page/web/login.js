// SPDX-License-Identifier: Apache-2.0
//
// Authentication: a token, kept by this tab until it is closed, and never part of an address.
import { button, el, field, name_of, refill } from './dom.js';
import { LiveProblem, LiveSource } from './live_source.js';

const LOGIN_KEY = 'copse-token';

function login_token() {
  try { return window.sessionStorage.getItem(LOGIN_KEY) || ''; } catch { return ''; }
}
function login_keep(token) {
  try {
    if (token) window.sessionStorage.setItem(LOGIN_KEY, token);
    else window.sessionStorage.removeItem(LOGIN_KEY);
  } catch { /* without storage it lasts until the page is loaded again */ }
}

// A source with read access: with the token of this tab, without one, or with one from the user.
export async function login_source(main) {
  const base = new URL('.', document.baseURI);
  let token = login_token();
  let words = '';
  for (;;) {
    const source = new LiveSource(base, token);
    try {
      await source.begin();
      login_keep(token);
      return source;
    } catch (error) {
      if (!(error instanceof LiveProblem) || (error.status !== 401 && error.status !== 403)) throw error;
      if (token) words = 'The service does not know this token, or the token gives no access to the page.';
      login_keep('');
    }
    token = await login_asked(main, words);
  }
}

// Requests a token from the user. `words`: the reason.
function login_asked(main, words) {
  return new Promise((done) => {
    const input = el('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', required: true, maxlength: '200' });
    const form = el('form', { class: 'tools', onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim() !== '') done(input.value.trim());
    } }, field('Token', input), el('button', { type: 'submit' }, 'log in'));
    refill(main, el('section', { class: 'view', 'aria-labelledby': 'title-login' },
      el('h2', { id: 'title-login' }, 'Log in'),
      el('p', { class: 'lead' }, 'The operator of this service issues tokens: ', el('code', {}, 'copse token add NAME --role ROLE'),
        '. A token is kept by this tab alone, until you close it.'),
      words ? el('p', { role: 'alert' }, words) : null, form));
    input.focus();
  });
}

// Next to the name of the machine: the user, the state of the connection, and a button to log in
// again.
export function login_line(source) {
  const turn = () => {
    login_keep('');
    source.end();
    window.location.reload();
  };
  const other = async () => {
    source.end();
    const token = await login_asked(document.getElementById('main'), '');
    login_keep(token);
    window.location.reload();
  };
  const state = el('span', { 'aria-live': 'polite', id: 'connection' }, source.state_words);
  source.subscribe(() => {
    if (state.textContent !== source.state_words) state.textContent = source.state_words;
  });
  source.on_unknown = turn;
  return el('span', { class: 'group caller' }, el('span', {}, name_of(source.state.caller || 'not logged in'), ` (${source.state.role})`),
    source.token ? button('log out', turn) : button('log in', other), state);
}
