# SPDX-License-Identifier: Apache-2.0
"""Environments for reinforcement learning."""
import os
import pathlib
import unittest

import copse
from copse import gym, plan

DESK = str(pathlib.Path(os.environ["COPSE_SOURCE_DIR"]) / "examples/machines/desk.graphml")


class GymTest(unittest.TestCase):
    def setUp(self):
        self.machine = copse.Machine.load(DESK)
        self.jobs = plan.generate(60, self.machine, load=0.9, seed=2)

    def play(self, env, choose):
        look, _ = env.reset()
        total, over = 0, False
        while not over:
            look, reward, over, cut, info = env.step(choose(look))
            self.assertFalse(cut)
            total += reward
        return total

    def test_always_the_first_is_first_come_first_served(self):
        env = gym.SchedulingEnv(self.machine, self.jobs)
        total = self.play(env, lambda look: 0)
        table = plan.run(self.machine, self.jobs, discipline=plan.fcfs).to_table()
        self.assertEqual(env.schedule.to_table()["start"].to_list(), table["start"].to_list())
        waits = sum(start - submit for start, submit in zip(table["start"].to_list(), table["submit"].to_list()))
        self.assertAlmostEqual(total, -waits / 3600)
        with self.assertRaises(RuntimeError):
            env.step(0)

    def test_who_never_starts_anybody_ends_too(self):
        env = gym.SchedulingEnv(self.machine, self.jobs, window=4)
        self.play(env, lambda look: 4)
        self.assertEqual((env.schedule.summary["started"], env.schedule.summary["refused"]), (0, 60))

    def test_observations_have_the_shape_of_the_window(self):
        env = gym.SchedulingEnv(self.machine, self.jobs, window=5)
        look, _ = env.reset()
        self.assertEqual((len(look), len(look[0])), (5, len(gym.FEATURES)))
        self.assertEqual([row[gym.FEATURES.index("present")] for row in look][0], 1)

    def test_observations_have_sizes_and_the_state_of_the_machine(self):
        def rows(look):
            return [dict(zip(gym.FEATURES, row)) for row in look]

        jobs = plan.jobs_of([{"nodes": 3, "duration": 100}, {"nodes": 4, "duration": 50},
                             {"shape": "slot=2/[core=3;gpu=1]", "duration": 50}, {"cores": 9, "duration": 7, "submit": 500}])
        env = gym.SchedulingEnv(self.machine, jobs, window=4)
        look, info = env.reset()
        seen = rows(look)
        self.assertEqual([(row["nodes"], row["cores"], row["gpus"], row["fits"], row["present"]) for row in seen],
                         [(3, 24, 0, 1, 1), (4, 32, 0, 1, 1), (0, 6, 2, 1, 1), (0, 0, 0, 0, 0)])
        for row in seen:
            self.assertEqual([row[name] for name in ("free_nodes", "free_cores", "free_gpus", "running", "waiting")],
                             [4, 32, 8, 0, 3])
        self.assertEqual(list(info["action_mask"]), [True, True, True, False, True])
        look, _, _, _, info = env.step(0)
        seen = rows(look)
        self.assertEqual([row["fits"] for row in seen], [0, 1, 0, 0])
        self.assertEqual([seen[0][name] for name in ("free_nodes", "free_cores", "free_gpus", "running", "waiting")],
                         [1, 8, 2, 1, 2])
        self.assertEqual(list(info["action_mask"]), [False, True, False, False, True])
        self.assertEqual(list(env.action_masks()), list(info["action_mask"]))
        self.assertEqual([run.end for run in env.site.running_jobs], [100])
        for action, can in enumerate(info["action_mask"][:-1]):
            self.assertEqual(env._replay.fits(env.waiting[action].number) if action < 2 else False, can)

    def test_each_episode_has_another_stream(self):
        asked = []

        def make(seed):
            asked.append(seed)
            return plan.generate(5, self.machine, seed=seed)

        env = gym.SchedulingEnv(self.machine, make)
        env.reset()
        env.reset(seed=7)
        first = env.reset()[0]
        env.reset()
        env.reset(seed=7)
        self.assertEqual([list(row) for row in env.reset()[0]], [list(row) for row in first])
        self.assertEqual((asked[1], asked[4], asked[2]), (7, 7, asked[5]))
        self.assertEqual(len(set(asked)), 4)
        self.assertTrue(all(isinstance(seed, int) for seed in asked))

    def test_a_stream_without_a_job_to_start_ends_with_the_first_step(self):
        env = gym.SchedulingEnv(self.machine, plan.jobs_of([{"nodes": 9, "run": 10}]))
        env.reset()
        _, reward, over, _, info = env.step(0)
        self.assertEqual((reward, over, info["started"]), (0, True, False))
        with self.assertRaises(RuntimeError):
            env.step(0)

    def test_an_engine_keeps_its_policy(self):
        with self.assertRaisesRegex(copse.Invalid, "has its policy already"):
            gym.SchedulingEnv(copse.Engine(self.machine), self.jobs, policy="low")

    def test_many_at_once(self):
        envs = gym.VectorSchedulingEnv(self.machine, lambda seed: plan.generate(20, self.machine, seed=seed or 1), 64)
        looks, _ = envs.reset(seed=1)
        self.assertEqual(len(looks), 64)
        for _ in range(50):
            looks, rewards, overs, _, _ = envs.step([0] * 64)
        self.assertEqual((len(looks), len(rewards), len(overs)), (64, 64, 64))

    def test_one_that_is_over_begins_again_with_another_stream(self):
        asked = []

        def make(seed):
            asked.append(seed)
            return plan.generate(5, self.machine, load=0.9, seed=seed)

        envs = gym.VectorSchedulingEnv(self.machine, make, 2, window=3)
        looks, info = envs.reset(seed=5)
        self.assertEqual(asked, [5, 6])
        ended = 0
        for _ in range(80):
            single = [env.schedule for env in envs.envs]
            looks, rewards, overs, cuts, infos = envs.step([0, 0])
            self.assertEqual([len(list(mask)) for mask in infos["action_mask"]], [4, 4])
            for n, over in enumerate(overs):
                last = infos["final_obs"][n]
                self.assertEqual((bool(infos["_final_obs"][n]), last is None), (bool(over), not over))
                if over:
                    ended += 1
                    self.assertEqual(last[0][gym.FEATURES.index("present")], 0)
                    self.assertEqual(last[0][gym.FEATURES.index("running")], 0)
                    self.assertEqual(looks[n][0][gym.FEATURES.index("present")], 1)
                    self.assertIs(infos["each"][n]["final_obs"], last)
                    self.assertIsNot(envs.envs[n].schedule, single[n])
        self.assertGreater(ended, 4)
        self.assertEqual(len(set(asked)), len(asked))
        self.assertEqual(len(asked), 2 + ended)
        self.assertNotIn(None, asked)
        envs.reset(seed=[1, 2])
        self.assertEqual(asked[-2:], [1, 2])
        for wrong in (lambda: envs.step([0]), lambda: envs.reset(seed=[1])):
            with self.assertRaises(ValueError):
                wrong()
        envs.close()


if __name__ == "__main__":
    unittest.main()
