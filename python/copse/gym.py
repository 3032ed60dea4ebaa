# SPDX-License-Identifier: Apache-2.0
"""Scheduling as an environment for reinforcement learning, with gymnasium's interface.

gymnasium is imported if it is installed; without it, the classes have the same methods. An action is the index of a job in
the window of waiting jobs: the job starts if it fits now. Any other action advances to the next event.
"""
from copse import plan
from copse._copse import Engine, Machine, Replay

try:
    import gymnasium
except ImportError:
    gymnasium = None

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["FEATURES", "SchedulingEnv", "VectorSchedulingEnv"]

FEATURES = ("waited_s", "duration_s", "priority", "present")


def _matrix(rows):
    return rows if numpy is None else numpy.array(rows, dtype=numpy.float32)


def minus_waiting(env, waited_s):
    """The default reward: minus the hours that jobs waited in this step."""
    return -waited_s / 3600


class SchedulingEnv(gymnasium.Env if gymnasium else object):
    """A stream of jobs on a machine.

    `jobs` is a stream, or a function from a seed to a stream. `observe(env)` and `reward(env, waited_s)` replace the
    observation (a row of FEATURES for each index of the window) and the reward.

    Units: seconds; the reward minus the hours that jobs waited.
    Shapes: an observation is float32 of (window, 4), or lists without numpy; an action is in [0, window].
    Raises: RuntimeError (a step after the end), and what plan.run() raises of a stream.
    Cost: reset() O(jobs); a step one match, and the events until somebody waits.
    Source: gymnasium's Env.
    """

    metadata = {"render_modes": ["svg"]}

    def __init__(self, machine, jobs, *, window=16, policy="compact", observe=None, reward=minus_waiting):
        self._engine = Engine(machine, policy=policy) if isinstance(machine, Machine) else machine
        self._jobs, self.window = jobs, window
        self._observe, self._reward = observe, reward
        self._replay = None
        self.waiting = []
        if gymnasium:
            self.action_space = gymnasium.spaces.Discrete(window + 1)
            self.observation_space = gymnasium.spaces.Box(-numpy.inf, numpy.inf, (window, len(FEATURES)))

    @property
    def now(self):
        """The time of the stream, in seconds."""
        return self._replay.now

    @property
    def schedule(self):
        """The schedule so far."""
        return self._replay.schedule

    def reset(self, *, seed=None, options=None):
        """Begins again; returns the first observation and an empty dict. Calls `jobs` with the seed if it is a function."""
        if gymnasium:
            super().reset(seed=seed)
        jobs = self._jobs(seed) if callable(self._jobs) else self._jobs
        self._replay = Replay(self._engine.clone(), jobs, "learned")
        self._known, self.waiting, self._over = plan._jobs(self._replay, jobs), [], False
        self._go_on()
        return self._look(), {}

    def _go_on(self):
        """Advances to the next event with waiting jobs; returns the sum of their waiting times until then."""
        waited_s = 0
        while not self._over:
            before, waiting = self._replay.now, len(self.waiting)
            arrived = self._replay.step()
            if arrived is None:
                self._over = True
                for job in self.waiting:
                    self._replay.refuse(job.number)
                break
            waited_s += (self._replay.now - before) * waiting
            self.waiting += [self._known[number] for number in arrived]
            self._replay.waits(len(self.waiting))
            if self.waiting:
                break
        return waited_s

    def _look(self):
        if self._observe:
            return self._observe(self)
        now = self._replay.now
        rows = [[now - job.submit, job.duration, job.priority, 1] for job in self.waiting[:self.window]]
        return _matrix(rows + [[0] * len(FEATURES)] * (self.window - len(rows)))

    def step(self, action):
        """Takes an action; returns (observation, reward, whether the stream is over, False, {"started": whether a job did})."""
        if self._over:
            raise RuntimeError("the stream is over: reset the environment")
        waited_s, started = 0, False
        if 0 <= action < min(self.window, len(self.waiting)):
            started = self._replay.start(self.waiting[action].number)
        if started:
            del self.waiting[action]
        if not started or not self.waiting:
            waited_s = self._go_on()
        return self._look(), self._reward(self, waited_s), self._over, False, {"started": started}

    def render(self):
        """The schedule so far as SVG, a text."""
        return self.schedule._repr_svg_()

    def close(self):
        """Releases the stream and its engine."""
        self._replay = None


class VectorSchedulingEnv:
    """Several environments on clones of one engine, stepped together. One that is over begins again.

    Units: as of SchedulingEnv.
    Shapes: num_envs of all that SchedulingEnv has one of; observations float32 of (num_envs, window, 4).
    Raises: NotFound (a policy), and what plan.run() raises of a stream.
    Cost: that of its environments, one after the other; clones share the memory of the machine.
    Source: gymnasium's VectorEnv.
    """

    def __init__(self, machine, jobs, num_envs, **options):
        engine = Engine(machine, policy=options.pop("policy", "compact")) if isinstance(machine, Machine) else machine
        self.num_envs = num_envs
        self.envs = [SchedulingEnv(engine, jobs, **options) for _ in range(num_envs)]

    def reset(self, *, seed=None, options=None):
        """All begin again, with seeds from `seed` on; returns the first observations and an empty dict."""
        looks = [env.reset(seed=None if seed is None else seed + n)[0] for n, env in enumerate(self.envs)]
        return self._stack(looks), {}

    @staticmethod
    def _stack(values):
        return values if numpy is None else numpy.stack(values)

    def step(self, actions):
        """Takes an action for each; returns (observations, rewards, which were over, which were cut off: none, {"each": infos})."""
        looks, rewards, overs, infos = [], [], [], []
        for env, action in zip(self.envs, actions):
            look, reward, over, _, info = env.step(int(action))
            looks.append(env.reset()[0] if over else look)
            rewards.append(reward)
            overs.append(over)
            infos.append(info)
        return self._stack(looks), rewards, overs, [False] * self.num_envs, {"each": infos}
