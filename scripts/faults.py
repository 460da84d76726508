#!/usr/bin/env python3
"""What happens to a run that is killed, to full disks, damaged checkpoints and the like: does what they are meant to
do, and prints a table of what was expected and what happened.

    scripts/faults.py [--kills 20] [--gpus real|emulated|none] [--only NAME] [--wabe WABE]

The first row: a run that is killed (SIGKILL, one process or all) at random moments, also while it writes, and goes
on with --restart latest, each time on another number of processes, on processors or GPUs, ends with the bits of a run
that nobody has interrupted. Exits with 1 if a row does not hold. A full disk needs the right to mount a small file
system (root); without it that row is skipped ("-"), as is that of a lost GPU with --gpus none.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 30  # seconds within which the death of a process must end all others
CASE = """
name = "trial";
steps = %d;
domain = { cells = [48, 40, 36]; };
lbm = { reynolds = 50.0; velocity = 0.1; };
boundaries = {
    x_low  = { kind = "no_slip"; };
    x_high = { kind = "pressure"; density = 1.001; };
    y_low  = { kind = "no_slip"; };
    y_high = { kind = "no_slip"; };
    z_low  = { kind = "no_slip"; };
    z_high = { kind = "moving_wall"; velocity = [0.1, 0.0, 0.0]; };
};
output = { profiles = false; };
monitor = { every = 1000; };
"""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--kills", type=int, default=20)
parser.add_argument("--steps", type=int, default=20000, help="of the run that is killed; on GPUs a million")
parser.add_argument("--gpus", choices=["real", "emulated", "none"], default="emulated")
parser.add_argument("--only", default="", metavar="NAME", help="rows whose name contains it")
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
options.wabe = os.path.abspath(options.wabe)
dice = random.Random(options.seed)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0",
                   OMP_NUM_THREADS="1", OMPI_MCA_pml="ob1")


class Run:
    """A run in the current folder, in its own session; said: its output after wait."""

    def __init__(self, *arguments, ranks=1, setup=None):
        command = [options.wabe, "run", "case.cfg", *arguments]
        if ranks > 1:
            command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] + command
        self.output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT, env=environment,
                                        stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=setup)

    def wait(self, seconds=120):
        """Returns the exit code; None: it was still running after so many seconds. Then kills what is left of it."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        kill_session(self.process.pid)
        self.output.seek(0)
        self.said = self.output.read()
        return code

    def workers(self):
        """Returns the process ids of wabe itself, without mpirun."""
        return [pid for pid in pids_of_session(self.process.pid) if command_of(pid) == options.wabe]


def pids_of_session(session):
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.getsid(int(name)) == session:
                found.append(int(name))
        except OSError:
            pass
    return found


def command_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid) as file:
            return file.read().split("\0")[0]
    except OSError:
        return ""


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def kill_session(session):
    for pid in pids_of_session(session):
        kill(pid)


def run(*arguments, **how):
    r = Run(*arguments, **how)
    return r.wait(), r.said


def results(folder="out/trial"):
    with open(os.path.join(folder, "results.json")) as file:
        return json.load(file)


def checkpoints(folder="out/trial"):
    return sorted(name for name in os.listdir(folder) if re.fullmatch(r"checkpoint_\d+\.h5", name))


def wait_for(what, seconds=60):
    begin = time.time()
    while not what():
        if time.time() - begin > seconds:
            return False
        time.sleep(0.01)
    return True


def write_case(steps):
    shutil.rmtree("out", ignore_errors=True)
    with open("case.cfg", "w") as file:
        file.write(CASE % steps)


def right_hash(steps):
    write_case(steps)
    code, said = run("--quiet")
    if code != 0:
        sys.exit("faults.py: a run that nobody interrupts fails:\n" + said)
    value = results()["state_hash"]
    shutil.rmtree("out")
    return value


# ---- faults ---------------------------------------------------------------------------------------------------------

def way_to_run():
    """Chooses a number of processes and their hardware at random."""
    ranks = dice.choice([1, 2, 3])
    ways = [[]]
    if options.gpus == "emulated":
        ways += [["--set", "node.emulated_gpus=%d" % ranks],
                 ["--set", "node.emulated_gpus=%d" % ranks, "--set", "parallel.mode=heterogeneous"]]
    if options.gpus == "real":
        ranks = dice.choice([1, 2]) if len(gpus_here()) > 1 else 1
        ways += [["--set", "parallel.mode=pure-mpi"], ["--set", "parallel.mode=heterogeneous"]]
        ways[0] = ["--set", "node.components=(%s)" % ",".join(['{kind="cpu";threads=1;}'] * ranks)]
    return ranks, dice.choice(ways) + ["--set", "lbm.streaming=" + dice.choice(["pull", "in_place", "list"])]


def gpus_here():
    found = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return found.stdout.splitlines()


def wait_to_kill(r, ranks, early):
    """Waits for a random time after the start or the first checkpoint, which may come late on a busy machine."""
    before = newest()
    wait_for(lambda: len(r.workers()) == ranks or r.process.poll() is not None)
    if not early:
        wait_for(lambda: newest() > before or r.process.poll() is not None, 100)
    time.sleep(dice.uniform(0.0, 0.6))


def newest():
    return checkpoints()[-1] if os.path.isdir("out/trial") and checkpoints() else ""


def killed_at_random():
    """Kills all processes of a run, or one of them; only the last run may end."""
    right, kills, ways = right_hash(options.steps), 0, set()
    while True:
        ranks, way = way_to_run() if kills < options.kills else (1, [])
        ways.add((ranks, " ".join(way)))
        r = Run("--quiet", "--restart", "latest", "--set", "checkpoint.minutes=0.002", *way, ranks=ranks)
        if kills < options.kills:
            wait_to_kill(r, ranks, early=kills > 0 and dice.random() < 0.3)
        workers = r.workers()
        if kills == options.kills or not workers:
            break
        for pid in workers if dice.random() < 0.5 else [dice.choice(workers)]:
            kill(pid)
        kills += 1
        if r.wait(LIMIT) is None:
            return "processes were still there %d s after one was killed" % LIMIT, False
    code = r.wait(600)
    if code != 0:
        return "after %d kills code %s: %s" % (kills, code, r.said.strip()[-300:]), False
    first = results()["first_step"]
    same = results()["state_hash"] == right and results()["steps"] == options.steps
    what = "%d kills, %d ways to run, last from step %d: %s" % (kills, len(ways), first,
                                                                "same bits" if same else "OTHER BITS")
    if kills < options.kills or first == 0:
        return what + "; too short a run for so many kills: --steps", False
    return what, same


def signalled(number):
    """Sends a signal to all processes; then compares some further steps with an uninterrupted run."""
    write_case(10000000)
    r = Run("--quiet", ranks=2)
    wait_for(lambda: len(r.workers()) == 2)
    time.sleep(1.0)
    for pid in r.workers():
        kill(pid, number)
    code = r.wait(LIMIT)
    if code != 0 or results()["status"] != "interrupted" or len(checkpoints()) != 1:
        return "code %s: %s" % (code, r.said.strip()[-200:]), False
    step = results()["steps"]
    code, said = run("--quiet", "--restart", "latest", "--set", "steps=%d" % (step + 100))
    if code != 0 or results()["first_step"] != step:
        return "after step %d, but the restart: code %s: %s" % (step, code, said.strip()[-200:]), False
    same = results()["state_hash"] == right_hash(step + 100)
    return "interrupted after step %d, goes on with %s" % (step, "the same bits" if same else "OTHER BITS"), same


def stopped_by_the_clock():
    write_case(10000000)
    code, said = run("--set", "checkpoint.stop_after=0.03", ranks=2)
    holds = code == 0 and results()["status"] == "interrupted" and len(checkpoints()) == 1
    return "code %s, %s" % (code, results()["status"]) + ("" if holds else ": " + said[-200:]), holds


def one_rank_dies():
    write_case(10000000)
    r = Run("--quiet", "--set", "checkpoint.every=50", ranks=3)
    wait_for(lambda: len(r.workers()) == 3)
    wait_for(lambda: os.path.isdir("out/trial") and checkpoints())
    begin = time.time()
    kill(dice.choice(r.workers()))
    code = r.wait(LIMIT)
    seconds = time.time() - begin
    status = results()["status"]  # no process was left to change it
    again, said = run("--quiet", "--restart", "latest", "--set", "steps=%d" % (1 + int(checkpoints()[-1][11:19])))
    holds = code not in (None, 0) and status == "running" and again == 0 and results()["status"] == "done"
    return "others ended after %.1f s, code %s, status %s; restart: code %d" % (seconds, code, status, again), holds


def damaged(how):
    """Damages the latest of two checkpoints."""
    write_case(40)
    run("--quiet", "--set", "checkpoint.every=20")
    newest = os.path.join("out/trial", checkpoints()[-1])
    size = os.path.getsize(newest)
    with open(newest, "r+b") as file:
        if how == "truncated":
            file.truncate(int(size * dice.uniform(0.1, 0.95)))
        elif how == "empty":
            file.truncate(0)
        else:
            at = int(size * dice.uniform(0.05, 0.95))
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << dice.randrange(8)]))
    code, said = run("--restart", "latest", "--set", "steps=60")
    first = results()["first_step"]
    holds = code == 0 and first == 20 and "skipped" in said
    return "code %s, goes on from step %d%s" % (code, first, ", says what it skipped" if "skipped" in said else ""), holds


def full_disk():
    write_case(400)
    os.makedirs("out")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", "out"], capture_output=True,
                      check=False).returncode != 0:
        return "skipped: no right to mount a small file system", None
    try:
        code, said = run("--set", "checkpoint.every=20", "--set", "checkpoint.keep=9", "--set", "output.every=20", ranks=2)
        there = checkpoints()
        found = [name for name in os.listdir("out/trial") if name.endswith(".part")]
        subprocess.run(["mount", "-o", "remount,size=100m", "out"], check=True)
        again, later = run("--restart", "latest", "--set", "steps=%d" % (20 + int(there[-1][11:19])))
        holds = code == 6 and "No space left" in said and there and not found and again == 0
        return "code %s, %d checkpoints stay, message %s; with room again: code %d" % (
            code, len(there), "names the file and why" if "No space left" in said else said[-200:], again), bool(holds)
    finally:
        subprocess.run(["umount", "out"], check=False)


def no_checkpoint():
    write_case(40)
    small = ["--set", "output.fields=false", "--overwrite"]

    def limit():  # a limit on file sizes that only checkpoints exceed
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    code, said = run(*small, "--set", "checkpoint.every=20", setup=limit)
    stop, why = run(*small, "--set", "steps=10000000", "--set", "checkpoint.stop_after=0.03", setup=limit)
    warned = "has no checkpoint" in said
    return "code %s%s; by the clock: code %s" % (code, ", a warning before" if warned else "", stop), \
        code == 6 and warned and stop == 6 and "File too large" in why


def too_little_memory():
    """Restarts with less and less memory, until it is too little."""
    write_case(4)
    large = ["--quiet", "--set", "domain.cells=[100,100,100]", "--set", "output.fields=false"]
    run(*large, "--set", "checkpoint.every=2")
    before, code, said, room = checkpoints(), 0, "", 1200
    while code == 0 and room > 200:
        room -= 200
        limits = (room << 20, room << 20)
        code, said = run(*large, "--restart", "latest", "--set", "steps=6",
                         setup=lambda: resource.setrlimit(resource.RLIMIT_AS, limits))
    again, _ = run(*large, "--restart", "latest", "--set", "steps=6")
    holds = code not in (0, None) and set(before) <= set(checkpoints()) and again == 0
    return "with %d MB code %s: %s; with all of it code %s" % (
        room, code, said.strip().splitlines()[-1][:60] if said.strip() else "", again), holds


def gpu_gone():
    """Continues a run on a GPU without it; None: not tried."""
    if options.gpus == "none":
        return "skipped: --gpus none", None
    right = right_hash(60)
    write_case(40)
    run("--quiet", "--set", "checkpoint.every=20", *(["--set", "node.emulated_gpus=1"] if options.gpus == "emulated" else []))
    kind = results()["components"][0]["kind"]
    environment["CUDA_VISIBLE_DEVICES"] = ""
    code, said = run("--quiet", "--restart", "latest", "--set", "steps=60")
    del environment["CUDA_VISIBLE_DEVICES"]
    same = code == 0 and results()["state_hash"] == right and results()["components"][0]["kind"] == "cpu"
    return "from %s to processors, %s" % (kind, "same bits" if same else said.strip()[-200:]), same and kind == "gpu"


def other_physics():
    write_case(40)
    run("--quiet", "--set", "checkpoint.every=20")
    code, said = run("--restart", "latest", "--set", "steps=60", "--set", "lbm.reynolds=60")
    return "code %s, %s" % (code, "names the key" if "lbm.reynolds" in said else said[-100:]), \
        code == 2 and "lbm.reynolds" in said


ROWS = [
    ("killed at random moments", "the bits of an uninterrupted run", killed_at_random),
    ("SIGTERM", "checkpoint, code 0, interrupted", lambda: signalled(signal.SIGTERM)),
    ("SIGUSR1", "checkpoint, code 0, interrupted", lambda: signalled(signal.SIGUSR1)),
    ("time limit", "checkpoint, code 0, interrupted", stopped_by_the_clock),
    ("one of three ranks dies", "the others end, restart works", one_rank_dies),
    ("checkpoint truncated", "the one before is taken", lambda: damaged("truncated")),
    ("checkpoint empty", "the one before is taken", lambda: damaged("empty")),
    ("checkpoint, a bit flipped", "the one before is taken", lambda: damaged("flipped")),
    ("disk full", "code 6, nothing valid is lost", full_disk),
    ("checkpoint cannot be made", "a warning; code 6 for the last one", no_checkpoint),
    ("too little memory", "an error, nothing is lost", too_little_memory),
    ("the GPU is gone", "goes on with processors, same bits", gpu_gone),
    ("other physics", "code 2, the key named", other_physics),
]


def main():
    rows = [row for row in ROWS if options.only in row[0]]
    good = True
    if not os.access(options.wabe, os.X_OK) or not rows:
        sys.exit("faults.py: " + ("no row has '%s' in its name" % options.only if not rows else
                                  "%s is not there: build it, or name another with --wabe" % options.wabe))
    print("%-26s | %-36s | %-5s | %s" % ("fault", "expected", "holds", "what happened"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, expected, inject in rows:
            try:
                happened, holds = inject()
            except (OSError, ValueError, KeyError, IndexError) as error:
                happened, holds = "%s: %s" % (type(error).__name__, error), False
            good &= holds is not False
            print("%-26s | %-36s | %-5s | %s" % (name, expected, "-" if holds is None else "yes" if holds else "NO", happened), flush=True)
        os.chdir("/")
    sys.exit(0 if good else 1)


main()
