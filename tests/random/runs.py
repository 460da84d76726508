"""Runs of cases in their folders."""
import os
import re
import shlex
import signal
import subprocess
import tempfile

import wabe
from wabe.running import MPIRUN

LIMIT = 120  # seconds after which a run hangs
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_pml": "ob1",
               "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_mpi_yield_when_idle": "1", "OMP_WAIT_POLICY": "passive",
               "WABE_LIVE": "0"}
REFUSED, DIVERGED, MEMORY, NOT_CONVERGED = 2, 3, 4, 5  # exit codes (core/base/status.h)


class Outcome:
    """What became of the run of a way: its last exit code, None if it hung; what it said; where its results are."""

    def __init__(self, code, said, folder):
        self.code, self.said, self.folder = code, said, folder
        self.half_way = False  # a run diverged that another one was to continue: it was looked at in another step

    @property
    def broken(self):
        """Has it done what no input may cause?"""
        return self.code not in (0, REFUSED, DIVERGED, NOT_CONVERGED) or "internal error" in self.said

    @property
    def refused(self):
        return self.code == REFUSED and not self.broken

    @property
    def message(self):
        """What it said when it failed, without what differs from case to case."""
        lines = self.said.splitlines()
        line = next((line for line in lines if line.startswith("wabe: ")), lines[-1] if lines else "nothing")
        short = re.sub(r"^wabe: (case\.cfg:\d+: )?", "", line)
        return re.sub(r"\d+(\.\d+)?(e-?\d+)?", "N", short)[:150]


def write(case, folder):
    """Writes the input file and the files that it names."""
    folder.mkdir(parents=True)
    for name, write_file in case.files.items():
        write_file(folder / name)
    for name, settings in (("case.cfg", case.settings), ("before.cfg", case.before)):
        if settings is not None:
            (folder / name).write_text("".join(f"{key} = {wabe.setting(value)};\n" for key, value in settings.items()))


class Runner:
    """Starts the program in the folder of a case; commands.sh there collects the commands."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def before(self):
        """The run from whose fields the case starts."""
        return self.start("before.cfg", "before", {}, 1, {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}, ())

    def follow(self, way, name):
        """Runs all stages of a way into the folder of that name."""
        for stage in way.stages:
            outcome = self.take(stage, name, self.limit(stage, name) if stage.window else {})
            if outcome.code != 0 and not (stage.may_end_early and outcome.code == NOT_CONVERGED):
                outcome.half_way = outcome.code == DIVERGED and stage is not way.stages[-1]
                break
        return outcome

    def limit(self, stage, name):
        """The setting that limits the memory of a GPU: how much is needed says a run that has next to none."""
        asked = self.take(stage, name, {"parallel.device_memory_limit": 1e-7})
        least = re.search(r"a streamed slab needs (\S+) GB", asked.said)
        return {"parallel.device_memory_limit": float(f"{float(least[1]) * stage.window:.4g}")} if least else {}

    def take(self, stage, name, more):
        environment = {"OMP_NUM_THREADS": str(stage.threads)} | stage.environment
        if not stage.real_gpu:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        return self.start("case.cfg", name, stage.settings | more, stage.ranks, environment, stage.arguments)

    def start(self, file, name, settings, ranks, environment, arguments):
        command = [*MPIRUN, str(ranks)] if ranks > 1 else []
        command += [self.program, "run", file, "--quiet", "--set", f'output.directory="{name}"']
        for key, value in settings.items():
            command += ["--set", f"{key}={wabe.setting(value)}"]
        command += arguments
        with (self.folder / "commands.sh").open("a") as log:
            log.write(" ".join(f"{key}={shlex.quote(value)}" for key, value in environment.items()) + f" {shlex.join(command)}\n")
        with tempfile.TemporaryDirectory(prefix="wabe_") as sessions:  # those of Open MPI may not be shared
            code, said = run(command, self.folder, dict(os.environ, **ENVIRONMENT, **environment, TMPDIR=sessions))
        (self.folder / f"{name}.txt").write_text(said)
        return Outcome(code, said, self.folder / name)


def run(command, folder, environment):
    """Returns exit code and output; kills all of its processes if it hangs."""
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=LIMIT)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return None, said
