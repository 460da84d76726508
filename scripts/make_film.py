#!/usr/bin/env python3
"""Makes a film of the pictures that a run has drawn of a part of its domain (output.parts with format = "png").

    scripts/make_film.py OUT_DIR NAME [--rate PICTURES_PER_SECOND] [--output FILE]

FILE defaults to NAME.gif in OUT_DIR; any browser shows it, whole hundredths of a second for a picture. FILE.mp4 needs ffmpeg. Give the part colours of its own
(low, high): otherwise those of each picture have another meaning. Needs Python with Pillow (Debian: python3-pil, for
/usr/bin/python3).
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from packages import need

need("PIL")

from PIL import Image


def pictures_of(folder, name):
    """The pictures of a part in the order of their steps."""
    found = {}
    for path in folder.glob(f"{name}_*.png"):
        step = re.fullmatch(re.escape(name) + r"_(\d{8,})\.png", path.name)
        if step:
            found[int(step.group(1))] = path
    return [found[step] for step in sorted(found)]


def write_gif(pictures, rate, output):
    frames = [Image.open(path).convert("P", palette=Image.Palette.ADAPTIVE) for path in pictures]
    hundredths = max(2, round(100.0 / rate))  # browsers take less for ten
    frames[0].save(output, save_all=True, append_images=frames[1:], duration=10 * hundredths, loop=0)


def leave(text):
    sys.exit(f"{Path(sys.argv[0]).name}: {text}")


def check_film(output):
    """Ends the script if a film of this name cannot be written."""
    if output.suffix not in (".gif", ".mp4"):
        leave(f"{output}: must end with .gif or .mp4")
    if output.suffix == ".mp4" and not shutil.which("ffmpeg"):
        leave("there is no ffmpeg here, which an mp4 needs: install it, or write a .gif")


def write_mp4(pictures, rate, output):
    """ffmpeg reads the pictures from its input, since their steps are no sequence of numbers; players want even sides."""
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", str(rate), "-c:v", "png", "-i", "-",
               "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        try:
            for path in pictures:
                encoder.stdin.write(path.read_bytes())
            encoder.stdin.close()
        except BrokenPipeError:  # it says why
            pass
        if encoder.wait() != 0:
            leave(f"ffmpeg failed with code {encoder.returncode}")


def write_film(pictures, rate, output):
    """Writes files of pictures as a film."""
    (write_mp4 if output.suffix == ".mp4" else write_gif)(pictures, rate, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--rate", type=float, default=15.0)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    output = given.output or given.folder / f"{given.name}.gif"
    pictures = pictures_of(given.folder, given.name)
    if given.rate <= 0:
        leave("--rate must be above 0")
    if not pictures:
        leave(f"{given.folder}: there are no pictures {given.name}_STEP.png")
    check_film(output)
    write_film(pictures, given.rate, output)
    print(output)


if __name__ == "__main__":
    main()
