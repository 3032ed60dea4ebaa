# SPDX-License-Identifier: Apache-2.0
"""Jobs of a real `copse serve`, by its clients: on the Unix socket, and over HTTP with a token."""
import asyncio
import json
import shutil
import subprocess
import threading
import unittest

import copse
from copse import _service
from serving import ServerTest, main


class JobsTest(ServerTest):
    options = ("--listen", "127.0.0.1:0")

    def clients(self):
        """By both ways; who asks over HTTP is an operator."""
        yield copse.Client(self.address, timeout=60)
        yield copse.Client(self.http, token=self.token("eve", "operator"), timeout=60)

    def test_jobs_by_both_ways(self):
        for client in self.clients():
            with client:
                first = client.submit("slot=4/node{x}", 3600, name="weather")["id"]
                second = client.submit("slot=1/core", 60, priority=-1)["id"]
                self.assertEqual(client.job(first)["state"], "running")
                self.assertEqual(client.job(first)["name"], "weather")
                self.assertEqual([job["id"] for job in client.jobs()["jobs"]], [first, second])
                self.assertEqual([job["id"] for job in client.jobs(state="running")["jobs"]], [first])
                one = client.jobs(limit=1)
                self.assertTrue(one["more"])
                self.assertEqual([job["id"] for job in client.jobs(after=one["jobs"][-1]["id"])["jobs"]], [second])
                why = client.why(second)
                self.assertEqual((why["job"], why["why"]["cause"]), (second, "resources"))
                self.assertEqual(client.when(second)["id"], second)
                self.assertIsInstance(client.when(second)["start"], int)
                client.hold(second)
                self.assertTrue(client.job(second)["held"])
                client.release(second)
                client.priority(second, -2)
                self.assertEqual(client.job(second)["priority"], -2)
                self.assertEqual((client.queue()["waiting"], client.queue()["running"]), (1, 1))
                client.end(first, 3)
                self.assertEqual(client.job(first)["status"], 3)
                self.assertEqual(client.job(second)["state"], "running")
                client.cancel(second)
                client.end(second)
                self.assertEqual([job["result"] for job in client.wait(first, second)],
                                 [client.job(id)["result"] for id in (first, second)])
                self.assertEqual(client.jobs()["jobs"], [])
                leased = client.submit("slot=1/core", 60, lease=600, user="ada")["id"]
                client.renew(leased)
                client.end(leased)

    def test_refusals_by_both_ways(self):
        for client in self.clients():
            with client:
                for error, call in ((copse.Infeasible, lambda c: c.submit("slot=5/node{x}", 60)),
                                    (copse.Invalid, lambda c: c.job(4711)),
                                    (copse.Invalid, lambda c: c.ask("submit", shap="core")),
                                    (copse.Invalid, lambda c: c.hold(4711))):
                    with self.assertRaises(error):
                        call(client)
                answers = list(client.ask_many({"op": "satisfy", "shape": f"slot={n}/node{{x}}"} for n in range(1, 9)))
                self.assertEqual([answer.get("error") for answer in answers], [None] * 4 + ["infeasible"] * 4)

    def test_drains_by_both_ways(self):
        for client in self.clients():
            with client:
                client.drain("node[0-1]", reason="fan")
                client.drain(ranks="2")
                self.assertEqual(sorted((drain["nodes"], drain["reason"]) for drain in client.drains()["drains"]),
                                 [("node2", ""), ("node[0-1]", "fan")])
                self.assertRaises(copse.Insufficient, client.alloc, 1, "slot=2/node{x}", 60)
                self.assertEqual(client.undrain("node[0-2]")["nodes"], "node[0-2]")
                self.assertEqual(client.drains()["drains"], [])

    def test_reservations_by_both_ways(self):
        firmware = {"name": "firmware", "start": "1h", "duration": "2h", "nodes": "node[0-1]", "users": ["ada"]}
        for client in self.clients():
            with client:
                self.assertTrue(client.try_reservation(firmware)["dry_run"])
                self.assertEqual(client.reservations()["reservations"], [])
                self.assertEqual(client.add_reservation(firmware)["times"][0]["nodes"], "node[0-1]")
                self.assertEqual([one["name"] for one in client.reservations()["reservations"]], ["firmware"])
                job = client.submit("slot=1/core", 60, user="ada", reservation="firmware")["id"]
                self.assertEqual(client.job(job)["state"], "pending")
                client.cancel(job)
                client.end_reservation("firmware")
                self.assertRaises(copse.Error, client.end_reservation, "firmware")

    def test_a_busy_or_full_service_has_errors_of_its_own(self):
        address = _service.find("http://127.0.0.1:1", token="t")
        for status, word, error in ((503, "busy", copse.Unavailable), (507, "no-space", copse.NoSpace)):
            body = json.dumps({"type": f"urn:copse:problem:{word}", "status": status, "detail": "later"})
            with self.assertRaisesRegex(error, "later"):
                _service.raise_problem(address, status, body)

    def test_who_may_do_what(self):
        with copse.Client(self.http) as nobody:
            with self.assertRaises(copse.Forbidden):
                nobody.jobs()
        with copse.Client(self.http, token=self.token("guest", "guest")) as guest:
            self.assertEqual(guest.jobs()["jobs"], [])
            with self.assertRaises(copse.Forbidden):
                guest.submit("slot=1/core", 60)
            self.assertEqual(guest.jobs()["jobs"], [])  # a refusal ends no connection
        with self.assertRaisesRegex(copse.Invalid, "one word"):
            copse.Client(self.http, token="two words")
        with copse.Client(self.http, token=self.token("ada", "user")) as ada:
            self.assertEqual(ada.job(ada.submit("slot=1/core", 60)["id"])["user"], "ada")

    def test_events_by_both_ways(self):
        for client in self.clients():
            with client, client.events(timeout=60) as events:
                id = client.submit("slot=1/core", 60)["id"]
                client.end(id)
                said = [next(events) for _ in range(3)]
                self.assertEqual([(event["event"], event["job"]) for event in said],
                                 [("submit", id), ("start", id), ("end", id)])
                self.assertEqual(copse.ResourceSet(said[1]["R"]).ncores, 1)
                events.set_timeout(0.05)
                with self.assertRaises(TimeoutError):
                    next(events)

    def test_events_of_one_job_and_from_a_number_on(self):
        for client in self.clients():
            with client:
                begin = client.jobs()["next"]
                ids = [client.submit("slot=1/core", 60)["id"] for _ in range(2)]
                with client.events(ids[1], since=begin, timeout=60) as events:
                    self.assertEqual([next(events)["job"] for _ in range(2)], [ids[1]] * 2)
                # A record may have several events: a start begins at its own, not at the submission before it.
                for since in range(begin, begin + 4):
                    with client.events(since=since, timeout=60) as events:
                        self.assertEqual([next(events)["seq"] for _ in range(since, begin + 4)],
                                         list(range(since, begin + 4)))
                client.end(ids[0])
                with client.events(since=begin + 4, timeout=60) as events:
                    self.assertEqual((next(events)["event"], client.jobs()["next"]), ("end", begin + 5))
                with self.assertRaisesRegex(copse.Invalid, f"the next event is {begin + 5}"):
                    client.events(since=begin + 6)
                with client.events(since=begin + 5, timeout=0.05) as events:
                    with self.assertRaises(TimeoutError):
                        next(events)
                client.end(ids[1])

    def test_events_go_on_after_a_restart(self):
        with copse.Client(self.address) as client:
            id = client.submit("slot=1/core", 60)["id"]
        self.stop()
        self.start()
        for client in self.clients():
            with client, client.events(since=0, timeout=60) as events:
                self.assertEqual([next(events)["event"] for _ in range(2)], ["submit", "start"])
        asyncio.run(self.follow(id))

    async def follow(self, id):
        for client in (copse.AsyncClient(self.address),
                       copse.AsyncClient(self.http, token=self.token("ada", "operator"))):
            events = client.events(id, since=1)
            event = await asyncio.wait_for(events.__anext__(), 60)
            self.assertEqual((event["event"], event["seq"]), ("start", 1))
            await events.aclose()
            with self.assertRaisesRegex(copse.Invalid, "the next event is 2"):
                await client.events(since=3).__anext__()

    def test_what_is_asked_of_a_closed_client(self):
        for client in self.clients():
            events = client.events()
            for closed in (events, client):
                closed.close()
                closed.close()
            for call in (client.jobs, lambda: next(events), lambda: events.set_timeout(1),
                         lambda: list(client.ask_many([{"op": "jobs"}]))):
                with self.assertRaisesRegex(ConnectionError, "has ended"):
                    call()

    def test_wait(self):
        for client in self.clients():
            with client:
                id = client.submit("slot=1/core", 60)["id"]
                with self.assertRaises(TimeoutError):
                    client.wait(id, timeout=0.05)

                def end():
                    with copse.Client(self.address) as other:
                        other.end(id, 7)

                later = threading.Timer(0.1, end)  # so that wait() waits, as a rule; either order passes
                later.start()
                self.assertEqual(client.wait(id, timeout=60)[0]["status"], 7)
                later.join()
                with self.assertRaises(copse.Invalid):
                    client.wait(4711)

    def test_asyncio_by_both_ways(self):
        async def work(client):
            async with client:
                ids = [answer["id"] for answer in await asyncio.gather(*(client.submit("slot=1/core", 60)
                                                                         for _ in range(40)))]
                running = await client.jobs(state="running")
                self.assertEqual(len(running["jobs"]), 32)
                waits = asyncio.create_task(client.wait(*ids))
                events, seen = client.events(ids[-1], since=running["next"]), []
                reading = asyncio.ensure_future(events.__anext__())
                for id in ids:
                    await client.end(id)
                self.assertEqual({job["state"] for job in await asyncio.wait_for(waits, 60)}, {"ended"})
                seen.append((await asyncio.wait_for(reading, 60))["job"])
                self.assertEqual(seen, [ids[-1]])
                await events.aclose()
                with self.assertRaises(copse.Infeasible):
                    await client.submit("slot=5/node{x}", 60)

        asyncio.run(work(copse.AsyncClient(self.address)))
        asyncio.run(work(copse.AsyncClient(self.http, token=self.token("eve", "operator"))))

    def test_asyncio_without_a_token(self):
        async def work():
            async with copse.AsyncClient(self.http) as client:
                with self.assertRaises(copse.Forbidden):
                    await client.jobs()
                with self.assertRaises(copse.Forbidden):
                    await client.wait(1)

        asyncio.run(work())


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl")
class TlsTest(ServerTest):
    def start(self):
        self.certificate = f"{self.folder.name}/cert.pem"
        key = f"{self.folder.name}/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc",
                        "-keyout", key, "-out", self.certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], stderr=subprocess.DEVNULL, check=True)
        self.options = ("--listen", "127.0.0.1:0", "--tls-cert", self.certificate, "--tls-key", key)
        super().start()

    def test_both_clients(self):
        token = self.token("ada", "user")
        self.assertTrue(self.http.startswith("https:"))
        with copse.Client(self.http, token=token, ca=self.certificate, timeout=60) as client:
            with client.events(timeout=60) as events:
                id = client.submit("slot=1/core", 60)["id"]
                self.assertEqual(next(events)["job"], id)
        with self.assertRaisesRegex(OSError, "certificate"):
            copse.Client(self.http, token=token)

        async def work():
            async with copse.AsyncClient(self.http, token=token, ca=self.certificate) as client:
                self.assertEqual((await client.job(id))["user"], "ada")

        asyncio.run(work())


if __name__ == "__main__":
    main()
