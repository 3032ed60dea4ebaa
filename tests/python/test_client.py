# SPDX-License-Identifier: Apache-2.0
"""Clients of a real `copse serve`, on a Unix socket: COPSE_TOOL is the program."""
import asyncio
import json
import os
import re
import signal
import socket
import threading

import copse
from serving import ROOT, ServerTest, main


class ClientTest(ServerTest):
    def test_operations(self):
        with copse.Client(self.address, timeout=60) as client:
            answer = client.alloc(1, "slot=1/core=2", 3600)
            self.assertEqual(answer["id"], 1)
            self.assertEqual(str(copse.ResourceSet(answer["R"])), "rank0/core[0-1]")
            self.assertEqual(client.status()["allocated"]["units"]["core"], 2)
            self.assertEqual([grant["id"] for grant in client.info()["grants"]], [1])
            client.down("3")
            whole = client.reserve(2, "slot=3/node{x}", 60)
            self.assertGreater(whole["at"], answer["at"])
            client.up("3")
            self.assertEqual(client.explain("slot=4/node{x}", 60)["verdict"], "insufficient")
            client.satisfy({"version": 1, "tasks": [{"command": ["x"], "slot": "s", "count": {"per_slot": 1}}],
                            "resources": [{"type": "slot", "count": 1, "label": "s",
                                           "with": [{"type": "core", "count": 1}]}],
                            "attributes": {"system": {"duration": 0}}})
            self.assertEqual(client.free(1), {})
            self.assertEqual(client.layers(), {"layers": []})

    def test_errors(self):
        with copse.Client(self.address) as client:
            client.alloc(1, "slot=4/node{x}", 0)
            for error, call in ((copse.Insufficient, lambda: client.alloc(2, "slot=1/core", 60)),
                                (copse.Infeasible, lambda: client.satisfy("slot=5/node{x}")),
                                (copse.Invalid, lambda: client.alloc(1, "slot=1/core", 60)),
                                (copse.Invalid, lambda: client.free(9)),
                                (copse.Invalid, lambda: client.ask("alloc", id=3, shap="core")),
                                (copse.LimitExceeded, lambda: client.alloc(3, "x" * (1 << 20), 60))):
                with self.assertRaises(error):
                    call()
            self.assertEqual(len(client.info()["grants"]), 1)
            with self.assertRaisesRegex(copse.Invalid, 'did you mean "shape"'):
                client.ask("alloc", id=3, shap="core")

    def test_many(self):
        with copse.Client(self.address) as client:
            answers = list(client.ask_many({"op": "alloc", "id": id, "shape": "slot=1/core", "duration": 0,
                                            "_pad": "x" * 5000} for id in range(1, 101)))
            self.assertEqual(sum("R" in answer for answer in answers), 32)
            self.assertEqual({answer.get("error") for answer in answers}, {None, "insufficient"})
            self.assertEqual(len(client.info()["grants"]), 32)

    def test_addresses(self):
        for wrong in ("tcp://host:1", "unix:", "http://host", "http://a b:1", "https://host:70000", "http://host:1/v1"):
            for client in (copse.Client, copse.AsyncClient):
                with self.assertRaisesRegex(copse.Invalid, "write a path, unix:PATH, http://HOST:PORT"):
                    client(wrong)
        with copse.Client(self.address[len("unix:"):]) as client:
            self.assertEqual(client.info(), {"grants": []})
        with self.assertRaises(FileNotFoundError):
            copse.Client(f"unix:{self.folder.name}/none")
        os.environ["COPSE_SERVER"] = self.address
        try:
            with copse.Client() as client:
                self.assertEqual(client.info(), {"grants": []})
        finally:
            del os.environ["COPSE_SERVER"]

    def test_a_kill_keeps_what_was_answered(self):
        client = copse.Client(self.address)
        client.alloc(1, "slot=1/core", 0)
        self.stop(signal.SIGKILL)
        with self.assertRaises(OSError):
            client.info()
        client.close()
        self.start()
        with copse.Client(self.address) as again:
            self.assertEqual([grant["id"] for grant in again.info()["grants"]], [1])

    def answered_by(self, answer, http):
        """What a client raises whose server gives this answer."""
        with socket.socket(socket.AF_INET if http else socket.AF_UNIX) as other:
            other.bind(("127.0.0.1", 0) if http else f"{self.folder.name}/other")
            other.listen()

            def serve():
                with other.accept()[0] as connection:
                    connection.recv(1 << 16)
                    connection.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            address = f"http://127.0.0.1:{other.getsockname()[1]}" if http else f"unix:{self.folder.name}/other"
            try:
                with copse.Client(address, timeout=60) as client:
                    client.info()
            except (OSError, copse.Error) as error:
                return error
            finally:
                thread.join()
                if not http:
                    os.unlink(f"{self.folder.name}/other")

    def test_what_answers_is_no_service(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        for answer, http in ((b"", False), (b"220 mail\n", False), (b'{"id": 1', False), (b"", True), (b"220 mail\n", True),
                             (head, True), (head + b"x" * 99 + b"\n", True), (head[:20], True)):
            with self.subTest(answer):
                self.assertIsInstance(self.answered_by(answer, http), ConnectionError)

    def test_problems_of_http_have_the_classes_of_lines(self):
        words = re.findall(r'^    {"([a-z-]+)", ', (ROOT / "src/server/http/problem.cpp").read_text(), re.M)
        self.assertIn("infeasible", words)
        for word in words:
            body = json.dumps({"type": f"urn:copse:problem:{word}", "detail": "no"}).encode()
            answer = b"HTTP/1.1 400 No\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            with self.subTest(word):
                error = self.answered_by(answer, True)
                # The client asks for nothing that has one of these two answers.
                self.assertEqual(type(error) is copse.Error, word in ("precondition-failed", "idempotency-key-reused"), type(error))
                self.assertIsInstance(error, copse.Error)

    def test_a_late_answer_ends_the_connection(self):
        path = f"{self.folder.name}/silent"
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(path)
            silent.listen()
            client = copse.Client(f"unix:{path}", timeout=0.05)
            with self.assertRaises(TimeoutError):
                client.info()
            with self.assertRaisesRegex(ConnectionError, "has ended"):
                client.info()

    def test_asyncio(self):
        async def work():
            async with copse.AsyncClient(self.address) as client:
                answers = await asyncio.gather(*(client.alloc(id, "slot=1/core", 0) for id in range(1, 41)),
                                               return_exceptions=True)
                self.assertEqual([answer["id"] for answer in answers[:32]], list(range(1, 33)))
                self.assertTrue(all(isinstance(answer, copse.Insufficient) for answer in answers[32:]))
                # Who is cancelled while waiting takes no answer of others.
                task = asyncio.create_task(client.status())
                await asyncio.sleep(0)
                task.cancel()
                self.assertEqual(len((await client.info())["grants"]), 32)
                with self.assertRaisesRegex(copse.Invalid, "no grant"):
                    await client.free(99)
                self.stop(signal.SIGKILL)
                with self.assertRaises(ConnectionError):
                    await client.info()
                with self.assertRaises(ConnectionError):
                    await client.info()

        asyncio.run(work())

    def test_threads_have_a_client_each(self):
        got = []

        def take(first):
            with copse.Client(self.address) as client:
                for id in range(first, first + 8):
                    got.append(client.alloc(id, "slot=1/core", 0)["R"]["execution"]["R_lite"][0])

        threads = [threading.Thread(target=take, args=(first,)) for first in (100, 200, 300, 400)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({str(part) for part in got}), 32)

    def test_threads_take_turns_with_a_client(self):
        wrong = []
        with copse.Client(self.address, timeout=60) as client:
            def ask(first):
                for id in range(first, first + 200):
                    if client.alloc(id, "slot=1/core", 0)["id"] != id or client.free(id) != {}:
                        wrong.append(id)

            threads = [threading.Thread(target=ask, args=(first,)) for first in (1000, 2000, 3000, 4000)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(client.info(), {"grants": []})
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    main()
