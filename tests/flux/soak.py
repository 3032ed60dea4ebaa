# SPDX-License-Identifier: Apache-2.0
"""Random load on the Flux instance that runs this: soak.sh starts it.

usage: soak.py SECONDS [SEED]

Jobs are submitted, cancelled, held, released, and get other urgencies and durations. Queues stop and
start, nodes are drained and come back, the configuration is read again, and the scheduler is
loaded again now and then. At the end all jobs must have ended, none with an exception of the scheduler or
of alloc-check, and the scheduler must have the same state of the resources as Flux.
"""
import collections
import random
import subprocess
import sys
import time

import flux
import flux.job
from flux.job import JobspecV1

RELOAD_S = 15  # or a third of the time
PENDING_MAX = 60
STILL_S = 120  # at the end some job must end within this time


class Soak:
    def __init__(self, seconds, seed):
        self.handle = flux.Flux()
        self.random = random.Random(seed)
        self.seconds = seconds
        self.jobs = []
        self.ended = set()
        self.reloads = 0
        self.faults = []

    def rpc(self, topic, payload):
        """The answer of the service; None if it refuses: the job may have ended."""
        try:
            return self.handle.rpc(topic, payload).get()
        except OSError:
            return None

    def command(self, *words):
        done = subprocess.run(["flux", *words], capture_output=True, text=True, timeout=300, check=False)
        return done.stdout if done.returncode == 0 else None

    def submit(self):
        r = self.random
        if r.random() < 0.3:
            nodes = r.randint(1, 4)
            spec = JobspecV1.from_command(["true"], num_tasks=nodes, num_nodes=nodes, exclusive=True)
        else:
            spec = JobspecV1.from_command(["true"], num_tasks=r.randint(1, 3))
        spec.duration = r.randint(1, 300)
        spec.setattr("system.exec.test.run_duration", f"{r.randint(1, 9) / 10}s")
        urgency = r.choice([16, 16, 16, 0, 31, r.randint(1, 30)])
        self.jobs.append(flux.job.submit(self.handle, spec, urgency=urgency))

    def live(self):
        """Some job that may not have ended yet."""
        return self.random.choice(self.jobs[-80:]) if self.jobs else None

    def active(self):
        return self.rpc("job-list.list", {"max_entries": 0, "attrs": [], "constraint": {"states": ["active"]}})["jobs"]

    def step(self):
        r, job = self.random, self.live()
        action = r.choices(
            ["submit", "cancel", "urgency", "drain", "queue", "duration", "config"],
            [60, 8, 14, 3, 1, 4, 1])[0]
        if action == "submit" or job is None:
            if len(self.active()) < PENDING_MAX:
                for _ in range(r.randint(1, 6)):
                    self.submit()
        elif action == "cancel":
            self.rpc("job-manager.raise", {"id": job, "type": "cancel", "severity": 0, "note": ""})
        elif action == "urgency":
            self.rpc("job-manager.urgency", {"id": job, "urgency": r.choice([0, 16, r.randint(1, 31)])})
        elif action == "drain":
            rank = str(r.randint(1, 3))
            self.rpc("resource.drain", {"targets": rank, "reason": "soak"})
            time.sleep(r.random() / 4)
            self.rpc("resource.undrain", {"targets": rank})
        elif action == "queue":
            self.command("queue", "stop", "--quiet")
            time.sleep(r.random() / 4)
            self.command("queue", "start", "--quiet")
        elif action == "duration":
            self.rpc("job-manager.update", {"id": job, "updates": {"attributes.system.duration": r.randint(1, 600)}})
        elif action == "config":
            self.rpc("config.reload", {})

    def reload(self):
        self.reloads += 1
        policy = self.random.choice(["fcfs", "easy", "hybrid", "conservative"])
        if self.command("module", "reload", "sched-copse", f"queue-policy={policy}") is None:
            self.faults.append(f"the module could not be loaded again with {policy}")

    def status(self, topic):
        answer = self.rpc(topic, {})
        if answer is None:
            return None
        sets = {}
        for name in ("all", "down", "allocated"):
            held = flux.resource.ResourceSet(answer.get(name) or None)
            sets[name] = (held.dumps(), sorted(map(str, held.nodelist)))
        return sets

    def finish(self):
        self.command("queue", "start", "--quiet")
        self.rpc("resource.undrain", {"targets": "1-3"})
        for entry in self.active():
            self.rpc("job-manager.urgency", {"id": entry["id"], "urgency": 16})
        left = self.active()
        deadline = time.time() + STILL_S
        while left and time.time() < deadline:
            time.sleep(0.2)
            now = self.active()
            if len(now) < len(left):  # how long all of them take depends on the machine
                deadline = time.time() + STILL_S
            left = now
        for entry in left:
            self.faults.append(f"job {entry['id']} has not ended")
        if left:
            self.describe(left)
        deadline = time.time() + STILL_S
        while True:  # housekeeping gives back the last nodes
            kinds = [self.status(topic) for topic in ("sched.resource-status", "resource.sched-status")]
            if kinds[0] == kinds[1] and kinds[0]["allocated"] == ("", []):
                break
            if time.time() > deadline:
                self.faults.append(f"the scheduler has {kinds[0]}, Flux has {kinds[1]}")
                break
            time.sleep(0.2)
        ended = self.rpc("job-list.list", {"max_entries": 0, "attrs": ["result", "exception_occurred", "exception_type"],
                                           "constraint": {"states": ["inactive"]}})["jobs"]
        counts = collections.Counter(entry.get("exception_type", "none") for entry in ended)
        if len(ended) != len(self.jobs):
            self.faults.append(f"{len(self.jobs)} jobs were submitted, and {len(ended)} have ended")
        for kind in counts:
            if kind not in ("none", "cancel", "timeout"):
                self.faults.append(f"{counts[kind]} jobs had an exception of type {kind}")
        return counts

    def describe(self, left):
        """Print the facts that help to find out why jobs have not ended."""
        for words in (["jobs", "-ac0"], ["resource", "status"], ["queue", "status"], ["module", "stats", "sched-copse"],
                      ["job", "eventlog", flux.job.JobID(left[0]["id"]).f58], ["dmesg"]):
            print("$ flux", *words)
            print("\n".join((self.command(*words) or "failed").splitlines()[-60:]))
        for entry in left[:3]:
            print(self.rpc("sched-copse.why", {"id": entry["id"]}))

    def run(self):
        start = time.time()
        last_reload = start
        if self.command("jobtap", "load", "alloc-check.so") is None:
            self.faults.append("alloc-check.so could not be loaded")
        while time.time() < start + self.seconds:
            self.step()
            time.sleep(self.random.random() / 50)
            if time.time() > last_reload + min(RELOAD_S, self.seconds / 3):
                last_reload = time.time()
                self.reload()
        counts = self.finish()
        print(f"{len(self.jobs)} jobs in {time.time() - start:.0f} s, {self.reloads} reloads; "
              f"exceptions: {dict(counts)}")
        for fault in self.faults:
            print("FAILED:", fault)
        return 1 if self.faults else 0


if __name__ == "__main__":
    sys.exit(Soak(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1).run())
