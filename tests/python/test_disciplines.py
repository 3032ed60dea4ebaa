# SPDX-License-Identifier: Apache-2.0
"""What a discipline in Python is told, and that those of copse.plan are what they are called."""
import json
import os
import pathlib
import random
import unittest

import copse
from copse import plan

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
DESK = str(ROOT / "examples/machines/desk.graphml")
# In the build folder, next to the package.
COOLEST = pathlib.Path(plan.__file__).parent.parent.parent / "examples/policies/coolest.so"
WIDE = COOLEST.parent.parent / "disciplines/wide.so"


def flat(nodes, cores):
    """Equal nodes n0, n1, …"""
    ids = lambda count: "0" if count == 1 else f"0-{count - 1}"
    names = "n0" if nodes == 1 else f"n[0-{nodes - 1}]"
    return copse.Machine.read(json.dumps(
        {"version": 1, "execution": {"R_lite": [{"rank": ids(nodes), "children": {"core": ids(cores)}}], "starttime": 0,
                                     "expiration": 0, "nodelist": [names]}}))


def stream(seed, jobs, most):
    """Jobs of whole nodes that run shorter than they ask, some of them with priorities."""
    rng, submit, out = random.Random(seed), 0, []
    for number in range(jobs):
        submit += rng.choice((0, 0, 5, 40, 200))
        duration = rng.choice((10, 60, 300, 900, 3600))
        out.append({"id": number, "submit": submit, "nodes": min(most, rng.choice((1, 1, 2, 3, 5, 8))), "duration": duration,
                    "run": rng.randint(1, duration), "priority": rng.choice((0, 0, 0, 3)) if seed % 2 else 0})
    return out


def starts(schedule):
    table = schedule.to_table()
    return dict(zip(table["id"].to_list(), table["start"].to_list()))


class NamesTest(unittest.TestCase):
    def test_easy_and_fcfs_are_those_of_copse_start_by_start(self):
        for seed in range(12):
            nodes = 6 + seed
            machine = flat(nodes, 2)
            jobs = plan.jobs_of(stream(seed, 150, nodes))
            for name, own in (("easy", plan.easy), ("fcfs", plan.fcfs)):
                with self.subTest(seed=seed, discipline=name):
                    self.assertEqual(starts(plan.run(machine, jobs, discipline=own)),
                                     starts(plan.run(machine, jobs, discipline=name)))

    def test_a_long_job_starts_on_nodes_that_are_spare_beside_the_head(self):
        jobs = plan.jobs_of([{"id": "a", "submit": 0, "nodes": 2, "duration": 100},
                             {"id": "b", "submit": 0, "nodes": 1, "duration": 200},
                             {"id": "head", "submit": 1, "nodes": 3, "duration": 50},
                             {"id": "long", "submit": 2, "nodes": 1, "duration": 500},
                             {"id": "too-long", "submit": 3, "nodes": 1, "duration": 500}])
        begun = starts(plan.run(flat(5, 1), jobs, discipline=plan.easy))
        self.assertEqual({name: begun[name] for name in ("head", "long")}, {"head": 100, "long": 2})
        self.assertGreaterEqual(begun["too-long"], 100)

    def test_a_priority_is_not_dropped_silently(self):
        jobs = plan.jobs_of([{"nodes": 1, "run": 10}])
        with self.assertRaisesRegex(copse.Unsupported, "leave out the priority"):
            plan.run(flat(1, 1), jobs, discipline=plan.easy, priority="smallest")
        with self.assertRaisesRegex(copse.Invalid, "policy and traverser already"):
            plan.run(copse.Engine(flat(1, 1)), jobs, policy="low", traverser="simple")


class SiteTest(unittest.TestCase):
    def test_running_jobs_have_sizes_and_expected_ends(self):
        machine = copse.Machine.load(DESK)
        engine = copse.Engine(machine, policy="low")
        before = engine.match(engine.prepare("slot=1/core=3", 1000)).job
        seen = []

        def own(waiting, site):
            for job in waiting:
                site.start(job)
            seen.append([(run.job and run.job.id, run.start, run.end, run.nodes, run.cores, run.gpus)
                         for run in site.running_jobs])
            self.assertEqual(site.running, len(seen[-1]) - 1)
            self.assertEqual((site.free("node"), site.free(), site.free("gpu")),
                             (site.engine.free("node").to_list().count(1), sum(site.engine.free().to_list()),
                              sum(site.engine.free("gpu").to_list())))
            if len(seen) == 1:
                self.assertEqual((site.free("node"), site.free("core"), site.free("gpu")), (0, 11, 3))
                self.assertEqual((site.running_jobs[1].job, site.running_jobs[1].grant), (None, before))

        plan.run(engine, plan.jobs_of([
            {"id": "whole", "submit": 0, "nodes": 2, "duration": 2000, "run": 30},
            {"id": "part", "submit": 0, "shape": "slot=1/[core=2;gpu=1]", "duration": 500, "run": 90},
            {"id": "later", "submit": 40, "cores": 1, "duration": 60}]), discipline=own)
        self.assertEqual(seen[0], [("part", 0, 500, 1, 2, 1), (None, 0, 1000, 1, 3, 0), ("whole", 0, 2000, 2, 16, 4)])
        self.assertEqual([row[0] for row in seen[1]], ["later", "part", None])

    def test_a_question_changes_nothing(self):
        jobs = plan.jobs_of([{"id": "a", "nodes": 2, "duration": 100}, {"id": "head", "nodes": 4, "duration": 50},
                             {"id": "short", "nodes": 1, "duration": 100}, {"id": "long", "nodes": 1, "duration": 101}])
        asked = []

        def own(waiting, site):
            if len(waiting) == 4:
                site.start(waiting[0])
                a, head, short, long = waiting
                before = site.engine.fingerprint
                asked.append([site.fits(head), site.fits(short), site.fits_beside(short, head),
                              site.fits_beside(long, head), site.fits_beside(head, head), site.earliest(head)])
                self.assertEqual(site.engine.fingerprint, before)
                with self.assertRaises(copse.Invalid):
                    site.fits_beside(a, head)
            plan.fcfs([job for job in waiting if not job.started], site)

        plan.run(flat(4, 1), jobs, discipline=own)
        self.assertEqual(asked, [[False, True, True, False, False, 100]])

    def test_an_unknown_type_is_not_found(self):
        engine = copse.Engine(flat(2, 2))
        with self.assertRaisesRegex(copse.NotFound, "no \"unicorn\""):
            engine.free("unicorn")


class FreeTest(unittest.TestCase):
    def test_whole_nodes_count_wherever_the_state_went(self):
        seen = {}

        def look(waiting, site):
            for job in waiting:
                site.start(job)
            for name, engine in (("replay", site.engine), ("clone", site.engine.clone()),
                                 ("loaded", copse.Engine.load(site.engine.save()))):
                seen.setdefault(name, []).append(sum(engine.free("core").to_list()))

        trace = "".join(f"{n} {n} -1 100 {8 * n} -1 -1 {8 * n} 100 -1 1 1 1 -1 -1 -1 -1 -1\n" for n in (1, 2))
        plan.run(flat(12, 8), plan.Jobs.read(trace, processors_per_node=8), discipline=look)
        self.assertEqual(seen, {name: [88, 72] for name in ("replay", "clone", "loaded")})
        engine = copse.Engine(copse.Machine.load(DESK), policy="low")
        engine.match("slot=2/node{x}")
        self.assertEqual(engine.free("core").to_list(), [0, 0, 8, 8])
        self.assertEqual(engine.free("gpu").to_list(), [0, 0, 2, 2])
        self.assertEqual(engine.free("node").to_list(), [0, 0, 1, 1])

    def test_numbers_that_are_chosen_are_free(self):
        got = []

        def look(waiting, site):
            for job in waiting:
                site.start(job)
            copy = site.engine.clone()
            got.append(copy.try_match("slot=1/node{x}").job)
            self.assertEqual(len(copy.match_many("slot=1/node{x}", 2)), 2)
            got.append(copse.Engine.load(site.engine.save()).match("slot=1/core").job)

        plan.run(flat(8, 4), plan.jobs_of([{"submit": n, "nodes": 2, "duration": 100} for n in (0, 1)]), discipline=look)
        self.assertEqual(got, [3, 2, 3, 3])
        queue = copse.Queue(copse.Engine(flat(4, 1)))
        queue.submit(1, "slot=1/node{x}", 10)
        queue.work()
        self.assertEqual(queue.engine.clone().match("slot=1/node{x}").job, 2)
        last = copse.Engine(flat(4, 1))
        last.match("slot=1/core", 2**64 - 1)
        self.assertEqual((last.match("slot=1/core").job, copse.Engine.load(last.save()).match("slot=1/core").job), (1, 2))


class PluginTest(unittest.TestCase):
    @unittest.skipUnless(COOLEST.exists(), "the example of a policy is not built")
    def test_policies_are_loaded_as_by_the_commands(self):
        machine = copse.Machine.load(DESK)
        engine = copse.Engine(machine, policy=str(COOLEST))
        self.assertEqual(len(engine.match("slot=1/core").resources.ranks), 1)
        jobs = plan.generate(20, machine, seed=1)
        self.assertEqual(plan.run(machine, jobs, policy=f"{COOLEST}:coolest").summary["policy"], "coolest")
        with self.assertRaisesRegex(copse.NotFound, "unknown match policy"):
            copse.Engine(machine, policy="coolest")
        with self.assertRaisesRegex(copse.InputOutput, "can't read ./none.so"):
            copse.Engine(machine, policy="./none.so")
        os.environ["COPSE_PLUGINS"] = str(COOLEST)
        try:
            named = copse.Engine(machine, policy="coolest")
            self.assertEqual(copse.Engine.load(named.save()).fingerprint, named.fingerprint)
        finally:
            del os.environ["COPSE_PLUGINS"]

    @unittest.skipUnless(WIDE.exists(), "the example of a discipline is not built")
    def test_disciplines_are_loaded_as_by_the_command(self):
        machine = copse.Machine.load(DESK)
        jobs = plan.generate(50, machine, load=0.9, seed=1)
        with self.assertRaisesRegex(copse.Invalid, "has several disciplines"):
            plan.run(machine, jobs, discipline=str(WIDE))
        self.assertEqual(plan.run(machine, jobs, discipline=f"{WIDE}:wide").summary["started"], 50)
        copse.Queue(copse.Engine(machine), discipline=f"{WIDE}:wide")


class FiguresTest(unittest.TestCase):
    def test_no_job_has_no_mean(self):
        jobs = plan.jobs_of([{"submit": n, "nodes": 1, "duration": 100} for n in range(5)])
        with self.assertWarns(plan.NeverStarted):
            figures = plan.run(flat(4, 4), jobs, discipline=lambda waiting, site: None).summary
        self.assertEqual([figures[key] for key in ("mean_wait", "median_wait", "p90_wait", "longest_wait", "mean_slowdown",
                                                   "makespan")], [None] * 6)
        self.assertEqual(figures["commonest_refusal"], {"reason": "the discipline never started it", "jobs": 5})

    def test_a_stream_that_was_read_can_be_changed_and_put_back(self):
        machine = copse.Machine.load(DESK)
        trace = "".join(f"{n} {n} -1 50 {n} -1 -1 {n} 100 -1 1 7 1 -1 -1 -1 -1 -1\n" for n in range(1, 5))
        for jobs in (plan.Jobs.read(trace, processors_per_node=1, fields=["user"]), plan.Jobs.read(trace),
                     plan.generate(80, machine, load=0.9, seed=4),
                     plan.jobs_of([{"id": "a", "nodes": 2, "cores": 3, "run": 9, "duration": 20},
                                   {"id": "b", "shape": "slot=1/[core=2;gpu]", "run": 9, "after": "a", "priority": 4},
                                   {"id": "c", "nodes": 1, "run": 9, "constraint": {"hostlist": ["node[0-1]"]}},
                                   {"id": "d", "nodes": 4, "run": 9, "submit": 1, "deadline": 2}])):
            table = jobs.to_table()
            rows = [dict(zip(table.columns, values)) for values in zip(*(table[name].to_list() for name in table.columns))]
            for again in (plan.jobs_of(table), plan.jobs_of(rows)):
                same = again.to_table()
                self.assertEqual([same[name].to_list() for name in same.columns],
                                 [table[name].to_list() for name in table.columns])
                self.assertEqual(plan.run(machine, again).to_csv(), plan.run(machine, jobs).to_csv())
        self.assertEqual(plan.Jobs.read(trace, processors_per_node=1).to_table()["nodes"].to_list(), [1, 2, 3, 4])
        self.assertEqual(plan.Jobs.read(trace).to_table()["cores"].to_list(), [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
