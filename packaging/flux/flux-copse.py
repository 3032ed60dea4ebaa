# SPDX-License-Identifier: Apache-2.0
"""flux copse: questions about jobs and resources to sched-copse, the scheduler of this instance.

    flux copse why JOBID    why it waits, which jobs are in front, what would help
    flux copse when JOBID   when it starts, if nothing else happens
    flux copse layers       hierarchical resources: totals, and amounts in use
    flux copse set-layer RESOURCE NODES COUNT
                            the count of a layer from now on, while jobs run

The scheduler does not know jobs that are held, that wait for others, or whose queue is stopped: the
reason is then that of Flux. The instance answers in milliseconds. With --json the answer is one JSON object (docs/tools/plan.md,
--why, has its keys; times are seconds since 1970).
"""
import argparse
import datetime
import errno
import json
import re
import sys

import flux
from flux.job import JobID
from flux.job.list import job_list_id

SERVICE = "sched-copse"


class Job:
    """A job as the user named it."""

    def __init__(self, text):
        self.text = text
        self.number = int(JobID(text))

    def __str__(self):
        return self.text


def reason_in_flux(handle, job):
    """Why a waiting job is not with the scheduler: its state, the cause in a word, a sentence."""
    try:
        info = job_list_id(handle, job.number).get_jobinfo()
    except OSError:
        return None
    if info.state == "DEPEND":
        return "waiting", "dependency", f"it waits for its dependencies: {info.dependencies}"
    if info.state in ("NEW", "PRIORITY"):
        return "waiting", "priority", "Flux has not given it a priority yet"
    if info.state != "SCHED":
        return None
    if info.urgency == 0:
        return "held", "held", f"it is held; flux job urgency {job} 16 releases it"
    if info.priority == 0:
        return "held", "held", "it is held: its priority is 0"
    asked = {"name": info.queue} if info.queue else {}
    queue = handle.rpc("job-manager.queue-status", asked, nodeid=0).get()
    if not queue["start"]:
        name = f'queue "{info.queue}"' if info.queue else "the queue"
        cause = queue.get("stop_reason")
        return "waiting", "stopped", f"{name} is stopped" + (f": {cause}" if cause else "")
    return "waiting", "starting", "Flux has not asked the scheduler for it yet"


def ask(handle, service, job, as_json, whole=False):
    """The answer of the scheduler, else that of Flux; a refusal is an OSError."""
    request = {"id": job.number, "json": as_json, "long": whole, "name": job.text}
    try:
        return handle.rpc(f"{service}.why", request, nodeid=0).get()
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise
        reason = reason_in_flux(handle, job)
        if reason is None:
            raise
    state, cause, sentence = reason
    if as_json:
        return {"job": job.text, "state": state, "why": {"cause": cause, "short": sentence[:80], "text": sentence},
                "expected": None}
    verb = "is held" if state == "held" else "waits"
    return {"text": f"job {job} {verb}\n  why:  {sentence}"}


def shown(text):
    """Ids in ASCII, where Flux's own commands write them so."""
    return text.replace("\u0192", str(JobID(1).f58)[0])


def local_times(text):
    """Times in UTC, in the time zone of the reader."""
    def local(found):
        time = datetime.datetime.fromisoformat(found.group().replace("Z", "+00:00")).astimezone()
        return found.group() if not time.utcoffset() else time.isoformat()

    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", local, text)


def why(args):
    """Print the cause, when the job starts, and what would help."""
    answer = ask(flux.Flux(), args.service, args.jobid, args.json, args.long)
    print(json.dumps(answer) if args.json else shown(local_times(answer["text"].rstrip("\n"))))


def when(args):
    """Print the start that is promised or expected."""
    answer = ask(flux.Flux(), args.service, args.jobid, True)
    if args.json:
        print(json.dumps({key: answer.get(key) for key in ("job", "promised", "expected")}))
        return
    for word in ("promised", "expected"):
        if answer.get(word) is not None:
            start = datetime.datetime.fromtimestamp(answer[word]).astimezone()
            print(f"{word} at {start:%Y-%m-%d %H:%M:%S %Z}")
            return
    print(shown(f"not known: {answer['why']['short']}"))


def number(count):
    """A count of a layer, as shown."""
    return "-" if count < 0 else str(count)


def layers(args):
    """Print the layers of hierarchical resources."""
    answer = flux.Flux().rpc(f"{args.service}.layers", nodeid=0).get()
    if args.json:
        print(json.dumps(answer))
        return
    columns = ("resource", "nodes", "mode", "total", "used", "reserved")
    rows = [columns] + [tuple(layer[key] if isinstance(layer[key], str) else number(layer[key])
                              for key in columns) for layer in answer["layers"]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    for row in rows:
        cells = [text.ljust(width) if i < 2 else text.rjust(width)
                 for i, (text, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())


def set_layer(args):
    """Change the count of a layer."""
    flux.Flux().rpc(f"{args.service}.set-layer",
                    {"resource": args.resource, "nodes": args.nodes, "count": args.count},
                    nodeid=0).get()


def main():
    """Parse the command line and run one of the commands."""
    parser = argparse.ArgumentParser(
        prog="flux copse", description="Ask sched-copse about jobs and resources.",
        epilog="example: flux copse why $(flux job last)")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, text in (("why", why, "why a job waits, and what would help"),
                            ("when", when, "when a job starts, if nothing else happens")):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("jobid", type=Job, metavar="JOBID")
        command.add_argument("--json", action="store_true", help="print one JSON object")
        if run is why:
            command.add_argument("--long", action="store_true",
                                 help="the whole sentence: all numbers, and the jobs that have the rest")
        command.set_defaults(run=run, subject="jobid")
    text = "show hierarchical resources: totals, and amounts in use"
    command = commands.add_parser("layers", help=text, description=text)
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=layers, subject="service")
    text = "change the count of a layer, while jobs run"
    command = commands.add_parser("set-layer", help=text, description=text)
    command.add_argument("resource", metavar="RESOURCE")
    command.add_argument("nodes", metavar="NODES", help="the nodes of the layer, as `layers` shows them")
    command.add_argument("count", type=int, metavar="COUNT")
    command.set_defaults(run=set_layer, subject="resource")
    for command in commands.choices.values():
        command.add_argument("--service", default=SERVICE, help=f"name of the module ({SERVICE})")
    args = parser.parse_args()
    try:
        args.run(args)
    except OSError as error:
        sys.exit(f"flux copse: {getattr(args, args.subject)}: {error.strerror or error}")


if __name__ == "__main__":
    main()
