// SPDX-License-Identifier: Apache-2.0
//
// Jobs of a service as rows, which a stream of changes can replace one by one; and the events of
// such a stream. Pure functions.

// Calls each({id, data}) for the events of a text stream, and keeps the incomplete rest.
export class LiveEvents {
  constructor(each) {
    this.each = each;
    this.rest = '';
  }

  take(text) {
    const parts = (this.rest + text).split('\n\n');
    this.rest = parts.pop();
    for (const part of parts) {
      const event = { id: null, data: '' };
      for (const line of part.split('\n')) {
        if (line.startsWith('id: ')) event.id = line.slice(4);
        else if (line.startsWith('data: ')) event.data += line.slice(6);
      }
      if (event.data !== '') this.each(event);
    }
  }
}

// Rows of a document "jobs": values instead of columns.
export function live_rows(doc) {
  const { jobs, runs, places, parts, draws, words } = doc;
  const rows = jobs.id.map((id, j) => ({
    id, name: jobs.name[j], user: words[jobs.user[j]], queue: words[jobs.queue[j]], request: words[jobs.request[j]],
    submit: jobs.submit[j], limit: jobs.limit[j], priority: jobs.priority[j], promised: jobs.promised[j],
    never: jobs.never[j], left: jobs.left[j], remark: words[jobs.remark[j]], runs: [],
  }));
  const made = runs.job.map((job, r) => {
    const run = { start: runs.start[r], end: runs.end[r], ending: runs.ending[r], nodes: runs.nodes[r], cores: runs.cores[r], places: [], parts: [], draws: [] };
    rows[job].runs.push(run);
    return run;
  });
  places.run.forEach((run, p) => made[run].places.push([places.first[p], places.count[p], places.share[p]]));
  parts.run.forEach((run, p) => made[run].parts.push([parts.node[p], words[parts.pools[p]]]));
  draws.run.forEach((run, d) => made[run].draws.push([draws.layer[d], draws.amount[d]]));
  return rows;
}

// The inverse.
export function live_document(rows, endings) {
  const numbers = new Map([['', 0]]);
  const word = (text) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text);
  };
  const jobs = { id: [], name: [], user: [], queue: [], request: [], submit: [], limit: [], priority: [], promised: [], never: [], left: [], remark: [] };
  const runs = { job: [], start: [], end: [], ending: [], nodes: [], cores: [] };
  const places = { run: [], first: [], count: [], share: [] };
  const parts = { run: [], node: [], pools: [] };
  const draws = { run: [], layer: [], amount: [] };
  for (const row of rows) {
    const job = jobs.id.length;
    for (const key of ['id', 'name', 'submit', 'limit', 'priority', 'promised', 'never', 'left']) jobs[key].push(row[key]);
    for (const key of ['user', 'queue', 'request', 'remark']) jobs[key].push(word(row[key]));
    for (const run of row.runs) {
      const number = runs.job.length;
      runs.job.push(job);
      for (const key of ['start', 'end', 'ending', 'nodes', 'cores']) runs[key].push(run[key]);
      for (const [first, count, share] of run.places) {
        places.run.push(number);
        places.first.push(first);
        places.count.push(count);
        places.share.push(share);
      }
      for (const [node, pools] of run.parts) {
        parts.run.push(number);
        parts.node.push(node);
        parts.pools.push(word(pools));
      }
      for (const [layer, amount] of run.draws) {
        draws.run.push(number);
        draws.layer.push(layer);
        draws.amount.push(amount);
      }
    }
  }
  return { format: 1, words: [...numbers.keys()], endings, jobs, runs, places, parts, draws };
}

// Whether a job cannot change any more.
export function live_is_over(row, now) {
  return row.never !== 0 || (row.runs.length > 0 && row.runs.every((run) => run.ending !== 0 || (run.end !== null && run.end < now - 60)));
}
