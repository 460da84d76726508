"""Input files: reads them into dicts, and writes dicts as input files."""
import math
import numbers
import os
import re
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

import numpy

BLANK = r"(?:\s|(?:#|//)[^\n]*|/\*.*?\*/)*"
TOKEN = re.compile(BLANK + r'("(?:[^"\\\n]|\\.)*"|[-+.*\w]+|[=:,;{}()\[\]]|$)', re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}


def unquoted(token):
    def character(found):
        return chr(int(found[2], 16)) if found[2] else ESCAPES.get(found[1], found[1])

    return re.sub(r"\\(x([0-9a-fA-F]{2})|.)", character, token[1:-1])


def parse(text):
    """Parses the text of an input file, such as config.resolved.cfg: groups become dicts, arrays and lists become
    lists. Raises ValueError on a syntax error; wabe check reports details."""
    text, at, token = text.removeprefix("\ufeff"), 0, None

    def advance():
        nonlocal at, token
        last, found = token, TOKEN.match(text, at)
        if not found:
            raise ValueError(f"line {text.count(chr(10), 0, at) + 1} is not that of an input file")
        at, token = found.end(), found[1]
        return last

    def value():
        first = advance()
        if first in ("(", "["):
            items = []
            while token not in (")", "]", ""):
                items.append(value())
                if token == ",":
                    advance()
            advance()
            return items
        if first == "{":
            return group("}")
        if first[:1] == '"':
            return unquoted(first) + (value() if token[:1] == '"' else "")  # adjacent texts are one text
        if first.lower() in ("true", "false"):
            return first.lower() == "true"
        number = first.rstrip("L")
        return int(number, 0) if re.fullmatch(r"[-+]?(\d+|0[xX][0-9a-fA-F]+)", number) else float(number)

    def group(end):
        settings = {}
        while token not in (end, ""):
            name = advance()
            advance()  # '='
            settings[name] = value()
            if token in (";", ","):
                advance()
        advance()
        return settings

    advance()
    return group("")


def setting(value, name=""):
    """Formats a value as in input files and --set: numbers, texts, dicts, and lists of them, also of numpy. Raises
    ValueError for what no input file can hold; name: the value's, for the message."""
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral) and abs(value) < 2**63:
        return str(int(value))
    if isinstance(value, numbers.Real) and math.isfinite(value) and not isinstance(value, numbers.Integral):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return '"' + re.sub(r'["\\\0-\x1f\x7f]', lambda c: "\\" + c[0] if c[0] in '"\\' else f"\\x{ord(c[0]):02X}",
                            os.fspath(value)) + '"'
    if isinstance(value, Mapping):
        return "{ " + " ".join(f"{key} = {setting(item, inner)};" for key, inner, item in entries(value, name)) + " }"
    if not isinstance(value, Iterable) or isinstance(value, (bytes, bytearray, Set)):
        raise ValueError(f"{name + ': ' if name else ''}{value!r} cannot be in an input file, only true and false, texts, "
                         "finite numbers, integers of 64 bits, and lists and dicts of these")
    items = [setting(item, f"{name}[{i}]") for i, item in enumerate(value)]
    marks = "()" if not items or items[0].startswith("{") else "[]"
    return marks[0] + ", ".join(items) + marks[1]


def entries(settings, name):
    """Yields each key of a dict with its key path and its value."""
    for key, value in settings.items():
        if not isinstance(key, str) or not re.fullmatch(r"[A-Za-z*][-\w*]*", key, re.ASCII):
            raise ValueError(f"{name + ': ' if name else ''}{key!r} cannot be a key of an input file: a key is a letter, then letters, "
                             "digits, - and _; a group of settings is a dict in the dict")
        yield key, f"{name}.{key}" if name else key, value


def lines(settings, name="", indent=""):
    """Yields the lines of an input file, one for each value, so that the line in a message tells which."""
    for key, inner, value in entries(settings, name):
        if isinstance(value, Mapping):
            yield f"{indent}{key} = {{"
            yield from lines(value, inner, indent + "    ")
            yield f"{indent}}};"
        else:
            yield f"{indent}{key} = {setting(value, inner)};"


def write(settings, path):
    """Writes a dict as an input file, and creates its folder. ValueError: see setting; then nothing is written."""
    text = "".join(line + "\n" for line in lines(settings))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, errors="surrogateescape")
