"""Ways to compute a case, all of which must give the same results.

A family makes ways for a case, none where it has none. Each family has random numbers of its own, so that a case has the
same ways whichever families are chosen.
"""
from dataclasses import dataclass, field
from pathlib import Path

from cases import Dice

MACHINE = str(Path(__file__).resolve().parents[2] / "input/machines/tsubame2.cfg")  # has GPUs and processors


@dataclass
class Stage:
    """A run, or a part of one that a restart continues."""
    settings: dict = field(default_factory=dict)
    ranks: int = 1
    threads: int = 1  # of each process
    environment: dict = field(default_factory=dict)
    arguments: tuple = ()
    real_gpu: bool = False
    window: float = 0.0  # memory of a GPU, in terms of the least with which the case can be streamed; 0: no limit
    may_end_early: bool = False  # it may say that the state is not steady yet, and leave that to the next stage


@dataclass
class Way:
    family: str
    stages: list

    @property
    def restarts(self):
        return len(self.stages) > 1

    @property
    def limits_memory(self):
        """May it end for want of memory?"""
        return any(stage.window > 0.0 for stage in self.stages)


def reference(case):
    """One process, one thread, one step after the other, in two grids."""
    settings = streaming(case.patterns[0]) if case.patterns else {}
    if case.application == "lbm":
        settings["parallel.steps_per_pass"] = 1
    if case.application == "diffusion":
        settings["diffusion.steps_per_pass"] = 1
    return Way("reference", [Stage(settings)])


def streaming(pattern):
    return {"lbm.streaming": pattern}


def some_pattern(case, dice, but=()):
    """A random streaming pattern; nothing for other applications."""
    found = [pattern for pattern in case.patterns if pattern not in but]
    return streaming(dice.choice(found)) if found else {}


def some_cut(case, dice, ranks):
    """Where the domain is cut: as Wabe chooses, or along one axis, or along two."""
    if dice.chance(0.25):
        return {}
    axes = dice.sample(range(3), 3)
    cut = [1, 1, 1]
    cut[axes[0]] = ranks
    if ranks == 4 and dice.chance(0.5):
        cut[axes[0]] = cut[axes[1]] = 2
    return {"parallel.processes": cut}


def some_hurry(dice):
    """Whether emulated GPUs do work as late as they may, or some of it as early (core/device/device_emulated.c)."""
    early = dice.choice((None, None, "1", "urgent"))
    return {"WABE_EMULATED_EARLY": early} if early else {}


# ---- processors -------------------------------------------------------------------------------------

def patterns(case, dice):
    """Every other streaming pattern, and that which Wabe chooses."""
    ways = [Stage(streaming(pattern) | {"parallel.steps_per_pass": 1}) for pattern in case.patterns[1:]]
    if case.patterns and "moments" not in case.patterns:
        ways.append(Stage())
    return ways


def cut(case, dice):
    """Two to four processes."""
    ways = []
    for ranks in (2, dice.choice((3, 4))):
        settings = some_pattern(case, dice) | some_cut(case, dice, ranks)
        if dice.chance(0.4):
            settings["parallel.overlap"] = False
        if dice.chance(0.1):
            settings["parallel.separate"] = True
        ways.append(Stage(settings, ranks, dice.choice((1, 1, 2))))
    return ways


def threads(case, dice):
    """Several threads, with the steps in a pass that Wabe chooses for them."""
    number = dice.choice((2, 3, 4))
    settings = some_pattern(case, dice)
    return [Stage(settings | {"parallel.threads": number}) if dice.chance(0.3) else Stage(settings, threads=number)]


def passes(case, dice):
    """Several steps while cells are in the cache."""
    if case.application == "diffusion":
        return [Stage({"diffusion.steps_per_pass": steps}, ranks, dice.choice((1, 2)))
                for steps, ranks in ((dice.choice((2, 3, 4)), 1), (dice.choice((0, 2, 3)), 2))]
    return [Stage(streaming(pattern) | {"parallel.steps_per_pass": dice.choice((2, 3, 4, 6, 9))},
                  threads=dice.choice((1, 1, 2, 3))) for pattern in case.patterns if pattern in ("in_place", "list")]


def components(case, dice):
    """Several sets of processors in one process, or an emulated GPU and processors, which share its block along z."""
    thickness = case.cells[2]
    first = dice.randint(1, thickness - 1) if thickness > 1 else 0
    planes = ({"planes": first}, {"planes": thickness - first})
    explicit = first > 0 and dice.chance(0.5)
    settings = some_pattern(case, dice) | {"parallel.mode": "hybrid", "parallel.balance": "explicit" if explicit else "equal"}
    each = [{"kind": "cpu", "threads": dice.choice((1, 2))} | (more if explicit else {}) for more in planes]
    if dice.chance(0.4):
        each[0] = {"kind": "gpu", "device": 0} | (planes[0] if explicit else {})
        settings |= {"parallel.mode": "heterogeneous", "node.emulated_gpus": 1}
    return [Stage(settings | {"node.components": each})]


def kernels(case, dice):
    """Kernels of narrower vectors (Wabe takes the widest)."""
    key = {"lbm": "lbm.kernel"}.get(case.application, f"{case.application}.kernel")
    return [Stage(some_pattern(case, dice) | {key: f".{name}"}) for name in case.instruction_sets[:-1]]


# ---- GPUs -------------------------------------------------------------------------------------------

def gpus(case, dice):
    """One emulated GPU, and several of as many processes."""
    ranks = dice.choice((2, 3))
    several = some_pattern(case, dice) | {"node.emulated_gpus": ranks} | some_cut(case, dice, ranks)
    if dice.chance(0.5):
        several["parallel.transport"] = dice.choice(("local", "peer", "host", "host", "cuda_aware"))
    if dice.chance(0.3):
        several["parallel.overlap"] = False
    one = some_pattern(case, dice) | {"node.emulated_gpus": 1, "parallel.residency": dice.choice(("auto", "resident"))}
    return [Stage(one, environment=some_hurry(dice)), Stage(several, ranks, environment=some_hurry(dice))]


def mixed(case, dice):
    """Several emulated GPUs in a process, also with its processors."""
    mode = dice.choice(("hybrid", "heterogeneous"))
    ranks = dice.choice((1, 1, 2))
    settings = {"node.emulated_gpus": dice.choice((1, 2, 3)) if ranks == 1 else 2, "parallel.mode": mode,
                "parallel.balance": dice.choice(("equal", "equal", "measured"))}
    if dice.chance(0.3):
        settings["parallel.transport"] = dice.choice(("local", "peer", "host"))
    machine = ()
    if dice.chance(0.25):
        settings["parallel.balance"], machine = "model", ("--machine", MACHINE)
    return [Stage(some_pattern(case, dice) | settings, ranks, environment=some_hurry(dice), arguments=machine)]


def stream(case, dice, ranks=1, gpus_of_node=1, real_gpu=False):
    """A state that goes through the memory of GPUs."""
    made = some_pattern(case, dice, ("pull",)) | {"parallel.residency": "streamed", "node.emulated_gpus": gpus_of_node}
    if case.application == "diffusion":
        made["diffusion.steps_per_pass"] = dice.choice((0, 0, 1, 1) if case.get("diffusion.map") else (0, 0, 1, 2, 4))
    made["parallel.steps_per_pass"] = dice.choice((0, 0, 1, 2, 3, 5, 8))
    if ranks > 1:
        made["parallel.processes"] = [1, 1, 0]
        if dice.chance(0.2):
            made["parallel.transport"] = "host"
    window = dice.choice((0.0, 1.01, 1.01, 1.05, 1.1, 1.2, 1.5))
    return Stage(made, ranks, environment={} if real_gpu else some_hurry(dice), real_gpu=real_gpu, window=window)


def streamed(case, dice):
    """Through one emulated GPU."""
    return [stream(case, dice) for _ in range(2)]


def streamed_cut(case, dice):
    """Through the GPUs of several processes, which may share one."""
    ranks = dice.choice((2, 2, 3))
    return [stream(case, dice, ranks, dice.choice((1, ranks)))]


def gpu(case, dice):
    """A real GPU."""
    return [Stage(some_pattern(case, dice), real_gpu=True),
            Stage(some_pattern(case, dice) | {"parallel.mode": "heterogeneous", "parallel.balance": "equal"}, real_gpu=True)]


def gpu_streamed(case, dice):
    """Through a real GPU."""
    return [stream(case, dice, gpus_of_node=0, real_gpu=True)]


def gpu_restart(case, dice):
    """From a real GPU to processors, or the other way round."""
    stages = [Stage(some_pattern(case, dice), real_gpu=True), Stage(some_pattern(case, dice), threads=2)]
    return in_turn(case, dice, dice.sample(stages, 2))


# ---- restarts ---------------------------------------------------------------------------------------

def restart(case, dice):
    """A run ends half-way, and another one, which may be of any other way, continues from its checkpoint."""
    return in_turn(case, dice, [some_stage(case, dice), some_stage(case, dice)])


def some_stage(case, dice):
    family = dice.choice((patterns, cut, threads, passes, gpus, mixed, streamed, streamed_cut))
    return dice.choice(family(case, dice) or [Stage(some_pattern(case, dice))])


def in_turn(case, dice, stages):
    steps = case.settings["steps"]
    if steps < 2 or case.application == "himeno" or case.get("porous.axis") == "all":
        return []
    half = dice.randint(1, steps - 1)
    first, second = stages
    first.settings |= {"steps": half, "checkpoint.every": half, "checkpoint.last": True}
    first.may_end_early = True
    second.arguments += ("--restart", "latest")
    return [[first, second]]


FAMILIES = {made.__name__: made for made in (patterns, cut, threads, passes, components, kernels, gpus, mixed, streamed,
                                             streamed_cut, restart)}
GPU_FAMILIES = {made.__name__: made for made in (gpu, gpu_streamed, gpu_restart)}


def of(case, families):
    """The ways of a case by the families named."""
    every = FAMILIES | GPU_FAMILIES
    for name in families:
        made = every[name](case, Dice(f"{case.seed} {case.number} {name}"))
        yield from (Way(name, stages if isinstance(stages, list) else [stages]) for stages in made)
