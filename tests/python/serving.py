# SPDX-License-Identifier: Apache-2.0
"""A real `copse serve` for tests of its clients: COPSE_TOOL is the program."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
TOOL = os.environ.get("COPSE_TOOL", "")


class ServerTest(unittest.TestCase):
    """Each test has a service of its own, for the desk of four nodes."""

    options = ()  # of the service, beside those of the machine

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.address = f"unix:{self.folder.name}/s"
        self.start()

    def start(self):
        self.server = subprocess.Popen(
            [TOOL, "serve", "-L", ROOT / "examples/machines/desk.graphml", "-P", "low", "--state",
             f"{self.folder.name}/state", "--socket", f"{self.folder.name}/s", *self.options],
            stderr=subprocess.PIPE, text=True)
        left = 2 if "--listen" in self.options else 1
        for line in self.server.stderr:
            if "listening at" not in line:
                continue
            found = re.search(r"https?://[^ ]*:[0-9]+", line)
            if found:
                self.http = found[0]
            left -= 1
            if left == 0:
                return
        self.fail("the server does not listen")

    def token(self, name, role):
        return subprocess.run([TOOL, "token", "add", name, "--role", role, "--state", f"{self.folder.name}/state"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.strip()

    def stop(self, how=signal.SIGTERM):
        self.server.send_signal(how)
        self.server.wait()
        self.server.stderr.close()

    def tearDown(self):
        if self.server.poll() is None:
            self.stop()
        self.folder.cleanup()


def main():
    if not TOOL or not os.path.exists(TOOL):
        print("skipped: there is no copse to serve")
        sys.exit(77)
    unittest.main()
