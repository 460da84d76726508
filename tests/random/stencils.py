"""Random cases of diffusion, dendrites, weather, two fluids, two phases and Himeno's benchmark."""
import numpy

import cases
import solids
from flows import FACES

HIMENO_CELLS = [62, 30, 30]  # of size XS: three numbers fewer than the arrays have


def faces(case, pair):
    """Faces of each axis: periodic, as it is without any, or by pair(face names)."""
    made = {}
    for axis in range(3):
        if case.dice.chance(0.5):
            made |= pair(FACES[2 * axis:2 * axis + 2])
    if made:
        case.settings["boundaries"] = made
    return made


def finish(case, quantities):
    cases.output(case, quantities)
    cases.looks(case)


# ---- diffusion --------------------------------------------------------------------------------------

def diffusion(case):
    dice = case.dice
    n = cases.cells(dice, most=12000)
    spacing = dice.choice((None, 1.0, 0.01, 3.0))
    edge = spacing or 1.0
    made = {"diffusivity": dice.number(0.1, 2), "storage": dice.choice(("f32", "f64"))}
    case.settings |= {"steps": cases.steps(dice, 60), "diffusion": made,
                      "domain": {"cells": n} | ({"spacing": spacing} if spacing else {})}
    if dice.chance(0.3):
        values = numpy.random.RandomState(dice.bits()).uniform(0.1, 2, n[::-1]) * (1 if dice.chance(0.7) else 0.5)
        name = dice.choice(("diffusivity", "factor"))
        case.files["map.h5"] = solids.write_dataset(name, values.astype(dice.choice(("f4", "f8"))))
        made["map"] = {"file": "map.h5"} | ({"dataset": name} if name != "diffusivity" else {})
    if dice.chance(0.3):
        made["time_step"] = edge ** 2 / (6 * made["diffusivity"]) * dice.number(0.1, 0.4)
    mode = "map" not in made and dice.chance(0.25)
    faces(case, lambda names: diffusion_faces(dice, names, 0.0 if mode else 0.7))
    kind = "mode" if mode else dice.choice(("constant", "gaussian", "gaussian", "file"))
    case.settings["initial"] = diffusion_start(case, edge, kind)
    finish(case, ["value", "mean_value", "rms_value"])
    return "diffusion" + (" map" if "map" in made else "")


def diffusion_faces(dice, names, share):
    """share: of the walls that have a value or gradient other than 0."""
    if dice.chance(0.1):
        return {name: {"kind": "periodic"} for name in names}
    made = {}
    for name in names:
        kind, key = dice.choice((("dirichlet", "value"), ("neumann", "gradient")))
        made[name] = {"kind": kind} | ({key: dice.number(-1, 1)} if dice.chance(share) else {})
    return made


def diffusion_start(case, edge, kind):
    dice, n = case.dice, case.cells
    made = {"kind": kind}
    if kind == "file":
        name = dice.choice(("value", "start"))
        case.files["start.h5"] = solids.write_dataset(name, numpy.random.RandomState(dice.bits()).uniform(-1, 1, n[::-1]))
        return made | {"file": "start.h5"} | ({"dataset": name} if name != "value" else {})
    if kind != "mode" and dice.chance(0.5):
        made["value"] = dice.number(-1, 1)
    if kind != "constant":
        made["amplitude"] = dice.number(0.5, 2)
    if kind == "mode":
        made["waves"] = [dice.randint(0, 2) for _ in range(3)]
    if kind == "gaussian":
        made["width"] = edge * dice.number(1, 5)
        if dice.chance(0.5):
            made["center"] = [edge * dice.number(0, k) for k in n]
    return made


# ---- dendrites --------------------------------------------------------------------------------------

def dendrite(case):
    dice = case.dice
    model = dice.choice(("pure_metal", "karma_rappel", "alloy"))
    while True:
        n = cases.cells(dice, 60, 9000)
        if min(k for k in n if k > 1) >= 4:
            break
    edge, made = (20e-9, pure_metal(dice)) if model == "pure_metal" else (0.5, thin_interface(dice, model))
    made |= {"model": model, "storage": dice.choice(("f32", "f64")), "anisotropy": dice.choice((0.02, 0.04, 0.06)),
             "orientation": dice.choice(([0.0, 0.0, 0.0], [20.0, 30.0, -40.0]))}
    if dice.chance(0.5):
        made |= {"noise": dice.number(0.005, 0.05), "noise_seed": dice.randint(0, 99)}
    if dice.chance(0.7):
        made["nuclei"] = [{"center": [edge * dice.number(0, k) for k in n], "radius": edge * dice.number(1, 5)}
                          for _ in range(dice.randint(1, 3))]
    if "nuclei" not in made or dice.chance(0.3):
        made["random_nuclei"] = {"count": dice.randint(1, 5)}
        if dice.chance(0.6):
            made["random_nuclei"] |= {"radius": edge * dice.number(1, 4), "seed": dice.randint(0, 99)}
    case.settings |= {"steps": cases.steps(dice, 40),
                      "domain": {"cells": n, "spacing": edge}, "dendrite": made}
    faces(case, lambda names: dendrite_faces(dice, model, names))
    second = "concentration" if model == "alloy" else "temperature"
    finish(case, [prefix + name for prefix in ("", "mean_", "rms_") for name in ("phi", second)])
    return f"dendrite {model}"


def pure_metal(dice):
    made = {"interface_width": 20e-9 * dice.choice((3, 4)), "undercooling": dice.number(0.3, 0.7)}
    nickel = {"diffusivity": 1.55e-5, "melting_temperature": 1728.0, "latent_heat": 2.35e9, "heat_capacity": 5.42e6,
              "surface_energy": 0.37, "kinetic_coefficient": 2.0, "time_step": 1e-13}
    for key, value in nickel.items():
        if dice.chance(0.15):
            made[key] = value * dice.number(0.95, 1.05)
    return made


def thin_interface(dice, model):
    made = {"interface_width": 1.0, "undercooling": 0.55, "diffusivity": dice.number(1, 3),
            "capillary_length": dice.number(0.2, 0.4)}
    if dice.chance(0.15):
        made["time_step"] = 1e-3
    return made | ({"partition_coefficient": dice.number(0.1, 0.3)} if model == "alloy" else {})


def dendrite_faces(dice, model, names):
    kind = dice.choice(("periodic", "fixed", "fixed", "mirror"))
    if kind == "periodic":
        return {name: {"kind": kind} for name in names}
    made = {"kind": kind}
    if kind == "fixed" and model != "alloy" and dice.chance(0.5):
        made["temperature"] = 1500.0 if model == "pure_metal" else -0.4
    return {dice.choice(names): made}


# ---- weather ----------------------------------------------------------------------------------------

def weather(case):
    dice = case.dice
    n = [dice.choice((1, 3, 5, 17, 33, 64, 70, 130)), dice.choice((8, 9, 16, 31)), dice.choice((1, 3, 6, 11, 24))]
    edge = dice.choice((100.0, 1000.0))
    made = {"storage": dice.choice(("f32", "f64")), "wind": [dice.number(-10, 10), 0.0, dice.number(-10, 10)],
            "bubbles": [weather_bubble(dice, n, edge) for _ in range(dice.randint(0, 2))]}
    for key, value in (("substeps", dice.choice((6, 8, 10))), ("off_centring", dice.number(0, 0.2)),
                       ("damping", dice.number(0.05, 0.4)), ("diffusivity", dice.number(0, 100)),
                       ("time_step", 0.0005 * edge), ("coriolis", dice.number(-1e-3, 1e-3))):
        if dice.chance(0.4):
            made[key] = value
    if dice.chance(0.3):
        made["turbulence"] = "smagorinsky"
        made.pop("diffusivity", None)
        if dice.chance(0.5):
            made["smagorinsky_constant"] = dice.number(0.1, 0.5)
    if dice.chance(0.5) and ("turbulence" in made or "diffusivity" in made):
        made["prandtl_number"] = dice.number(0.3, 3)
    water = dice.chance(0.5)
    if water:
        made["microphysics"] = "kessler"
    kind = dice.choice(("neutral", "isothermal", "stratified", "table") + ("weisman_klemp", "table") * water)
    case.settings |= {"steps": cases.steps(dice, 12), "domain": {"cells": n, "spacing": edge}, "weather": made,
                      "sounding": {"kind": kind} | sounding(dice, kind, water)}
    for key, value in (("theta", dice.number(280, 310)), ("shear", dice.number(-10, 10)), ("pressure", dice.number(9e4, 1.1e5)),
                       ("warmer", dice.number(-5, 5))):
        if dice.chance(0.3) and not (kind == "table" and key != "pressure") and not (kind == "weisman_klemp" and key == "warmer"):
            case.settings["sounding"][key] = value
    surface = {key: value for key, value in (("drag", dice.number(0, 0.01)), ("heat_flux", dice.number(-100, 500)), ("moisture_flux", dice.number(0, 1e-4)))
               if dice.chance(0.2) and (water or key != "moisture_flux")}
    if surface:
        case.settings["surface"] = surface
    if "shear" in case.settings["sounding"] and dice.chance(0.5):
        case.settings["sounding"]["shear_depth"] = dice.number(max(500, 2 * edge), max(3000, 3 * edge))
    if n[1] * edge > 24e3:
        edge = case.settings["domain"]["spacing"] = 100.0
    case.settings |= ground(case, n, edge)
    names = ["density", "heat", "momentum_x", "momentum_y", "momentum_z", "velocity_x", "velocity_y", "velocity_z", "theta",
             "pressure", "height", "temperature"]
    if water:
        names += ["vapour_density", "cloud_density", "rain_density", "rain_on_ground", "humidity", "cloud", "rain"]
    finish(case, [prefix + name for prefix in ("", "mean_", "rms_") for name in names])
    return f"weather {kind}{' with water' * water}"


def sounding(dice, kind, water):
    """Keys of a kind of sounding; tables are moist up to 6 km."""
    if kind == "stratified":
        return {"frequency": dice.number(0.005, 0.02)}
    if kind == "weisman_klemp":
        return {"vapour": dice.number(0.008, 0.016)} if dice.chance(0.5) else {}
    if kind != "table":
        return {}
    rows = [{"height": height, "theta": 295.0 + 0.004 * height + dice.number(0, 2)} for height in (0.0, 2e3, 6e3, 35e3)]
    for row in rows:
        if water and row["height"] < 6e3:
            row["vapour"] = dice.number(0.5, 1) * (0.014 if row["height"] == 0.0 else 0.006)
        if dice.chance(0.5):
            row["wind"] = [dice.number(-5, 5), 0.0, dice.number(-5, 5)]
    return {"table": rows}


def ground(case, n, edge):
    """Terrain, levels that follow it, and zones in which air is drawn to rest."""
    dice, made = case.dice, {}
    if dice.chance(0.4):
        made["levels"] = {"thickness": edge * dice.number(0.4, 0.9)}
        if dice.chance(0.5) and (edge < 500 or n[1] < 17):
            made["levels"]["growth"] = dice.number(0.98, 1.05)
    if dice.chance(0.5):
        kind = dice.choice(("bell", "ridge", "schaer", "file"))
        hill = {"height": edge * dice.number(0.1, 0.6), "half_width": edge * dice.number(2, 6)}
        if kind == "schaer":
            hill["wave_length"] = edge * dice.number(4, 7)
        if dice.chance(0.4):
            hill["center"] = [edge * dice.number(0, k) for k in n]
        made["terrain"] = {"kind": kind} | (map_of_ground(case, n, edge) if kind == "file" else hill)
    if dice.chance(0.4):
        side = [edge * dice.number(0.55, 0.5 * k) if k > 2 else 0.0 for k in n]
        made["relaxation"] = {"width": [side[0], edge * dice.number(0.55, 2), side[2]]}
        if dice.chance(0.5):
            made["relaxation"]["rate"] = [dice.number(0, 0.01) for _ in range(3)]
    return made


def map_of_ground(case, n, edge):
    dice = case.dice
    values = numpy.random.RandomState(dice.bits()).uniform(0, 0.6, (n[2], n[0]))
    if dice.chance(0.5):
        image = solids.png(values * 250, 8)
        case.files["ground.png"] = lambda path: path.write_bytes(image)
        return {"file": "ground.png", "scale": edge / 250}
    name = dice.choice(("heights", "ground"))
    case.files["ground.hdf"] = solids.write_dataset(name, values.astype(dice.choice(("f4", "f8"))))
    return ({"file": "ground.hdf", "scale": edge} | ({"dataset": name} if name != "heights" else {}) |
            ({"offset": edge * dice.number(0, 0.2)} if dice.chance(0.3) else {}))


def weather_bubble(dice, n, edge):
    return {"center": [edge * dice.number(0, k) for k in n], "radius": [edge * dice.choice((0, dice.number(2, 9))) for _ in n],
            "amplitude": dice.number(-5, 5)} | ({"of": "temperature"} if dice.chance(0.3) else {}) | ({"shape": "packet"} if dice.chance(0.2) else {})


# ---- two fluids -------------------------------------------------------------------------------------

def two_fluids(case):
    dice = case.dice
    n, edge, step = cases.cells(dice), dice.choice((1.0, 1e-3)), dice.choice((1.0, 1e-4))
    mass, speed = dice.choice((1.0, 1000.0)), edge / step
    fluids = {name: {"density": mass * density, "viscosity": mass * density * edge * speed * dice.number(0.02, 0.2)}
              for name, density in (("liquid", 1.0), ("gas", dice.choice((0.5, 0.1, 0.01))))}
    made = fluids | {"storage": dice.choice(("f32", "f64")), "time_step": step,
                     "tension": mass * edge * speed ** 2 * dice.number(0, 4e-5),
                     "shapes": [shape(dice, n, edge, speed) for _ in range(dice.randint(0, 3))]}
    for key, value in (("interface_width", dice.number(3, 6)), ("mobility", dice.number(0.01, 0.2)), ("fluid", "liquid"),
                       ("contact_angle", dice.number(40, 140)), ("smagorinsky_constant", dice.number(0.05, 0.2)),
                       ("gravity", [speed / step * dice.number(-1e-5, 1e-5) for _ in range(3)]),
                       ("force", [mass * speed / step * dice.number(-1e-7, 1e-7) for _ in range(3)]),
                       ("velocity", [speed * dice.number(-0.02, 0.02) for _ in range(3)])):
        if dice.chance(0.4):
            made[key] = value
    least, most = 2.01 * made.get("interface_width", 4), 0.5 * min((k for k in n if k > 1), default=0)
    if most > least and dice.chance(0.6):
        made.pop("fluid", None)
        del made["shapes"]
        made["random_blobs"] = {"saturation": dice.number(0.1, 0.9), "length": edge * dice.number(least, most), "seed": dice.randint(0, 99)}
    case.settings |= {"steps": cases.steps(dice, 20), "domain": {"cells": n, "spacing": edge}, "two_fluids": made}
    faces(case, lambda names: two_fluids_faces(case, names))
    if made := wetted_solids(case):
        case.settings["geometry"] = made
    if dice.chance(0.7) and (made := two_fluids_pores(case)):
        case.settings["porous"] = made
    finish(case, [prefix + name for prefix in ("", "mean_", "rms_")
                  for name in ("phase", "pressure", "velocity_x", "velocity_y", "velocity_z", "flow_xy", "flux_x")])
    return "two fluids"


def shape(dice, n, edge, speed):
    made = {"fluid": dice.choice(("gas", "liquid"))}
    if dice.chance(0.6):
        made |= {"center": [edge * dice.number(0, k) for k in n], "radius": edge * dice.number(12.5, 16)}
    else:
        low = [edge * dice.number(-5, k) for k in n]
        made |= {"low": low, "high": [a + edge * dice.number(3, 20) for a in low]}
    return made | ({"velocity": [speed * dice.number(-0.05, 0.05) for _ in range(3)]} if dice.chance(0.4) else {})


def wetted_solids(case):
    dice = case.dice
    made = {"objects": [solids.lengths(case) for _ in range(dice.randint(1, 3))]} if dice.chance(0.35) else {}
    for thing in made.get("objects", []):
        if dice.chance(0.4):
            thing["contact_angle"] = dice.number(30, 150)
    if dice.chance(0.3):
        filler = dice.choice((solids.voxels, solids.spheres))(case)
        filler.get("spheres", {}).pop("kind", None)
        made |= filler
    return made


def two_fluids_pores(case):
    """With pressures one after the other, each of two checks, if the lower face takes them."""
    dice, boundaries = case.dice, case.settings.get("boundaries", {})
    kinds = {axis: [boundaries.get(axis + end, {}).get("kind", "no_slip") for end in ("_low", "_high")] for axis in "xyz"}
    ways = [axis for axis in "xyz" if not {"no_slip", "free_slip"} & set(kinds[axis])]
    pressed = [axis for axis in ways if kinds[axis] == ["pressure", "pressure"]]
    if not ways:
        return {}
    axis = dice.choice(pressed or ways)
    made = {"axis": axis, "interval": dice.randint(1, 7)}
    if dice.chance(0.3):
        begin = dice.randint(0, case.settings["domain"]["cells"]["xyz".index(axis)] - 1)
        made |= {"begin": begin, "end": dice.randint(begin + 1, case.settings["domain"]["cells"]["xyz".index(axis)])}
    if axis in pressed and dice.chance(0.7):
        first = boundaries[axis + "_low"].pop("pressure")
        made |= {"tolerance": 0.99, "pressures": {"first": first, "last": 0.5 * first, "count": dice.randint(2, 3)}}
    elif dice.chance(0.3):
        made |= {"tolerance": dice.choice((0.5, 0.99))}
    if case.settings["two_fluids"].get("force", (0, 0, 0))["xyz".index(axis)] != 0:
        made |= {"permeability": dice.number(0.1, 10)}
    return made


def two_fluids_faces(case, names):
    dice = case.dice
    if dice.chance(0.3):
        return {name: {"kind": "periodic"} for name in names}
    if dice.chance(0.3): # fluid flows through
        return {names[0]: two_fluids_opening(case, names[0], "velocity"), names[1]: two_fluids_opening(case, names[1], "pressure")}
    if dice.chance(0.3):
        return {name: two_fluids_opening(case, name, "pressure") for name in names}
    made = {name: {"kind": dice.choice(("no_slip", "free_slip"))} for name in names}
    for name in names:
        if made[name]["kind"] == "no_slip" and dice.chance(0.3):
            made[name]["contact_angle"] = dice.number(30, 150)
    return made


def two_fluids_opening(case, name, kind):
    dice, model = case.dice, case.settings["two_fluids"]
    speed = case.settings["domain"]["spacing"] / model["time_step"]
    made = {"kind": kind} | ({"fluid": dice.choice(("gas", "liquid"))} if dice.chance(0.7) else {})
    if kind == "velocity":
        return made | {"velocity": [speed * dice.number(-0.02, 0.02) for _ in range(3)]}
    return made | {"pressure": model["gas"]["density"] * speed ** 2 * dice.number(-0.01, 0.01)}


# ---- two phases -------------------------------------------------------------------------------------

def two_phase(case):
    dice = case.dice
    n, edge, step = cases.cells(dice), dice.choice((1.0, 1e-3)), dice.choice((1.0, 1e-4))
    mass, speed = dice.choice((1.0, 1000.0)), edge / step
    fluids = {name: {"density": mass * density, "viscosity": mass * density * edge * speed * dice.number(0.005, 0.1)}
              for name, density in (("liquid", 1.0), ("gas", dice.choice((0.5, 0.1, 0.01))))}
    made = fluids | {"storage": dice.choice(("f32", "f64")), "time_step": step,
                     "tension": mass * edge * speed ** 2 * dice.number(0, 0.02),
                     "shapes": [shape(dice, n, edge, speed) for _ in range(dice.randint(0, 3))]}
    for key, value in (("fluid", "liquid"), ("sharpness", dice.number(1.5, 3.5)), ("pressure_cycles", dice.randint(2, 5)), ("pressure_tolerance", 10 ** dice.number(-7, -4)),
                       ("contact_angle", dice.number(30, 150)), ("courant", dice.number(0.02, 0.3)),
                       ("gravity", [speed / step * dice.number(-1e-3, 1e-3) for _ in range(3)]),
                       ("velocity", [speed * dice.number(-0.1, 0.1) for _ in range(3)])):
        if dice.chance(0.4):
            made[key] = value
    case.settings |= {"steps": cases.steps(dice, 20), "domain": {"cells": n, "spacing": edge}, "two_phase": made}
    faces(case, lambda names: two_phase_faces(dice, n["xyz".index(names[0][0])], names))
    flow_into(dice, speed, case.settings.get("boundaries", {}))
    if made := wetted_solids(case):
        case.settings["geometry"] = made
    finish(case, [prefix + name for prefix in ("", "mean_", "rms_")
                  for name in ("fraction", "pressure", "velocity_x", "velocity_z", "face_velocity_y", "advection_z", "surface")])
    if dice.chance(0.4):
        case.settings["end_time"] = step * dice.number(1, 18)
    if dice.chance(0.4):
        case.settings["output"] |= {"every": 0, "interval": step * dice.number(0.4, 6)}
    return "two phases"


def two_phase_faces(dice, cells, names):
    if cells == 1 or dice.chance(0.3):
        return {name: {"kind": "periodic"} for name in names}
    made = {name: {"kind": dice.choice(("no_slip", "free_slip", "outflow") if cells > 3 else ("no_slip", "free_slip"))} for name in names}
    for face in made.values():
        if face["kind"] == "no_slip" and dice.chance(0.5):
            face["contact_angle"] = dice.number(30, 150)
        if face["kind"] == "outflow" and dice.chance(0.5):
            face["fluid"] = dice.choice(("gas", "liquid"))
    return made


def flow_into(dice, speed, faces):
    """Makes a face one that fluid flows in through, if it can leave through another."""
    outflows = [name for name, face in faces.items() if face.get("kind") == "outflow"]
    others = [name for name, face in faces.items() if face.get("kind") in ("no_slip", "free_slip", "outflow") and [name] != outflows]
    if not outflows or not others or dice.chance(0.3):
        return
    name = dice.choice(others)
    velocity = [speed * dice.number(-0.05, 0.05) for _ in range(3)]
    velocity["xyz".index(name[0])] = speed * dice.number(0.01, 0.1) * (-1 if name.endswith("high") else 1)
    faces[name] = {"kind": "inflow", "fluid": dice.choice(("gas", "liquid")), "velocity": velocity}


# ---- Himeno's benchmark -----------------------------------------------------------------------------

def himeno(case):
    dice = case.dice
    case.settings |= {"steps": dice.randint(1, 7), "himeno": {"size": "XS"}}
    finish(case, ["pressure", "mean_pressure", "rms_pressure"])
    case.settings["monitor"]["every"] = dice.choice((0, 0, 5, 1))
    return "himeno"
