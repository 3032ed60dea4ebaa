# SPDX-License-Identifier: Apache-2.0
"""Every metric that the example board names is served by `copse serve`, with the labels that it uses.

usage: board_test.py COPSE SOURCE_DIR
"""
import http.client
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

copse, source = sys.argv[1], pathlib.Path(sys.argv[2])
board = json.loads((source / "examples/grafana/copse.json").read_text(encoding="utf-8"))
LINES = ({"op": "submit", "id": 1, "shape": "slot=1/node{x}", "duration": 60, "hres": "licence:1"},
         {"op": "submit", "id": 2, "shape": "slot=32/node{x}", "duration": 60})
# On machines with several racks, with GPUs, with memory: other machines than that of the test.
OF_OTHER_MACHINES = {"copse_fragmentation_ratio"}


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask(path, method, target, body=None):
    connection = Connection(path)
    connection.request(method, target, body)
    answer = connection.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        sys.exit(f"{method} {target}: {answer.status} {text}")
    return text


def served(folder):
    path = f"{folder}/s.sock"
    service = subprocess.Popen(
        [copse, "serve", "-L", source / "examples/hres/cluster.json", "--hres", source / "examples/hres/licence.yaml",
         "-P", "low", "--state", f"{folder}/state", "--socket", path], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if service.poll() is not None:
                sys.exit("copse serve has ended")
            if pathlib.Path(path).exists():
                break
            time.sleep(0.1)
        ask(path, "POST", "/v1/batch", "\n".join(map(json.dumps, LINES)))
        return ask(path, "GET", "/metrics")
    finally:
        service.kill()
        service.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = served(folder)
    known = {}
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? ", text, re.MULTILINE):
        known.setdefault(name, set()).update(re.findall(r'([a-z_]+)="', labels))
    faults, count = [], 0
    for panel in board["panels"]:
        for target in panel["targets"]:
            for name, labels in re.findall(r"\b((?:copse|process)_[a-z_]+)(?:\{(.*?)\})?", target["expr"]):
                count += 1
                if name in OF_OTHER_MACHINES:
                    continue
                if name not in known:
                    faults.append(f"{panel['title']}: {name} is not served")
                    continue
                used = set(re.findall(r"([a-z_]+)=", labels)) | set(re.findall(r"\{\{([a-z_]+)\}\}", target["legendFormat"]))
                faults += [f"{panel['title']}: {name} has no label {label}" for label in sorted(used - known[name])]
    print(f"{count} metrics in {len(board['panels'])} panels")
    if count < 20:
        faults.append("the board names too few metrics")
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
