// SPDX-License-Identifier: Apache-2.0
//
// A service for tests: `copse serve` on a port of this computer, with tokens; ended by its id.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

async function free_port() {
  const server = createServer();
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const { port } = server.address();
  await new Promise((done) => { server.close(done); });
  return port;
}

export class Service {
  static async begin(copse, machine, more = []) {
    const out = new Service();
    out.copse = copse;
    out.folder = mkdtempSync(join(tmpdir(), 'copse-live-'));
    out.port = await free_port();
    out.origin = `http://127.0.0.1:${out.port}`;
    out.args = ['-P', 'low', '--state', join(out.folder, 'state'), '--socket', join(out.folder, 's.sock'), '--listen', `127.0.0.1:${out.port}`, ...more];
    await out.start(['-L', machine]);
    out.tokens = {};
    for (const [name, role] of [['gil', 'guest'], ['ada', 'user'], ['olga', 'owner']]) {
      out.tokens[name] = execFileSync(copse, ['token', 'add', name, '--role', role, '--state', join(out.folder, 'state')], { encoding: 'utf8' }).trim();
    }
    return out;
  }

  async start(first = []) {
    this.said = '';
    this.process = spawn(this.copse, ['serve', ...first, ...this.args], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.over = new Promise((done) => { this.process.once('exit', done); });
    this.process.stderr.on('data', (text) => { this.said += text; });
    for (let i = 0; i < 1500; ++i) {
      try {
        if ((await fetch(`${this.origin}/v1/readyz`)).ok) return;
      } catch { /* not yet */ }
      if (this.process.exitCode !== null) break;
      await new Promise((done) => { setTimeout(done, 100); });
    }
    throw new Error(`copse serve does not answer: ${this.said}`);
  }

  async stop(signal = 'SIGTERM') {
    this.process.kill(signal);
    await this.over;
  }

  async ask(method, path, body, who = 'olga') {
    const answer = await fetch(`${this.origin}/v1/${path}`, { method, body, headers: { Authorization: `Bearer ${this.tokens[who]}` } });
    return { status: answer.status, text: await answer.text() };
  }
  // Requests of the session protocol; none may be refused.
  async batch(requests) {
    const { status, text } = await this.ask('POST', 'batch', requests.map((request) => JSON.stringify(request)).join('\n'));
    if (status !== 200 || text.includes('"error"')) throw new Error(`refused: ${status} ${text.slice(0, 300)}`);
  }

  // Bytes of the stream of changes within so many milliseconds.
  async stream_bytes(milliseconds) {
    const stopper = new AbortController();
    const answer = await fetch(`${this.origin}/v1/page/events`, { signal: stopper.signal, headers: { Authorization: `Bearer ${this.tokens.gil}` } });
    setTimeout(() => stopper.abort(), milliseconds);
    let bytes = 0;
    try {
      for await (const piece of answer.body) bytes += piece.length;
    } catch { /* that is its end */ }
    return bytes;
  }

  async end() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
