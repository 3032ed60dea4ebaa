#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`copse serve`, with a fault at its writes and syncs: what was answered is there again.

usage: inject_test.py COPSE MACHINE [PART PARTS]
  PART PARTS  only this share of the faults, of 0 to PARTS - 1

A session of 200 requests, one after another. strace sits between the program and the kernel, and at
the N-th write or sync of the state's files it
  kills      the program gets SIGKILL
  EIO        the call fails
  ENOSPC     the same, as on a full disk
  nothing    a write takes no byte
And in the same session no file may grow beyond some size, so that a write is cut short after its first
byte ("short"): a result that strace makes up would say that bytes were written which were not.

After each fault the program must have ended: killed, or with status 74 (2 while it starts). Started again,
it must be in the state of an undisturbed one after as many requests as were answered; or one more,
which was on its way. So acknowledged is in recovered, recovered in sent, and recovered is the replay.

COPSE_INJECT=all tries each call; else a sample, COPSE_SEEDS times as large. The exit status is 77 where
strace can't trace.
"""
import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate")
FAULTS = {
    "kills": "signal=SIGKILL",
    "EIO": "error=EIO",
    "ENOSPC": "error=ENOSPC",
    "nothing": "retval=0",
}
SAMPLE = 40
REQUESTS = 200
WAIT_S = 120
# The disk refused; the state can't be used, while it starts; killed.
ENDS = {74, 2, -signal.SIGKILL}


def requests():
    """Lines without times, so that what comes of them is the same whenever they are asked."""
    dice = random.Random(15)
    out = []
    last = 0
    for _ in range(REQUESTS):
        job = dice.randint(1, last + 1)
        grant = 1_000_000 + dice.randrange(8)
        kind = dice.randrange(12)
        if kind < 3:
            last += 1
            out.append({"op": "submit", "shape": f"slot={dice.randint(1, 3)}/core", "duration": 0})
        elif kind < 5:
            out.append({"op": "end", "id": job})
        elif kind == 5:
            out.append({"op": dice.choice(["cancel", "hold", "release"]), "id": job})
        elif kind < 9:
            out.append({"op": "alloc", "id": grant, "shape": "slot=1/core", "duration": 0})
        elif kind < 11:
            out.append({"op": "free", "id": grant})
        else:
            out.append({"op": dice.choice(["down", "up"]), "ranks": str(dice.randrange(2))})
    return out


class Service:
    """The program on a folder, perhaps below strace."""

    def __init__(self, program, machine, folder, tracer=(), file_bytes_max=None):
        self.socket_path = os.path.join(folder, "socket")
        self.log = open(os.path.join(folder, "log"), "ab")

        def bound():
            if file_bytes_max is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes_max, file_bytes_max))

        command = [*tracer, program, "serve", "-L", machine, "-P", "low", "--state", folder,
                   "--socket", self.socket_path, "--audit", "/dev/null", "--snapshot-changes", "50"]
        # SIGXFSZ stays ignored, as Python has it: the call fails instead.
        # Who is traced can't look for leaks at its end.
        asan = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.process = subprocess.Popen(command, stderr=self.log, preexec_fn=bound, restore_signals=False,
                                        env=dict(os.environ, ASAN_OPTIONS=asan.lstrip(":")))
        self.traced = bool(tracer)
        self.client = None
        self.rest = b""
        self.gone = False  # it has ended, or is about to

    def connect(self):
        """False: it ended before it listened."""
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(WAIT_S)
            try:
                client.connect(self.socket_path)
                self.client = client
                return True
            except OSError:
                client.close()
            if self.process.poll() is not None:
                self.gone = True
                return False
            time.sleep(0.002)
        raise SystemExit("the service neither listens nor ends")

    def ask(self, request):
        """The answer; None: the service has gone."""
        self.gone = True  # unless it answers
        try:
            self.client.sendall(json.dumps(request).encode() + b"\n")
            while b"\n" not in self.rest:
                got = self.client.recv(1 << 16)
                if not got:
                    return None
                self.rest += got
        except (BrokenPipeError, ConnectionResetError):
            return None
        self.gone = False
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def state(self):
        """All there is, without times."""
        asked = [{"op": "info"}, {"op": "jobs", "state": "all", "limit": 10000}, {"op": "status"}]
        text = "\n".join(self.ask(one) or "" for one in asked)
        # How many events there were depends on how far a pass came; numbers of ten digits are times.
        return re.sub(r'"next": \d+', "", re.sub(r"\b\d{10}\b", "T", text))

    def leave(self, number):
        """Tells it to end. Returns its exit status; strace ends as what it traces does."""
        if self.client is not None:
            self.client.close()
        if not self.gone and self.process.poll() is None:
            for process in self.processes():
                os.kill(process, number)
        status = self.process.wait(timeout=WAIT_S)
        self.log.close()
        return status

    def processes(self):
        """The program itself; none if it has ended below strace."""
        if not self.traced:
            return [self.process.pid]
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]


class Check:
    def __init__(self, program, machine, folder):
        self.program, self.machine, self.folder = program, machine, folder
        self.requests = requests()
        self.states = []  # of an undisturbed service, before each request and after the last
        self.counts = collections.Counter()
        self.statuses = collections.Counter()

    def fresh(self, name):
        folder = os.path.join(self.folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder, mode=0o700)
        return folder

    def tracer(self, folder, log, faults=()):
        files = [folder] + [os.path.join(folder, name)
                            for name in ("state.db", "state.db-wal", "state.db-journal", "committed")]
        out = ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(CALLS), "-e", "signal=none"]
        for file in files:
            out += ["-P", file]
        for fault in faults:
            out += ["-e", "inject=" + fault]
        return out

    def end_well(self, service, folder):
        status = service.leave(signal.SIGTERM)
        if status != 0:
            raise SystemExit(f"undisturbed, it ended with {status}\n" + self.log_of(folder))

    def learn(self):
        """Runs undisturbed: what the states are, and how many calls there are to disturb."""
        folder = self.fresh("calm")
        service = Service(self.program, self.machine, folder)
        if not service.connect():
            raise SystemExit("the service does not start")
        self.states = [service.state()]
        for request in self.requests:
            service.ask(request)
            self.states.append(service.state())
        self.end_well(service, folder)
        folder = self.fresh("traced")
        log = os.path.join(self.folder, "calls")
        service = Service(self.program, self.machine, folder, self.tracer(folder, log))
        if not service.connect():
            print("strace can't trace here: skipped")
            raise SystemExit(77)
        for request in self.requests:
            service.ask(request)
        self.end_well(service, folder)
        calls, ends = collections.Counter(), set()
        with open(log, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = re.match(r"(\d+) +(\w+)\(.*?(?:, (\d+), (\d+))?\) += ", line)
                if not found:
                    continue
                # Each thread has its own count, as strace has it.
                calls[(found[2], found[1])] += 1
                if found[2] == "pwrite64" and found[4]:
                    ends.add(int(found[4]) + 1)
        most = collections.Counter()
        for (call, _), count in calls.items():
            most[call] = max(most[call], count)
        return most, sorted(ends)

    def run(self, name, folder, service):
        """A session that is disturbed; then what is there."""
        answered, asked = 0, 0
        if service.connect():
            for request in self.requests:
                asked += 1
                if service.ask(request) is None:
                    break
                answered += 1
        # A fault may wait until the end, when the state is written.
        status = service.leave(signal.SIGTERM)
        self.statuses[status] += 1
        disturbed = status != 0
        if disturbed and status not in ENDS:
            raise SystemExit(f"{name}: it ended with {status}\n" + self.log_of(folder))
        if not disturbed and answered < REQUESTS:
            raise SystemExit(f"{name}: it ended well after {answered} of {asked} answers")
        again = Service(self.program, self.machine, folder)
        if not again.connect():
            raise SystemExit(f"{name}: it does not start again\n" + self.log_of(folder))
        state = again.state()
        again.leave(signal.SIGKILL)
        if state not in self.states[answered:asked + 1]:
            places = [i for i, one in enumerate(self.states) if one == state]
            raise SystemExit(f"{name}: {answered} of {asked} answered; the state is that after {places}\n{state}")
        return disturbed

    def log_of(self, folder):
        with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def disturb(self, call, fault, number):
        folder = self.fresh("disturbed")
        inject = f"{call}:{FAULTS[fault]}:when={number}"
        tracer = self.tracer(folder, os.path.join(self.folder, "calls"), [inject])
        service = Service(self.program, self.machine, folder, tracer)
        self.counts[fault] += self.run(inject, folder, service)

    def cut(self, size):
        folder = self.fresh("disturbed")
        service = Service(self.program, self.machine, folder, file_bytes_max=size)
        self.counts["short"] += self.run(f"files of {size} bytes", folder, service)


def main():
    if len(sys.argv) not in (3, 5):
        raise SystemExit(__doc__)
    part, parts = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) == 5 else (0, 1)
    if shutil.which("strace") is None:
        print("there is no strace: skipped")
        raise SystemExit(77)
    folder = tempfile.mkdtemp(prefix="copse-inject-")
    try:
        check = Check(sys.argv[1], sys.argv[2], folder)
        calls, sizes = check.learn()
        tries = [(call, fault, number) for call, count in sorted(calls.items()) for fault in FAULTS
                 for number in range(1, count + 2)
                 if fault != "nothing" or call in ("pwrite64", "write")]
        tries += [("short", size) for size in sizes]
        everything = len(tries)
        if os.environ.get("COPSE_INJECT") != "all":
            seeds = int(os.environ.get("COPSE_SEEDS", "1"))
            tries = random.Random(1).sample(tries, min(everything, SAMPLE * seeds))
        # Sorted by the fault, so that each part has some of each.
        tries = sorted(tries, key=lambda one: str(one[1]) if one[0] != "short" else one[0])[part::parts]
        for one in tries:
            check.cut(one[1]) if one[0] == "short" else check.disturb(*one)
        print(f"calls of a session of {REQUESTS} requests: {dict(calls)}")
        print(f"tried {len(tries)} of {everything} faults; those that came: {dict(check.counts)}; "
              f"exit statuses: {dict(check.statuses)}")
        missing = [fault for fault in ("kills", "EIO", "ENOSPC") if check.counts[fault] == 0]
        if missing:
            raise SystemExit(f"no fault came of these: {missing}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
