"""Which keys of the input reference random cases use, and which words as their values: each one that a run may have, but
those named here."""
import re
import subprocess

# Keys, and words as values of keys, that no case has, and why.
EXCEPTIONS = {
    "output.directory": "each way has its own",
    "parallel.communication": "none: the results are wrong on purpose",
    "checkpoint.minutes": "by the clock: steps would differ from run to run",
    "checkpoint.stop_after": "by the clock",
    "himeno.seconds": "by the clock",
    "himeno.kernel": "one CPU kernel",
    "node.components[].cores": "names processors of the machine",
    "geometry.bed.porosity": "beds of the size of a case do not reach one that is given",
}
EXCEPTIONS |= {f"himeno.size={size}": "takes too long" for size in ("S", "M", "L", "XL", "1025x513x513", "2049x513x513")}
FACE = re.compile(r"boundaries\.[xyz]_(low|high)")


def generic(path):
    """One name for the keys of all faces, and for all elements of a list."""
    return FACE.sub("boundaries.FACE", re.sub(r"\[\d*\]", "[]", path))


def keys(settings, at=""):
    """The names of all keys in an input file."""
    for key, value in settings.items():
        path = f"{at}{key}"
        if isinstance(value, dict):
            yield from keys(value, path + ".")
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
            yield generic(path)
            for item in value:
                yield from keys(item, path + "[].")
        else:
            yield generic(path)
            if isinstance(value, str):
                yield f"{generic(path)}={value}"


def reference(program):
    """The names of all keys of an input file, and "KEY=WORD" for the words that they may be but by default, from wabe
    check --reference; machine files are another thing."""
    text = subprocess.run([program, "check", "--reference"], capture_output=True, text=True, check=True).stdout
    found, at = set(), ""
    for line in text.split("\n# Machine files")[0].splitlines():
        if heading := re.match(r"#+ (?:Elements of `(\S+)`|.*)", line):
            at = f"{heading[1]}[]." if heading[1] else ""
        if row := re.match(r"\| `([^`]+)` \|([^|]*)\|([^|]*)\|([^|]*)\|", line):
            key, kind, default, words = generic(at + row[1]), row[2].strip(), row[3], row[4]
            found.add(key)
            if kind == "word":
                found |= {f"{key}={word}" for word in re.findall(r'"([^"]+)"', words) if f'"{word}"' not in default}
    return found


def missing(every, used):
    """Of the keys and words of the reference, those that are neither used nor excepted; and exceptions that it does not have."""
    excepted = {key for key in every if key in EXCEPTIONS or key.split("=")[0] in EXCEPTIONS}
    return sorted(every - excepted - used), sorted(EXCEPTIONS.keys() - every)
