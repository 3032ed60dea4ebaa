# SPDX-License-Identifier: Apache-2.0
"""No call leaks: a million calls of all kinds, and the memory of the process before and after them."""
import copy
import gc
import os
import pathlib
import unittest

import copse
from copse import plan

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
CALLS = 1_000_000  # of all kinds together
GROWTH_BYTES_MAX = 256 << 10  # of each kind: less than what the smallest object of Python takes in so many calls


def bytes_in_use():
    gc.collect()
    pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def refused(call, *arguments):
    try:
        call(*arguments)
    except copse.Error as error:
        return str(error), error.explanation
    raise AssertionError("it was not refused")


def kinds(machine):
    """Calls by name, each of which leaves everything as it was."""
    engine = copse.Engine(machine, policy="low")
    request = engine.prepare("slot=1/core=2", 60)
    whole, too_much = engine.prepare("slot=4/node{x}", 60), engine.prepare("slot=5/node{x}", 60)
    held = engine.match(engine.prepare("slot=1/core=2", 3600))
    r = held.resources
    text = r.encode()
    jobspec = {"version": 1, "tasks": [{"command": ["a"], "slot": "s", "count": {"per_slot": 1}}],
               "resources": [{"type": "slot", "count": 1, "label": "s", "with": [{"type": "core", "count": 1}]}],
               "attributes": {"system": {"duration": 60}}}
    table, jobs = engine.grants(), plan.generate(20, machine, load=0.9, seed=1)
    queue = copse.Queue(engine)
    ids, hosts = copse.Idset("0-9,20"), copse.Hostlist("node[0-9]")

    def match():
        engine.cancel(engine.try_match(request).job)

    def reserve():
        engine.cancel(engine.reserve(whole).job)

    def book():
        engine.cancel(engine.update(999_999_999, text, start=10_000, duration=60).job)

    def trial():
        with engine.what_if() as clone:
            clone.match("slot=1/core")

    def through_a_queue():
        queue.submit(2, "slot=1/core", 60)
        queue.work()
        queue.ended(2, 0)

    def sets():
        return (ids | "30-40") - [1, 2] & ids, ids.expand(), str(ids), copy.copy(ids), hosts[2:4], list(hosts)

    def resource_sets():
        return (r | copse.ResourceSet(text)) - r, r.ranks, r.nodelist, r.to_dict(), r.dumps(), r.copy()

    return {
        "match": match, "reserve": reserve, "no match": lambda: engine.try_match(too_much),
        "refused with an explanation": lambda: refused(engine.match, too_much),
        "refused": lambda: refused(engine.cancel, 77), "wrong": lambda: refused(engine.prepare, "slot="),
        "wrong kind": lambda: refused(copse.Idset, "[["), "prepare": lambda: engine.prepare(jobspec),
        "explain": lambda: engine.explain(whole).to_dict(), "trial": trial,
        "grant": lambda: (engine.grant(held.job).resources, held.dumps("rv1"), repr(held)),
        "columns": lambda: (memoryview(engine.free()).tolist(), engine.grants()["end"].to_list(), engine.jobs()),
        "buffers": lambda: (memoryview(table["job"]), memoryview(table["end"])),
        "no buffer": lambda: no_buffer(jobs),
        "arrow": table.__arrow_c_stream__, "sets": sets, "resource sets": resource_sets, "queue": through_a_queue,
        "status": lambda: (engine.set_rank_status("3", "down"), engine.set_rank_status("3", "up"), machine.types),
        "save": lambda: copse.Engine.load(engine.save()),
    }


def no_buffer(jobs):
    try:
        memoryview(jobs.to_table()["id"])
    except BufferError:
        pass


class MemoryTest(unittest.TestCase):
    def test_nothing_leaks(self):
        calls = kinds(copse.Machine.load(str(ROOT / "examples/machines/desk.graphml")))
        each = -(-CALLS // len(calls))
        for name, call in calls.items():
            with self.subTest(name):
                for _ in range(each // 10):  # what is kept for later calls is there then
                    call()
                before = bytes_in_use()
                for _ in range(each):
                    call()
                self.assertLess(bytes_in_use() - before, GROWTH_BYTES_MAX)

    def test_a_leak_would_be_seen(self):
        kept, machine = [], copse.Machine.load(str(ROOT / "examples/machines/desk.graphml"))
        call = kinds(machine)["buffers"]
        before = bytes_in_use()
        for _ in range(CALLS // 20):
            kept.append(call())
        self.assertGreater(bytes_in_use() - before, GROWTH_BYTES_MAX)


if __name__ == "__main__":
    unittest.main()
