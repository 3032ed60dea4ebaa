# SPDX-License-Identifier: Apache-2.0
"""Streams of jobs, disciplines in Python, and the queue."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import copse
from copse import plan

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
DESK = str(ROOT / "examples/machines/desk.graphml")


class PlanTest(unittest.TestCase):
    def setUp(self):
        self.machine = copse.Machine.load(DESK)
        os.chdir(ROOT)  # lines of examples name files from here

    def test_a_stream_is_run(self):
        jobs = plan.generate(200, self.machine, seed=3)
        self.assertEqual(len(jobs), 200)
        self.assertEqual(jobs.to_swf(), plan.generate(200, self.machine, seed=3).to_swf())
        schedule = plan.run(self.machine, jobs, discipline="easy", policy="low")
        self.assertEqual((schedule.summary["jobs"], schedule.summary["started"], len(schedule)), (200, 200, 200))
        table = schedule.to_table()
        for submit, start, end in zip(table["submit"].to_list(), table["start"].to_list(), table["end"].to_list()):
            self.assertLessEqual(submit, start)
            self.assertLess(start, end)
        self.assertIn("<svg", schedule._repr_svg_()[:300])
        self.assertTrue(schedule.to_csv().startswith("job_id,"))

    def test_fcfs_in_python_is_fcfs(self):
        jobs = plan.generate(300, self.machine, load=0.9, seed=5)
        ours = plan.run(self.machine, jobs, discipline="fcfs", policy="low")
        own = plan.run(self.machine, jobs, discipline=plan.fcfs, policy="low")
        for column in ("id", "start", "end", "nodes", "cores"):
            self.assertEqual(own.to_table()[column].to_list(), ours.to_table()[column].to_list(), column)
        names = {"mean_wait", "bounded_slowdown", "makespan", "nodes_used"} & set(ours.summary)
        for name in names:
            self.assertEqual(own.summary[name], ours.summary[name])

    def test_backfilling_in_python_waits_less(self):
        jobs = plan.generate(300, self.machine, load=0.95, seed=7)
        waits = [plan.run(self.machine, jobs, discipline=d, policy="low").summary["mean_wait"]
                 for d in (plan.fcfs, plan.easy)]
        self.assertLess(waits[1], waits[0])

    def test_jobs_that_never_fit_are_refused(self):
        jobs = plan.jobs_of([{"id": "a", "nodes": 5, "run": 10}, {"id": "b", "cores": 2, "run": 10},
                             {"id": "c", "shape": "slot=1/unicorn", "run": 10}])
        schedule = plan.run(self.machine, jobs, discipline=plan.fcfs)
        self.assertEqual(schedule.to_table()["id"].to_list(), ["b"])
        self.assertEqual(schedule.summary["refused"], 2)

    def test_a_discipline_may_leave_jobs_alone(self):
        jobs = plan.jobs_of([{"nodes": 1, "run": 10}, {"nodes": 1, "run": 10, "submit": 5}])
        with self.assertWarnsRegex(plan.NeverStarted, "never started 2 of 2 jobs.*'1'"):
            schedule = plan.run(self.machine, jobs, discipline=lambda waiting, site: None)
        self.assertEqual((schedule.summary["started"], schedule.summary["refused"]), (0, 2))

    def test_a_discipline_sees_what_jobs_ask_for(self):
        jobs = plan.jobs_of([{"id": "a", "nodes": 3, "run": 10, "user": "ada", "queue": "debug"},
                             {"id": "b", "cores": 5, "run": 10, "priority": 4},
                             {"id": "c", "shape": "slot=2/[core=3;gpu=1]", "run": 10}])
        seen = {}

        def own(waiting, site):
            for job in waiting:
                seen[job.id] = (job.nodes, job.cores, job.gpus, job.user, job.queue, job.priority)
                site.start(job)

        plan.run(self.machine, jobs, discipline=own)
        self.assertEqual(seen, {"a": (3, 24, 0, "ada", "debug", 0), "b": (0, 5, 0, "", "", 4),
                                "c": (0, 6, 2, "", "", 0)})

    def test_a_summary_says_how_to_make_it_again(self):
        jobs = plan.generate(20, self.machine, load=0.5, seed=3)
        for discipline in ("easy", plan.fcfs):
            summary = plan.run(self.machine, jobs, discipline=discipline).summary
            self.assertEqual((summary["machine"], summary["policy"], summary["traverser"], summary["version"],
                              summary["offered_load"], summary["seed"]),
                             (DESK, "compact", "simple", copse.__version__, 0.5, 3))
        path = ROOT / "examples/jobs/desk.jsonl"
        engine = copse.Engine(self.machine, policy="low")
        summary = plan.run(engine, plan.read(path)).summary
        self.assertEqual((summary["machine"], summary["policy"], summary["stream"]), (DESK, "low", str(path)))

    @unittest.skipUnless(os.path.exists(os.environ.get("COPSE_TOOL", "")), "there is no copse")
    def test_defaults_are_those_of_the_command(self):
        path = ROOT / "examples/jobs/desk.jsonl"
        said = subprocess.run([os.environ["COPSE_TOOL"], "plan", "-L", DESK, "--summary", "--quiet", path],
                              capture_output=True, text=True, check=False).stdout
        command = json.loads(said)["summary"]
        own = plan.run(self.machine, plan.read(path)).summary
        del command["stream"], own["stream"]
        self.assertEqual({key: own.get(key) for key in command}, command)

    def test_accounting_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "jobs.txt")
            path.write_text("JobID|User|Submit|Start|End|TimelimitRaw|NNodes|NCPUS|State\n"
                            "7|ada|2026-11-23T08:00:00|2026-11-23T08:00:10|2026-11-23T08:01:10|5|2|16|COMPLETED\n"
                            "8|bob|2026-11-23T08:00:30|2026-11-23T08:02:00|2026-11-23T08:03:00|5|1|8|COMPLETED\n",
                            encoding="utf-8")
            with self.assertRaisesRegex(copse.Invalid, "need a machine, as in plan.read"):
                plan.read(path)
            table = plan.read(path, self.machine).to_table()
            self.assertEqual((table["id"].to_list(), table["user"].to_list(), table["submit"].to_list(),
                              table["run"].to_list()), (["7", "8"], ["ada", "bob"], [0, 30], [60, 60]))
            self.assertEqual(len(plan.run(self.machine, plan.read(path, self.machine, format="sacct"))), 2)

    def test_events_of_nodes_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs, events = pathlib.Path(folder, "jobs"), pathlib.Path(folder, "events")
            jobs.write_text('{"nodes": 4, "run": 10}\n', encoding="utf-8")
            events.write_text('{"time": 0, "down": "node[0-1]"}\n{"time": 100, "up": "node[0-1]"}\n', encoding="utf-8")
            with self.assertRaisesRegex(copse.Invalid, "need a machine"):
                plan.read(jobs, events=events)
            stream = plan.read(jobs, self.machine, events=events)
            self.assertEqual(plan.run(self.machine, stream).to_table()["start"].to_list(), [100])
            with self.assertRaisesRegex(copse.Unsupported, "events"):
                plan.run(self.machine, stream, discipline=plan.fcfs)
            events.write_text('{"time": 0, "down": "nodule"}\n', encoding="utf-8")
            with self.assertRaises(copse.Error) as wrong:
                plan.read(jobs, self.machine, events=events)
            self.assertEqual((wrong.exception.file, wrong.exception.line), (str(events), 1))

    def test_fields_of_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.swf")
            path.write_text("1 0 0 60 2 -1 -1 2 60 -1 1 5 -1 -1 3 -1 -1 -1\n", encoding="utf-8")
            plain, table = plan.read(path).to_table(), plan.read(path, fields=["user", "queue"]).to_table()
            self.assertEqual((plain["user"].to_list(), plain["queue"].to_list()), ([""], [""]))
            self.assertNotEqual(table["user"].to_list(), [""])
            self.assertNotEqual(table["queue"].to_list(), [""])
        for wrong in ({"fields": ["usr"]}, {"format": "slurm"}):
            with self.assertRaisesRegex(copse.Invalid, "is not one of"):
                plan.Jobs.read("", **wrong)

    def test_a_job_starts_once(self):
        def twice(waiting, site):
            for job in waiting:
                site.start(job)
                site.start(job)

        with self.assertRaises(copse.Invalid):
            plan.run(self.machine, plan.jobs_of([{"nodes": 1, "run": 10}]), discipline=twice)

    def test_what_a_discipline_raises_comes_out(self):
        def wrong(waiting, site):
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            plan.run(self.machine, plan.jobs_of([{"nodes": 1, "run": 10}]), discipline=wrong)

    def test_an_engine_goes_on_as_it_was(self):
        engine = copse.Engine(self.machine, policy="low")
        engine.match("slot=2/node{x}")
        before = engine.fingerprint
        schedule = plan.run(engine, plan.jobs_of([{"nodes": 2, "run": 10}, {"nodes": 2, "run": 10}]), discipline=plan.fcfs)
        self.assertEqual(schedule.to_table()["start"].to_list(), [0, 10])
        self.assertEqual(engine.fingerprint, before)

    def test_wrong_streams(self):
        with self.assertRaises(copse.Invalid) as wrong:
            plan.jobs_of([{"nodes": 1, "run": 1}, {"nodes": -1, "run": 1}])
        self.assertEqual(wrong.exception.line, 2)
        with self.assertRaises(copse.NotFound):
            plan.run(self.machine, plan.jobs_of([{"nodes": 1, "run": 1}]), discipline="nothing")


class QueueTest(unittest.TestCase):
    def setUp(self):
        self.engine = copse.Engine(copse.Machine.load(DESK), policy="low")
        self.queue = copse.Queue(self.engine, discipline="easy")

    def decided(self):
        return [(d.what, d.job, d.start) for d in self.queue.work()]

    def test_jobs_start_wait_and_end(self):
        self.queue.submit(1, "slot=4/node{x}", 100)
        self.queue.submit(2, "slot=4/node{x}", 100)
        self.queue.submit(3, "slot=9/node{x}", 100)
        self.assertEqual(sorted(self.decided()), [("denied", 3, 0), ("promised", 2, 100), ("started", 1, 0)])
        self.assertEqual((self.queue.state(1), self.queue.state(2), self.queue.state(3)), ("running", "promised", None))
        self.assertEqual(self.queue.when(2), 100)
        self.assertIn("100 s", self.queue.why(2))
        self.queue.ended(1, 40)
        self.queue.advance(40)
        self.assertEqual(self.decided(), [("started", 2, 40)])
        self.assertEqual((self.queue.waiting, self.queue.running), (0, 1))
        self.assertEqual(len(self.engine), 0)

    def test_events(self):
        self.queue.submit(1, "slot=4/node{x}", 100)
        self.queue.submit(2, "slot=1/core", 100, held=True)
        self.queue.submit(3, "slot=1/core", 100, priority=7)
        self.queue.work()
        self.assertEqual(self.queue.state(2), "held")
        self.queue.release(2)
        self.queue.set_priority(2, 9)
        self.queue.cancel(1)
        with self.assertRaises(copse.NotFound):
            self.queue.cancel(1)
        with self.assertRaises(copse.Exists):
            self.queue.submit(2, "slot=1/core", 100)


if __name__ == "__main__":
    unittest.main()
