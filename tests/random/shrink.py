"""Makes a case small while a way still gives other results: drops keys, steps and cells."""
import copy


def paths(settings, at=()):
    """All keys and elements of lists, groups before what is in them."""
    items = settings.items() if isinstance(settings, dict) else enumerate(settings)
    for key, value in list(items):
        yield at + (key,)
        if isinstance(value, dict) or isinstance(value, list) and value and isinstance(value[0], dict):
            yield from paths(value, at + (key,))


def without(settings, path):
    """A copy without that key; None if it has none."""
    made = copy.deepcopy(settings)
    group = made
    for key in path[:-1]:
        try:
            group = group[key]
        except (KeyError, IndexError):
            return None
    try:
        del group[path[-1]]
    except (KeyError, IndexError):
        return None
    return made


def smaller(settings):
    """Copies with fewer steps, or fewer cells along an axis."""
    for steps in (1, 2, 3, settings["steps"] // 2, settings["steps"] - 1):
        if 0 < steps < settings["steps"]:
            yield settings | {"steps": steps}
    for axis in range(3) if "domain" in settings else ():
        n = settings["domain"]["cells"]
        for fewer in (1, 2, 3, n[axis] // 2, n[axis] - 1):
            if 0 < fewer < n[axis]:
                yield settings | {"domain": settings["domain"] | {"cells": [fewer if a == axis else k for a, k in enumerate(n)]}}


def shrink(settings, still_differs):
    """Returns the smallest settings found; still_differs: a function of settings."""
    changed = True
    while changed:
        changed = False
        for path in list(paths(settings)):
            made = without(settings, path)
            if made is not None and still_differs(made):
                settings, changed = made, True
        for made in smaller(settings):
            if still_differs(made):
                settings, changed = made, True
                break
    return settings
