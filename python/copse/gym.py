# SPDX-License-Identifier: Apache-2.0
"""Scheduling as an environment for reinforcement learning, with gymnasium's interface.

gymnasium is imported if it is installed; without it, the classes have the same methods. An action is the index of a job in
the window of waiting jobs: the job starts if it fits now. Any other action advances to the next event.
"""
import random

from copse import plan
from copse._copse import Replay

try:
    import gymnasium
except ImportError:
    gymnasium = None

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["FEATURES", "SchedulingEnv", "VectorSchedulingEnv"]

# Of a waiting job, 0 where the window has none; "fits" and "present" are 0 or 1. Then of the machine and the queue, the same
# in all rows: free units (of whole nodes, of cores and gpus of any node), and numbers of jobs.
FEATURES = ("waited_s", "duration_s", "priority", "present", "nodes", "cores", "gpus", "fits",
            "free_nodes", "free_cores", "free_gpus", "running", "waiting")
_OF_A_JOB = FEATURES.index("free_nodes")


def _matrix(rows):
    return rows if numpy is None else numpy.array(rows, dtype=numpy.float32)


def _array(values):
    return values if numpy is None else numpy.array(values)


def minus_waiting(env, waited_s):
    """The default reward: minus the hours that jobs waited in this step."""
    return -waited_s / 3600


class SchedulingEnv(gymnasium.Env if gymnasium else object):
    """A stream of jobs on a machine.

    `jobs` is a stream, or a function from a seed to a stream: then each episode has another one. `observe(env)` and
    `reward(env, waited_s)` replace the observation (a row of FEATURES for each index of the window) and the reward; `site`
    is what they may ask, a plan.Site, and `observation_space` the space of such observations. `policy` (compact) is that of
    an Engine that is made here.

    Units: seconds; the reward minus the hours that jobs waited.
    Shapes: an observation is float32 of (window, len(FEATURES)), or lists without numpy; an action is in [0, window]; a
      mask is bool of (window + 1).
    Raises: RuntimeError (a step after the end), and what plan.run() raises of a stream.
    Cost: reset() O(jobs); a step a match for each different request of the window, and the events until a job waits.
    Source: gymnasium's Env.
    """

    metadata = {"render_modes": ["svg"]}

    def __init__(self, machine, jobs, *, window=16, policy=None, observe=None, reward=minus_waiting,
                 observation_space=None):
        self._engine = plan._engine(machine, policy=policy)
        self._jobs, self.window = jobs, window
        self._observe, self._reward = observe, reward
        self._random = random.Random()
        self._replay = None
        self.waiting, self.site = [], None
        if gymnasium:
            shape = (window, len(FEATURES))
            self.action_space = gymnasium.spaces.Discrete(window + 1)
            self.observation_space = observation_space or gymnasium.spaces.Box(-numpy.inf, numpy.inf, shape)

    @property
    def now(self):
        """The time of the stream, in seconds."""
        return self._replay.now

    @property
    def schedule(self):
        """The schedule so far."""
        return self._replay.schedule

    def reset(self, *, seed=None, options=None):
        """Begins again; returns the first observation and {"action_mask": action_masks()}. A function `jobs` is called with
        the seed; without a seed, with the next of the numbers that follow from the last seed."""
        if gymnasium:
            super().reset(seed=seed)
        if seed is not None:
            seed = int(seed)
            self._random = random.Random(seed)
        elif callable(self._jobs):
            seed = self._random.getrandbits(31)
        jobs = self._jobs(seed) if callable(self._jobs) else self._jobs
        self._replay = Replay(self._engine.clone(), jobs, "learned")
        self._known, self.waiting = plan._jobs(self._replay, jobs), []
        self.site = plan.Site(self._replay, self._known)
        self._over = self._ended = False
        self._go_on()
        return self._look()

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
                self.waiting = []
                break
            waited_s += (self._replay.now - before) * waiting
            self.waiting += [self._known[number] for number in arrived]
            self._replay.waits(len(self.waiting))
            if self.waiting:
                break
        return waited_s

    def _shown(self):
        return self.waiting[:self.window]

    def action_masks(self):
        """Which actions change something: the jobs of the window that fit now, and the last action, which advances."""
        fits = self._replay.which_fit([job.number for job in self._shown()])
        return _array(fits + [False] * (self.window - len(fits)) + [True])

    def _look(self):
        """The observation and the mask of now."""
        mask = self.action_masks()
        if self._observe:
            return self._observe(self), {"action_mask": mask}
        now, site = self._replay.now, self.site
        rows = [[now - job.submit, job.duration, job.priority, 1, job.nodes, job.cores, job.gpus, int(fits)]
                for job, fits in zip(self._shown(), mask)]
        rows += [[0] * _OF_A_JOB] * (self.window - len(rows))
        state = [site.free("node"), site.free("core"), site.free("gpu"), site.running, len(self.waiting)]
        return _matrix([row + state for row in rows]), {"action_mask": mask}

    def step(self, action):
        """Takes an action; returns (observation, reward, whether the stream has ended, False, {"started": bool,
        "action_mask": action_masks()})."""
        if self._ended:
            raise RuntimeError("the stream is over: reset the environment")
        waited_s, started = 0, False
        if 0 <= action < len(self._shown()):
            started = self._replay.start(self.waiting[action].number)
        if started:
            del self.waiting[action]
        if not started or not self.waiting:
            waited_s = self._go_on()
        self._ended = self._over
        look, info = self._look()
        return look, self._reward(self, waited_s), self._over, False, {"started": started, **info}

    def render(self):
        """The schedule so far as SVG, a text."""
        return self.schedule._repr_svg_()

    def close(self):
        """Releases the stream and its engine."""
        self._replay = self.site = None


class VectorSchedulingEnv:
    """Several environments on clones of one engine, stepped together. One that is over begins again, with another stream.

    Units: as of SchedulingEnv.
    Shapes: num_envs of all that SchedulingEnv has one of; observations float32 of (num_envs, window, len(FEATURES)).
    Raises: NotFound (a policy), ValueError (another number of actions or seeds), and what plan.run() raises of a stream.
    Cost: that of its environments, one after the other; clones share the memory of the machine.
    Source: gymnasium's VectorEnv, whose environments begin again in the step in which they end.
    """

    def __init__(self, machine, jobs, num_envs, *, policy=None, **options):
        engine = plan._engine(machine, policy=policy)
        self.num_envs = num_envs
        self.envs = [SchedulingEnv(engine, jobs, **options) for _ in range(num_envs)]
        if gymnasium:
            self.single_action_space = self.envs[0].action_space
            self.single_observation_space = self.envs[0].observation_space
            self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
            self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)

    def _of_each(self, values, what):
        values = list(values)
        if len(values) != self.num_envs:
            raise ValueError(f"there are {len(values)} {what} for {self.num_envs} environments")
        return values

    def reset(self, *, seed=None, options=None):
        """All begin again. `seed` is that of the first, and the others follow, or it is a list of seeds. Returns the first
        observations and {"action_mask": masks}."""
        if seed is None or hasattr(seed, "__len__"):
            seeds = [None] * self.num_envs if seed is None else self._of_each(seed, "seeds")
        else:
            seeds = [int(seed) + n for n in range(self.num_envs)]
        looks, infos = zip(*[env.reset(seed=one) for env, one in zip(self.envs, seeds)])
        return self._stack(looks), {"action_mask": self._stack([info["action_mask"] for info in infos])}

    @staticmethod
    def _stack(values):
        return list(values) if numpy is None else numpy.stack(values)

    def step(self, actions):
        """Takes an action for each; returns (observations, rewards, ended, truncated (never), infos).

        `infos` has "action_mask" for the next step, and the infos of "each". Where a stream has ended, the observation is
        the first of the next one; "final_obs" then has the last of the one that ended (else None), and "_final_obs" is
        True."""
        looks, rewards, overs, each, last, masks = [], [], [], [], [], []
        for env, action in zip(self.envs, self._of_each(actions, "actions")):
            look, reward, over, _, info = env.step(int(action))
            last.append(look if over else None)
            mask = info["action_mask"]
            if over:
                info["final_obs"] = look
                look, begun = env.reset()
                mask = begun["action_mask"]
            for column, value in zip((looks, rewards, overs, each, masks), (look, reward, over, info, mask)):
                column.append(value)
        infos = {"each": each, "action_mask": self._stack(masks), "final_obs": last, "_final_obs": _array(overs)}
        return self._stack(looks), _array(rewards), _array(overs), _array([False] * self.num_envs), infos

    def close(self):
        """Releases the streams and their engines."""
        for env in self.envs:
            env.close()
