"""Random cases: an input file, as nested dicts, and the files that it names.

A case derives its random numbers from the seed and its number alone, so that it is the same whatever else runs. flows.py,
solids.py and stencils.py have what belongs to an application; here is what all applications have.
"""
import random

import flows
import stencils

# Axes of 1, 2, 3 cells, of few, and beside multiples of 16: vectors, tiles and warps end there.
SHORT, MEDIUM, LONG = (1, 2, 3), (4, 5, 6, 7, 8, 9, 12), (15, 16, 17, 24, 31, 32, 33, 47, 48, 49, 63, 64, 65, 70)


class Dice(random.Random):
    """Random numbers with few digits, which are easy to read in an input file."""

    def chance(self, share):
        return self.random() < share

    def number(self, low, high):
        return float(f"{self.uniform(low, high):.4g}")

    def vector(self, size):
        return [self.number(-size, size) for _ in range(3)]

    def some(self, items, most):
        """At least one of the items, in any order."""
        return self.sample(items, self.randint(1, min(most, len(items))))

    def bits(self):
        return self.getrandbits(32)


class Case:
    """settings: the input file; files: functions that write the files that it names, by name; before: the settings of
    a run from whose fields the case starts, None: none; patterns: values of lbm.streaming that must give the same
    bits, empty: other applications; instruction_sets: of this machine, the widest last; kind: what it is, for people."""

    def __init__(self, seed, number, application=None):
        self.seed, self.number = seed, number
        self.dice = Dice(f"{seed} {number} case")
        self.settings, self.files, self.before, self.patterns, self.instruction_sets = {}, {}, None, [], []
        make = {"lbm": flows.make, "diffusion": stencils.diffusion, "dendrite": stencils.dendrite, "himeno": stencils.himeno,
                "weather": stencils.weather, "two_fluids": stencils.two_fluids, "two_phase": stencils.two_phase}
        self.application = application or self.dice.choices(list(make), [66, 9, 9, 3, 5, 4, 4])[0]
        if self.application != "lbm" or self.dice.chance(0.5):
            self.settings["application"] = self.application
        self.settings["name"] = "random"
        self.kind = make[self.application](self)

    @property
    def cells(self):
        return stencils.HIMENO_CELLS if self.application == "himeno" else self.settings["domain"]["cells"]

    def get(self, path, default=None):
        """The value at a path such as "lbm.les.model"."""
        found = self.settings
        for key in path.split("."):
            if not isinstance(found, dict) or key not in found:
                return default
            found = found[key]
        return found


def cells(dice, least=24, most=9000):
    """The cells of a domain, which may be one, two or three cells thick along any axis, as long as several chunks of a
    GPU's kernels, or high enough to be streamed in many pieces."""
    while True:
        n = [dice.choice(dice.choices((SHORT, MEDIUM, LONG), weights)[0]) for weights in ((1, 3, 4), (2, 4, 2), (3, 3, 3))]
        if dice.chance(0.05):
            n[0] = dice.choice((127, 129, 255, 256, 258))
        if dice.chance(0.2):
            n, most = [dice.randint(7, 40), dice.randint(5, 24), dice.randint(50, 120)], max(most, 32000)
        if least <= n[0] * n[1] * n[2] <= most:
            return n


def steps(dice, most):
    """Of a run; now and then hardly any."""
    return dice.randint(0, 3) if dice.chance(0.1) else dice.randint(4, most)


def inside(dice, n):
    """A box of cells: where it begins, and where it ends."""
    begin = [dice.randrange(k) for k in n]
    return begin, [dice.randint(b + 1, k) for b, k in zip(begin, n)]


def part(dice, n, number, quantities):
    begin, end = inside(dice, n)
    made = {"name": f"part_{number}", "begin": begin, "end": end}
    if dice.chance(0.3):
        made["every"] = dice.choice((0, 3, 5))
    if dice.chance(0.25):
        axis = dice.randrange(3)
        end[axis] = begin[axis] + 1
        made |= {"format": "png", "quantities": dice.choice([q for q in quantities if q not in MANY_NUMBERS])}
        if dice.chance(0.4):
            made |= {"low": -0.01, "high": dice.number(0.01, 1.5)}
        return made
    if dice.chance(0.3):
        made["end"] = [0, 0, 0]
    if dice.chance(0.3):
        made["stride"] = dice.randint(1, 3)
    if dice.chance(0.4):
        made["quantities"] = ", ".join(dice.some(quantities, 3))
    if dice.chance(0.7):
        made["precision"] = dice.choice(("f64", "f64", "f32"))
    return made


MANY_NUMBERS = ("stress", "reynolds_stress")  # a picture draws one number, or a vector's magnitude


def output(case, quantities):
    """What all applications write; quantities: what the case can write."""
    dice, n = case.dice, case.cells
    made = {"every": dice.choice((0, 0, 4, 7)), "precision": dice.choice(("f64", "f64", "f64", "f32"))}
    if dice.chance(0.7):
        made["quantities"] = ", ".join(dice.some(quantities, 5))
    if dice.chance(0.1):
        made["fields"] = False
    for key, share, value in (("compress", 0.1, True), ("stride", 0.15, dice.randint(1, 3)), ("profiles", 0.4, True),
                              ("picture", 0.3, dice.choice(("x", "y", "z", "none")))):
        if dice.chance(share):
            made[key] = value
    if made.get("picture", "none") != "none":
        two = case.application in ("dendrite", "weather") or "scalar" in quantities  # panels
        for key in ("picture_range", "picture_range_beside")[:1 + two]:
            if dice.chance(0.4):
                made[key] = {"low": -0.1, "high": 0.2}
        made["legend"] = dice.chance(0.6)
        if dice.chance(0.5):
            made["up"] = dice.choice(("auto", "x", "y", "z"))
        if dice.chance(0.4):
            made["picture_at"] = dice.randrange(n["xyz".index(made["picture"])])
    if dice.chance(0.35):
        made["parts"] = [part(dice, n, i, quantities) for i in range(dice.randint(1, 2))]
    if dice.chance(0.4):
        made["probes"] = [{"name": f"p{i}", "cell": [dice.randrange(k) for k in n]} for i in range(dice.randint(1, 3))]
        made["probe_every"] = dice.randint(1, 7)
    written = made.get("quantities", "") + " ".join(p.get("quantities", "") for p in made.get("parts", []))
    if any(word in written for word in ("mean_", "rms_", "reynolds_stress", "speed_ratio", "exceedance")):
        made["average"] = {"begin": dice.randint(0, 5), "every": dice.randint(1, 6)}
    case.settings["output"] = made
    return written


def looks(case):
    """Checks of the state, and checkpoints."""
    dice = case.dice
    case.settings["monitor"] = {"every": dice.choice((200, 200, 9, 5, 3, 1))}
    if dice.chance(0.08) and case.application != "himeno" and "in_time" not in str(case.settings):
        case.settings["monitor"] |= {"every": dice.randint(1, 4), "steady": dice.choice((1e-3, 0.05, 0.5))}
    if dice.chance(0.15) and case.application != "himeno":
        case.settings["checkpoint"] = {"every": dice.randint(2, 20), "keep": dice.randint(1, 3), "compress": dice.chance(0.3),
                                       "last": dice.chance(0.7)}
