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
        self.assertEqual([row[3] for row in look][0], 1)

    def test_many_at_once(self):
        envs = gym.VectorSchedulingEnv(self.machine, lambda seed: plan.generate(20, self.machine, seed=seed or 1), 64)
        looks, _ = envs.reset(seed=1)
        self.assertEqual(len(looks), 64)
        for _ in range(50):
            looks, rewards, overs, _, _ = envs.step([0] * 64)
        self.assertEqual((len(looks), len(rewards), len(overs)), (64, 64, 64))


if __name__ == "__main__":
    unittest.main()
