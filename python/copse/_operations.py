# SPDX-License-Identifier: Apache-2.0
"""The operations of a service, as lines of its protocol (docs/tools/session.md)."""
import json

from copse import errors

# An answer has no bound; a line of a request has (docs/tools/serve.md).
_REQUEST_BYTES_MAX = 1 << 20
BATCH_BYTES = 64 << 10
# A service closes an HTTP connection without a request for 60 s.
IDLE_S_MAX = 30


def request_line(request):
    # JSON in one line, and in ASCII: a lone surrogate in a name is refused by the server, not by us.
    line = json.dumps(request, separators=(",", ":")).encode() + b"\n"
    if len(line) > _REQUEST_BYTES_MAX:
        raise errors.LimitExceeded(f"a request of {len(line)} bytes is longer than {_REQUEST_BYTES_MAX}")
    return line


def watch_line(job, since):
    return request_line(request_of("watch", {"id": job, "since": since}))


def events_target(since):
    return "/v1/events" if since is None else f"/v1/events?seq={since}"


def request_of(op, members):
    return {"op": op, **{name: value for name, value in members.items() if value is not None}}


def _request_members(request, duration, constraints, hres):
    """Members of a request: a shape, or a jobspec as a dict."""
    what = {"jobspec": request} if isinstance(request, dict) else {"shape": request}
    return {**what, "duration": duration, "constraints": constraints, "hres": hres}


class Operations:
    """The operations of the protocol, as calls of ask(); with AsyncClient they are awaitable."""

    def ask(self, op, **members):
        raise NotImplementedError

    def alloc(self, id, request, duration=None, *, constraints=None, hres=None):
        """Grants a request from now on. `request` is a shape, or a jobspec as a dict; a duration of 0 has no end."""
        return self.ask("alloc", id=id, **_request_members(request, duration, constraints, hres))

    def reserve(self, id, request, duration=None, *, constraints=None, hres=None):
        """Grants a request at the earliest time at which it fits."""
        return self.ask("reserve", id=id, **_request_members(request, duration, constraints, hres))

    def satisfy(self, request, *, constraints=None, hres=None):
        """Raises Infeasible if the empty machine could not serve the request."""
        return self.ask("satisfy", **_request_members(request, None, constraints, hres))

    def explain(self, request, duration=None, *, constraints=None, hres=None):
        """Why the request would get nothing now."""
        return self.ask("explain", **_request_members(request, duration, constraints, hres))

    def free(self, id, ranks=None):
        """Releases a grant; with ranks ("0-3"), only these ranks."""
        return self.ask("free", id=id, ranks=ranks)

    def status(self):
        """The free, allocated and down resources."""
        return self.ask("status")

    def info(self, id=None):
        """A list of grants, running and planned: all, or that of one id."""
        return self.ask("info", id=id)

    def down(self, ranks=None, *, nodes=None, reason=None):
        """Sets ranks or nodes down: no request gets them; grants on them stay."""
        return self.ask("down", ranks=ranks, nodes=nodes, reason=reason)

    def up(self, ranks=None, *, nodes=None):
        """Sets ranks or nodes up again; drained nodes stay drained."""
        return self.ask("up", ranks=ranks, nodes=nodes)

    def drain(self, nodes=None, *, ranks=None, reason=None):
        """Nodes get no new jobs; their jobs go on. `nodes` is a hostlist or path, `ranks` an idset's text."""
        return self.ask("drain", nodes=nodes, ranks=ranks, reason=reason)

    def undrain(self, nodes=None, *, ranks=None):
        """Ends a drain: {"nodes": those that were drained}, and "down": those that are still down."""
        return self.ask("undrain", nodes=nodes, ranks=ranks)

    def drains(self):
        """{"drains": [{"nodes", "reason", "by", "at"}], "downs": those that were set down}."""
        return self.ask("drains")

    def usage(self):
        """{"users": [{"user", "core_seconds", "part", "share", "fair_share"}]}, as priorities count them; the last three
        from 0 to 1. Without a weight for fair shares in the queues' file, no user is counted."""
        return self.ask("usage")

    def add_reservation(self, reservation):
        """Reserves nodes for a time, as in docs/tools/plan.md: {"name": "fan", "start": "2030-01-01T08:00:00Z",
        "duration": "2h", "nodes": "node[0-3]"}. The answer has the jobs that lose time, and those whose promised start moves."""
        return self.ask("add-reservation", reservation=reservation)

    def try_reservation(self, reservation):
        """What add_reservation would answer; nothing is reserved."""
        return self.ask("try-reservation", reservation=reservation)

    def reservations(self):
        """{"reservations": [{"name", "by", "request", "times"}]}, in the order of their next times."""
        return self.ask("reservations")

    def end_reservation(self, name):
        """Ends a reservation, all its later times included. Raises Invalid if there is none."""
        return self.ask("end-reservation", name=name)

    def attach(self, jgf):
        """Adds the pools of a JGF (a dict) that the machine does not have yet."""
        return self.ask("attach", jgf=jgf)

    def remove(self, nodes=None, *, ranks=None):
        """Removes nodes, or others with all below them: {"jobs": those that lost resources}."""
        return self.ask("remove", nodes=nodes, ranks=ranks)

    def layers(self, at=None):
        """Layers of hierarchical resources, now or at a later time."""
        return self.ask("layers", at=at)

    def set_layer(self, resource, nodes, count):
        """Sets the count of a layer, from now on."""
        return self.ask("set-layer", resource=resource, nodes=nodes, count=count)

    def add_layer(self, resource, nodes, count, *, mode=None, base=None):
        """Adds a layer of `count` units for these nodes, and its resource if it does not exist."""
        return self.ask("add-layer", resource=resource, nodes=nodes, count=count, mode=mode, base=base)

    def remove_layer(self, resource, nodes):
        """Removes a layer. Raises Invalid if it does not exist."""
        return self.ask("remove-layer", resource=resource, nodes=nodes)

    def set_layer_nodes(self, resource, nodes, to):
        """Moves the layer of `nodes` to the nodes of `to`."""
        return self.ask("set-layer-nodes", resource=resource, nodes=nodes, to=to)

    def reserve_layer(self, id, resource, nodes, count, start, duration, jobs):
        """Reserves an amount of a layer for some jobs, a list of ids."""
        return self.ask("reserve-layer", id=id, resource=resource, nodes=nodes, count=count, start=start,
                        duration=duration, **{"for": jobs})

    def free_layer(self, id):
        """Ends a reservation of a layer."""
        return self.ask("free-layer", id=id)

    def submit(self, request, duration=None, *, id=None, name=None, queue=None, user=None, priority=None, held=None,
               lease=None, reservation=None, requeue=None, constraints=None, hres=None):
        """Submits a job; {"id": 7}. Raises Infeasible if it could never run, Insufficient beyond a bound."""
        return self.ask("submit", id=id, name=name, queue=queue, user=user, priority=priority, held=held, lease=lease,
                        reservation=reservation, requeue=requeue, **_request_members(request, duration, constraints, hres))

    def jobs(self, *, state=None, queue=None, user=None, after=None, limit=None):
        """{"jobs": [...], "next": the number of the next event}: jobs by id, those that have not ended unless `state`
        says otherwise ("all"). With "more", the list goes on `after` its last id."""
        return self.ask("jobs", state=state, queue=queue, user=user, after=after, limit=limit)

    def job(self, id):
        """One job, with its R if it runs. Raises Invalid if there is none."""
        return self.ask("job", id=id)

    def queue(self):
        """The queues, their disciplines, and the numbers of waiting and running jobs."""
        return self.ask("queue")

    def hold(self, id):
        """Holds a job: it does not start until it is released."""
        return self.ask("hold", id=id)

    def release(self, id):
        """Releases a held job."""
        return self.ask("release", id=id)

    def priority(self, id, priority):
        """Jobs of a higher priority come first. Users may lower that of their own jobs."""
        return self.ask("priority", id=id, priority=priority)

    def cancel(self, id):
        """Cancels a job. A waiting job ends at once, a running job when its executor has stopped it."""
        return self.ask("cancel", id=id)

    def end(self, id, status=None, *, ranks=None, restarts=None):
        """For executors: reports the end of a running job, with its status; or releases some ranks ("0-3"). `restarts`
        is that of the event of its start, for a job that was submitted again."""
        return self.ask("end", id=id, status=status, ranks=ranks, restarts=restarts)

    def renew(self, id, *, restarts=None):
        """For executors: renews the lease of a job; `restarts` as for end()."""
        return self.ask("renew", id=id, restarts=restarts)

    def why(self, id):
        """Why a job waits, which jobs are ahead, and what would help."""
        return self.ask("why", id=id)

    def when(self, id):
        """{"id", "start", "promised"}: when a job starts; a start of None is unknown."""
        return self.ask("when", id=id)
