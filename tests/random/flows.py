"""Random flows by the lattice Boltzmann method."""
import cases
import solids

AXES = "xyz"
FACES = [f"{axis}_{end}" for axis in AXES for end in ("low", "high")]
KINDS = {"plain": 6, "scalar": 2, "d3q27": 1.5, "moments": 2, "les": 2, "porous": 2}
COLLISIONS = {
    "plain": ("auto", "srt", "trt", "trt", "regularized", "recursive_regularized"),
    "scalar": ("auto", "trt", "recursive_regularized"),
    "d3q27": ("auto", "srt", "trt"),
    "moments": ("auto", "regularized", "recursive_regularized", "cumulant"),
    "les": ("auto", "srt_smagorinsky", "regularized", "recursive_regularized"),
    "porous": ("auto", "trt", "trt", "srt", "regularized"),
}
PATTERNS = {"plain": ["pull", "in_place", "list"], "les": ["pull", "in_place", "list"], "porous": ["pull", "in_place", "list"],
            "scalar": ["pull", "in_place"], "d3q27": ["pull", "in_place"], "moments": ["moments"]}
QUANTITIES = ["density", "velocity", "pressure", "vorticity", "q_criterion", "wall_stress", "mean_density", "mean_velocity",
              "rms_velocity", "reynolds_stress", "mean_speed", "solid"]


def make(case):
    dice = case.dice
    kind = case.flow = dice.choices(list(KINDS), list(KINDS.values()))[0]
    case.patterns = PATTERNS[kind]
    large = kind in ("plain", "les") and dice.chance(0.06)  # more than caches hold, so that runs on CPUs choose passes
    case.settings |= {"steps": dice.randint(8, 14) if large else cases.steps(dice, 45),
                      "domain": {"cells": [64, dice.randint(40, 48), dice.randint(64, 100)] if large else cases.cells(dice)}}
    fluid(case, kind)
    filled = dice.chance(0.65) or kind == "porous"
    if filled and not large and dice.chance(0.08):
        solids.bed(case)  # sets the cells
    boundaries(case, kind)
    if filled:
        solids.make(case)
    if kind == "scalar" and dice.chance(0.5):
        sources(case)
    drive(case, kind)
    initial(case)
    viscosity(case)
    written = cases.output(case, quantities(case, kind))
    flow_output(case, written)
    cases.looks(case)
    if large:
        case.settings["output"] |= {"every": 0, "precision": "f32"}
    return f"flow {kind}" + (" large" if large else "")


def fluid(case, kind):
    """Collision, storage, scalar."""
    dice = case.dice
    lbm = case.settings["lbm"] = {"storage": dice.choice(("f64", "f64", "f32", "f16"))}
    collision = dice.choice(COLLISIONS[kind])
    if collision != "auto" or dice.chance(0.3):
        lbm["collision"] = collision
    if kind == "d3q27" or collision == "cumulant":
        lbm["lattice"] = "d3q27"
    elif dice.chance(0.1):
        lbm["lattice"] = "d3q19"
    regular = collision == "recursive_regularized" or collision == "auto" and kind == "scalar" and dice.chance(0.3)
    if kind == "les" or kind == "moments" and dice.chance(0.3) or kind == "scalar" and regular and dice.chance(0.6):
        lbm["les"] = {"model": "smagorinsky"}
        if dice.chance(0.4):
            lbm["les"]["constant"] = dice.number(0.05, 0.2)
    if (collision == "trt" or collision == "auto" and kind not in ("moments", "les") and "les" not in lbm) and dice.chance(0.2):
        lbm["magic"] = dice.number(0.1, 0.4)
    if regular or collision == "cumulant" or collision == "auto" and ("les" in lbm or kind == "moments"):
        if dice.chance(0.4):
            lbm["bulk"] = dice.choice(("shear", "one"))
        if dice.chance(0.3):
            lbm["correction"] = True
    if (regular or collision == "cumulant" or collision == "auto" and kind == "moments") and "les" not in lbm and dice.chance(0.4):
        rheology(case)
    if kind == "scalar":
        scalar(case)


def rheology(case):
    """A fluid whose viscosity depends on the rate of strain."""
    dice = case.dice
    model = dice.choice(("power_law", "carreau_yasuda", "bingham", "herschel_bulkley", "casson"))
    made = case.settings["lbm"]["rheology"] = {"model": model}
    if model in ("power_law", "carreau_yasuda", "herschel_bulkley"):
        made["index"] = dice.number(0.3, 1.7)
    if model == "carreau_yasuda" and dice.chance(0.5):
        made |= {"exponent": dice.number(0.5, 3)} | ({"limit": dice.number(0, 1)} if made["index"] < 1 else {})
    if model in ("bingham", "herschel_bulkley", "casson"):
        made["yield"] = dice.number(0, 3)
        if dice.chance(0.3):
            made["growth"] = dice.number(10, 1e5)
    if dice.chance(0.3):
        made["rate"] = dice.number(0.2, 5)
    if dice.chance(0.5):
        made |= {"lowest_tau": dice.number(0.505, 0.52), "highest_tau": dice.number(1.4, 20)}


def scalar(case):
    dice = case.dice
    reference = dice.number(-2, 2)
    made = case.settings["scalar"] = {"reference": reference, "buoyancy": dice.vector(1e-3)}
    key, least, most = dice.choice((("prandtl", 0.2, 2), ("diffusivity", 0.01, 0.3), ("diffusivity", 0.01, 0.3)))
    made[key] = dice.number(least, most)
    regular = case.get("lbm.collision") == "recursive_regularized" or "les" in case.settings["lbm"]
    if not regular and dice.chance(0.3):
        made["magic"] = dice.number(0.1, 0.4)
    if "les" in case.settings["lbm"] and dice.chance(0.5):
        made["turbulent_schmidt"] = dice.number(0.4, 2)
    if dice.chance(0.3):
        made["initial"] = reference + dice.number(-0.5, 0.5)
    if dice.chance(0.3):
        made["difference"] = dice.number(1, 3)
    made["lattice"] = "d3q19" if regular else dice.choice(("auto", "d3q7", "d3q19"))


def sources(case):
    """Two boxes that do not overlap: on both sides of a plane along z, or one."""
    dice, cells, steps = case.dice, case.cells, case.settings["steps"]
    middle, made = dice.randint(0, cells[2] - 1), []
    for low, high in ((0, middle), (middle, cells[2])):
        if low == high or made and dice.chance(0.5):
            continue
        begin = [dice.randint(0, cells[0] - 1), dice.randint(0, cells[1] - 1), dice.randint(low, high - 1)]
        source = {"begin": begin, "rate": dice.number(-0.05, 0.05)}
        if dice.chance(0.7):
            ends = (cells[0], cells[1], high)
            source["end"] = [dice.randint(begin[axis] + 1, ends[axis]) for axis in range(3)]
        if dice.chance(0.5):
            source["start"] = dice.randint(0, max(steps - 1, 0))
            source["stop"] = source["start"] + dice.randint(1, max(steps, 1))
        made.append(source)
    case.settings["scalar"]["sources"] = made


def scalar_at(case, wall=True):
    """What a boundary does with the scalar: nothing, a value, or a flux."""
    dice, reference = case.dice, case.get("scalar.reference")
    if reference is None or dice.chance(0.4):
        return {}
    if wall and case.get("scalar.lattice") != "d3q19" and dice.chance(0.3):
        return {"scalar": {"flux": dice.number(-1e-3, 1e-3)}}
    return {"scalar": {"value": reference + dice.number(-1, 1)}}


# ---- faces ------------------------------------------------------------------------------------------

def boundaries(case, kind):
    dice = case.dice
    made = {}
    axis = dice.randrange(3) if kind == "porous" else None
    if kind == "porous":
        porous(case, axis)
    stream = dice.choice((None, None, 0, 1, 2)) if kind != "porous" else None
    for other, share in enumerate((0.4, 0.4, 0.25)):  # periodic; a plane flow is so in most cases
        if other in (axis, stream) or dice.chance(0.7 if case.cells[other] == 1 else share) or case.get("porous.axis") == "all":
            continue
        for face in FACES[2 * other:2 * other + 2]:
            made[face] = wall(case, other)
    if stream is not None:
        through(case, stream, made)
    for face in dice.sample(FACES, 1 if dice.chance(0.2) else 0):  # as is the default, for an axis without other kinds
        if not any(name[0] == face[0] for name in made) and kind != "porous":
            made |= {f"{face[0]}_{end}": {"kind": "periodic"} for end in ("low", "high")}
    if made:
        case.settings["boundaries"] = made
    if any(face["kind"] in ("free_slip", "wall_function", "pressure_normal") for face in made.values()):
        case.patterns = [pattern for pattern in case.patterns if pattern != "list"]


def wall(case, axis):
    dice = case.dice
    kinds = {"no_slip": 5, "moving_wall": 2, "free_slip": 2, "pressure": 0.5, "velocity": 0.5, "pressure_normal": 0.4}
    les = "les" in case.settings["lbm"] and "regularized" in case.get("lbm.collision", "regularized")
    if les and case.cells[axis] >= 6:
        kinds["wall_function"] = 6
    kind = dice.choices(list(kinds), list(kinds.values()))[0]
    if kind == "wall_function":
        return {"kind": kind} | ({"roughness": dice.number(0.001, 0.3)} if dice.chance(0.5) else {})
    if kind == "pressure_normal" and case.flow == "moments":
        kind = "no_slip"
    made = {"kind": kind}
    if kind in ("moving_wall", "velocity"):
        made["velocity"] = dice.vector(0.04)
        if kind == "moving_wall":
            made["velocity"][axis] = 0.0
    return made if kind == "free_slip" else made | scalar_at(case, wall=kind in ("no_slip", "moving_wall"))


def through(case, axis, made):
    """An inlet and an outlet; made: the other faces."""
    dice = case.dice
    n = case.cells
    ends = FACES[2 * axis:2 * axis + 2]
    backward = dice.chance(0.4)
    if backward:
        ends.reverse()
    outlet = {"kind": "pressure" if case.flow == "moments" else dice.choice(("pressure", "pressure_normal"))}
    if dice.chance(0.3):
        outlet["density"] = dice.number(0.99, 1.01)
    if dice.chance(0.4) and n[axis] >= 4:
        outlet["sponge"] = {"width": dice.randint(1, n[axis] // 2)}  # half is left for the inlet's turbulence
        if dice.chance(0.6):
            outlet["sponge"]["strength"] = dice.number(0.1, 0.9)
    if dice.chance(0.12):
        inlet = {"kind": "pressure", "density": dice.number(1.001, 1.01)}
    else:
        inlet = {"kind": "velocity", "velocity": [0.0, 0.0, 0.0]}
        inlet["velocity"][axis] = dice.number(0.01, 0.06) * (-1 if backward else 1)
        shape_inlet(case, axis, inlet, made)
    made[ends[0]] = inlet | scalar_at(case, wall=False)
    made[ends[1]] = outlet | scalar_at(case, wall=False)


def shape_inlet(case, axis, inlet, made):
    """Profile, turbulence, or a stream at an angle."""
    dice = case.dice
    n = case.cells
    grounds = [a for a in range(3) if a != axis and FACES[2 * a] in made]
    if grounds and dice.chance(0.5):
        inlet["profile"] = profile(case, dice.choice(grounds), made)
    elif dice.chance(0.4):
        inlet["velocity"][(axis + 1) % 3] = dice.number(-0.02, 0.02)
    if dice.chance(0.35) and n[axis] >= 4:
        inlet["turbulence"] = {"intensity": dice.number(0.02, 0.2), "length": float(dice.choice((4, 6, 24)))}
        if dice.chance(0.7):
            inlet["turbulence"] |= {"width": dice.randint(2, min(8, n[axis] // 2)), "seed": dice.randint(0, 99)}
        elif n[axis] < 16:
            inlet["turbulence"]["width"] = 2


def profile(case, up, made):
    dice = case.dice
    n = case.cells
    walls = all(made[face]["kind"] in ("no_slip", "moving_wall") for face in FACES[2 * up:2 * up + 2])
    kind = dice.choice(("power", "logarithmic", "table") + (("parabolic",) if walls else ()))
    made = {"kind": kind}
    if AXES[up] != "y" or dice.chance(0.5):
        made["up"] = AXES[up]
    if kind == "power":
        made |= {"height": float(n[up]), "exponent": dice.number(0.1, 0.4)}
    elif kind == "logarithmic":
        made |= {"height": float(n[up]), "roughness": dice.number(0.01, 0.3)}
        if n[up] > 3 and dice.chance(0.4):
            made["displacement"] = dice.number(0.1, 1.0)
    elif kind == "table":
        rows = sorted({dice.number(0.1, n[up] + 1) for _ in range(4)})
        text = "".join(f"{height}, {dice.number(0.2, 1.2)}\n" for height in rows)
        case.files["wind.csv"] = lambda path: path.write_text(text)
        made["file"] = "wind.csv"
    return made


# ---- what drives the flow ---------------------------------------------------------------------------

def porous(case, axis):
    dice = case.dice
    length = case.cells[axis]
    made = {"axis": AXES[axis], "gradient": dice.choice((1e-6, 1e-5, 1e-4)), "drive": dice.choice(("force", "pressure")),
            "tolerance": dice.choice((0.0, 0.0, 0.3, 1e-6)), "interval": dice.randint(1, 8)}
    if dice.chance(0.1):
        made["axis"] = "all"
    elif length >= 4 and dice.chance(0.3):
        made["begin"] = dice.randint(1, length - 2)
        made["end"] = dice.randint(made["begin"] + 1, length - 1)
    if dice.chance(0.5):
        made["tracers"] = dice.choice((1, 17, 300))
    if dice.chance(0.3):
        made["cell"] = 1e-5
    case.settings["porous"] = made


def drive(case, kind):
    dice = case.dice
    if kind != "porous" and dice.chance(0.5):
        case.settings["lbm"]["force"] = dice.vector(2e-4)
    faces = case.get("boundaries", {})
    open_axes = [axis for axis, name in enumerate(AXES)
                 if all(faces.get(f"{name}_{side}", {}).get("kind", "periodic") == "periodic" for side in ("low", "high"))]
    if kind != "porous" and open_axes and dice.chance(0.3):
        wanted = [0.0, 0.0, 0.0]
        wanted[dice.choice(open_axes)] = dice.number(-0.03, 0.03)
        case.settings["lbm"]["flux"] = {"velocity": wanted, "every": dice.choice((1, 3, 8, 20))}
    moving = [face for face in case.get("boundaries", {}).values() if face["kind"] in ("moving_wall", "velocity")]
    moving += [one for one in solids.surfaces(case) if one.get("kind") in ("moving_wall", "velocity")]
    if moving and not any("turbulence" in one for one in moving) and dice.chance(0.25):
        case.settings["lbm"]["ramp"] = dice.randint(1, 60)
    if kind != "porous":
        in_time(case)


def in_time(case):
    """Tables of factors for the force, and for what faces have."""
    dice = case.dice
    if case.get("lbm.force") and not case.get("lbm.flux") and dice.chance(0.3):
        case.settings["lbm"]["force_in_time"] = factors(case, "force")
    for name, face in case.get("boundaries", {}).items():
        has = any(face.get("velocity", ())) or face.get("density", 1.0) != 1.0
        if has and not {"turbulence", "sponge"} & face.keys() and dice.chance(0.25):
            face["in_time"] = factors(case, name)


def factors(case, name):
    dice = case.dice
    times = sorted({dice.number(-3.0, 50.0) for _ in range(dice.randint(2, 6))})
    rows = [[time, dice.number(-1.0, 1.2)] for time in times]
    made = {"file": f"{name}.csv"}
    if dice.chance(0.5) and len(rows) > 1:
        made["periodic"] = True
        rows[-1][1] = rows[0][1]
    if dice.chance(0.3):
        made["scale"] = dice.number(0.2, 3.0)
    text = "".join(f"{time}, {factor}\n" for time, factor in rows)
    case.files[made["file"]] = lambda path: path.write_text(text)
    return made


def initial(case):
    dice = case.dice
    faces = case.get("boundaries", {}).values()
    free = all(face["kind"] in ("periodic", "free_slip") for face in faces) and "geometry" not in case.settings
    if free and case.flow != "porous" and dice.chance(0.5):
        for key in ("force", "force_in_time", "flux"):
            case.settings["lbm"].pop(key, None)
        made = {"kind": dice.choice(("taylor_green", "taylor_green_3d")), "velocity": [dice.number(0.01, 0.05), 0.0, 0.0]}
    elif any("profile" in face for face in faces) and dice.chance(0.5):
        made = {"kind": "profile"}
    elif case.flow != "porous" and dice.chance(0.12):
        made = from_fields(case)
    elif dice.chance(0.5):
        made = {"kind": "uniform", "velocity": dice.vector(0.04)}
    elif dice.chance(0.3):
        made = {"kind": "rest"}
    else:
        made = {}
    walls = {face[0] for face, given in case.get("boundaries", {}).items() if given["kind"] in ("no_slip", "wall_function")}
    if made.get("kind") == "uniform" and len(walls) == 1 and dice.chance(0.4):
        made["kind"] = "turbulent_channel"
        made["velocity"]["xyz".index(*walls)] = 0.0
    if max(case.cells) >= 16 and sorted(case.cells)[1] > 1 and case.flow != "porous" and dice.chance(0.2):
        made["perturbation"] = {"velocity": dice.number(0.001, 0.01), "length": dice.number(4, 8)}
        if dice.chance(0.5):
            made["perturbation"]["seed"] = dice.randint(0, 99)
    if made:
        case.settings["initial"] = made


def from_fields(case):
    """Another run writes the fields from which the case starts, on the same cells or on half as many."""
    dice = case.dice
    n = case.cells
    if all(k % 2 == 0 for k in n) and dice.chance(0.5):
        n = [k // 2 for k in n]
    case.before = {"name": "before", "steps": 5, "domain": {"cells": n}, "lbm": {"tau": 0.8},
                   "initial": {"kind": "uniform", "velocity": dice.vector(0.04)},
                   "boundaries": {"y_low": {"kind": "no_slip"}, "y_high": {"kind": "moving_wall", "velocity": [0.03, 0.0, 0.01]}},
                   "output": {"precision": dice.choice(("f32", "f64")),
                              "quantities": dice.choice(("velocity, pressure", "density, velocity"))}}
    return {"kind": "file", "file": "before/fields_00000005.hdf"}


def viscosity(case):
    """One of the four keys that set it; the last one makes the run physical."""
    dice, lbm = case.dice, case.settings["lbm"]
    tau = dice.choice((dice.number(0.52, 0.6), dice.number(0.6, 1.4), 1.0))
    key = dice.choices(("tau", "viscosity", "reynolds", "units"), (5, 2, 1, 2))[0]
    case.tau = tau
    viscous = max(tau - 0.5, 1e-3) / 3.0
    if "rheology" in lbm and key in ("tau", "viscosity"):
        lbm |= {"velocity": dice.number(0.01, 0.08), "length": dice.number(4, 20)}
    if key == "tau":
        lbm["tau"] = tau
    elif key == "viscosity":
        lbm["viscosity"] = viscous
    else:
        lbm["velocity"] = dice.number(0.03, 0.08)
        lbm["length"] = float(dice.choice((5, 8, 10)))
        if key == "reynolds":
            lbm["reynolds"] = lbm["velocity"] * lbm["length"] / viscous
            return
        cell, velocity = dice.choice((1e-3, 0.1, 2.0)), dice.number(0.1, 10)
        case.settings["units"] = {"cell": cell, "velocity": velocity, "viscosity": viscous * velocity * cell / lbm["velocity"]}
        if dice.chance(0.3):
            case.settings["units"]["density"] = dice.number(1, 1000)
        case.units = dice.choice(("lattice", "si", None))


# ---- output -----------------------------------------------------------------------------------------

def quantities(case, kind):
    found = list(QUANTITIES)
    if case.get("lbm.rheology"):
        found.append("viscosity")
    elif abs(case.tau - 1.0) > 0.01:
        found.append("stress")
        if case.get("lbm.les"):
            found.append("eddy_viscosity")
    if kind == "scalar":
        found += ["scalar", "scalar_flux", "mean_scalar", "rms_scalar", "turbulent_flux"]
    if case.get("lbm.velocity"):
        found.append("speed_ratio")
    return found + ["exceedance"]


def flow_output(case, written):
    dice, out = case.dice, case.settings["output"]
    if "exceedance" in written:
        out["average"]["threshold"] = dice.number(0.005, 0.03)
    if dice.chance(0.15):
        out["mean_profiles"] = dice.choice(AXES)
        out.setdefault("average", {"begin": dice.randint(0, 5), "every": dice.randint(1, 6)})
    if getattr(case, "units", None):
        out["units"] = case.units
    if "geometry" in case.settings and dice.chance(0.6) and (lines := solids.forces(case)):
        case.settings["forces"] = lines
