#!/usr/bin/env python3
"""Holds the forecasts of wabe predict against a simulation of the same exchange, message by message.

    scripts/simulate_exchange.py CASE.cfg --machine M.cfg [--nodes 8,64,512] [--cuts 1,3] [--weak] [--steps 10]
        [--order staged|pipelined] [--latency serial|pipelined] [--assume lockstep,taper] [--set KEY=VALUE ...]
        [--wabe PATH] [--output F.csv]

wabe predict says which grid of slabs each number of nodes gets, and what kernels, packing and unpacking take (columns
outer, inner, buffers, sync; of the slowest slab, and so of all). What the exchange takes is not taken from it: all
slabs of all nodes compute and send for some steps, and each message waits for the links that it needs, which serve one
message after the other. All slabs are as large as the largest. Flows only (application = "lbm"), not in mode
heterogeneous, and slabs that fit their memory.

A slab computes its outer region, packs and sends; meanwhile the inner region is computed. Its step ends when that is
done, and all of its neighbours' messages have come and been unpacked; it does not wait for its own to be gone. So
slabs run ahead of one another as far as messages let them. Messages use these links, of the machine file's bandwidth,
each of them in both directions at once if it is duplex, else in one at a time:

    bus       one per GPU. A GPU's message for another node is copied to the host, sent, and copied to the other GPU
    peer      one per GPU, if the machine has it, for GPUs of the same node
    node      one per process, for messages to others of its node
    network   one per node. A message takes both nodes' links (and switches) and is there when it is through the last
    switches  of a tree: tree.nodes / tree.taper links from each lowest switch upwards and as many downwards, each as
              fast as a node's, whichever is free. Switches store what waits: they never hold up a node's link

--order: staged, as comm/exchange.c does it: a GPU's messages leave the host when all of them have been copied there,
and are copied to the receiver when all of its messages have come; pipelined: each as soon as it can.
--latency: serial: a link is occupied for a message's latency too, since machine files have what was measured of one
message at a time; pipelined: it is free for the next one while the last one's latency passes.
--assume makes the simulation simpler, as the model is: lockstep: all slabs begin a step together; taper: a message
that leaves its switch has its nodes' links for tree.taper times as long, and the links above are never short.

Printed: ms a step, from the third one on; deviation: of what was predicted from what was simulated; the busiest: the
link that was occupied for the largest share of the time (network 3 out: of node 3; bus, peer, node: of a slab), or the
kernels. Ties are settled by the slabs' numbers, so results are the same each time. Exit code 1: wabe predict failed.
"""
import argparse
import csv
import heapq
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIELDS = ["nodes", "cut", "grid", "predicted_ms", "simulated_ms", "deviation", "busiest", "share"]
TOKEN = re.compile(r'(?:\s|(?:#|//)[^\n]*|/\*.*?\*/)*("(?:[^"\\\n]|\\.)*"|[-+.*\w]+|[=:,;{}()\[\]]|$)', re.DOTALL)
CUTS = {"none": 0, "1-D": 1, "2-D": 2, "3-D": 3}
DIRECTIONS = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y, z) != (0, 0, 0)]
SIZES = {"f64": 8, "f32": 4, "f16": 2}
MOMENTS = 20  # numbers that kernels of lbm.streaming = "moments" move for a cell
DENSE = 38  # likewise those of pull and in_place; lists move indices, too
EAGER = 4096  # bytes of the messages whose latency is link.eager
WARM = 2  # steps that do not count
BEGIN, PACKED, HOP, DONE = range(4)  # kinds of events: two of slabs, two of messages

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("case", metavar="CASE.cfg")
parser.add_argument("--machine", metavar="M.cfg", required=True)
parser.add_argument("--nodes", default="8,64,512", metavar="N,N,...", help="(8,64,512)")
parser.add_argument("--cuts", default="1,3", metavar="N,N,...", help="numbers of axes that are cut (1,3)")
parser.add_argument("--weak", action="store_true", help="every node gets the cells of the case")
parser.add_argument("--steps", type=int, default=10, help="simulated steps, 4 or more (10)")
parser.add_argument("--order", choices=["staged", "pipelined"], default="staged")
parser.add_argument("--latency", choices=["serial", "pipelined"], default="serial")
parser.add_argument("--assume", default="", metavar="WORD,...", help="lockstep, taper")
parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of wabe predict")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"), metavar="PATH")
parser.add_argument("--output", metavar="F.csv")
options = parser.parse_args()
assumed = set(options.assume.split(",")) - {""}
if not assumed <= {"lockstep", "taper"} or options.steps < WARM + 2:
    parser.error("--assume knows lockstep and taper; --steps needs 4 or more")
if not set(options.cuts.split(",")) <= {"1", "2", "3"}:
    parser.error("--cuts knows 1, 2 and 3")


# ---- input and machine files --------------------------------------------------------------------


def parse(text):
    """Groups become dicts, lists and arrays become lists; wabe predict has found the errors."""
    tokens = [token for token in TOKEN.findall(text) if token]

    def value():
        token = tokens.pop(0)
        if token == "{":
            return group()
        if token in "([":
            return items(")" if token == "(" else "]")
        if token[0] == '"':
            return token[1:-1]
        if token.lower() in ("true", "false"):
            return token.lower() == "true"
        try:
            return float(token.rstrip("L"))
        except ValueError:
            return token

    def items(end):
        found = []
        while tokens[0] != end:
            found.append(value())
            while tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
        return found

    def group():
        found = {}
        while tokens and tokens[0] != "}":
            name = tokens.pop(0)
            if name not in ";,":
                tokens.pop(0)
                found[name] = value()
        del tokens[:1]
        return found

    return group()


def read(path):
    with open(path, encoding="utf-8-sig") as file:
        return parse(file.read())


def get(config, path, default):
    for name in path.split("."):
        if not isinstance(config, dict) or name not in config:
            return default
        config = config[name]
    return config


def read_case():
    config = read(options.case)
    for text in options.set:
        path, _, value = text.partition("=")
        at = config
        *groups, name = path.strip().split(".")
        for group in groups:
            at = at.setdefault(group, {})
        at[name] = parse("value = %s" % value)["value"]
    return config


class Link:
    """Between two places. Without one in the machine file messages take no time."""

    def __init__(self, machine, name):
        values = machine.get(name, {})
        self.there = "bandwidth" in values
        self.byte = 1e-9 / values["bandwidth"] if self.there else 0.0
        self.latency = 1e-6 * values.get("latency", 0.0)
        self.eager = 1e-6 * values.get("eager", 0.0)
        self.duplex = values.get("duplex", False)
        self.at_once = values.get("at_once", False)

    def mix(self, other, share):
        for name in ("byte", "latency", "eager"):
            setattr(self, name, getattr(self, name) + share * (getattr(other, name) - getattr(self, name)))

    def times(self, size):
        """Returns how long a message of so many bytes occupies the link, and how much later it arrives."""
        short = size <= EAGER and self.eager > 0.0
        moving = min(size * self.byte, self.eager) if short else size * self.byte
        late = self.eager - moving if short else self.latency
        return (moving + late, 0.0) if options.latency == "serial" else (moving, late)


class Machine:
    def __init__(self, config, slabs_of_a_node, together):
        self.bus, self.peer, self.node, self.network = (Link(config, name) for name in
                                                        ("bus", "peer", "node", "network"))
        components = {c["kind"]: c for c in config["components"]}
        self.device = "gpu" in components
        cpu = components.get("cpu", {})
        self.cores = int(cpu.get("count", 1) * cpu.get("threads", 1)) if cpu else 0
        self.switched = int(get(config, "tree.nodes", 0))
        self.taper = get(config, "tree.taper", 1.0)
        if "crowd" in config and self.cores > 2 and not together:
            share = min(1.0, max(0.0, (slabs_of_a_node - 2.0) / (self.cores - 2.0)))
            self.node.mix(Link(config, "crowd"), share)


# ---- what wabe predict says ---------------------------------------------------------------------


def predict():
    """Returns the rows of the table and what is printed above it; None: it failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        command = [options.wabe, "predict", options.case, "--machine", options.machine, "--nodes", options.nodes]
        command += ["--csv", path] + (["--weak"] if options.weak else [])
        command += [part for text in options.set for part in ("--set", text)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            parser.error("%s: %s" % (options.wabe, error.strerror))
        if done.returncode:
            print("simulate_exchange.py: %s\n%s" % (" ".join(command), done.stderr), file=sys.stderr)
            return None
        with open(path, newline="") as file:
            return list(csv.DictReader(file)), done.stdout


def triple(text):
    return [int(part) for part in text.split(" x ")]


class Case:
    """What messages depend on, beside the machine."""

    def __init__(self, config, head):
        mode, per_node, what = re.search(r"^mode +(\S+): (\d+) (slab|process)", head, re.MULTILINE).groups()
        if config.get("application") != "lbm":
            parser.error("%s: only application = \"lbm\" is simulated" % options.case)
        if mode == "heterogeneous":
            parser.error("parallel.mode = \"heterogeneous\" is not simulated")
        self.per_node, self.together = int(per_node), what == "slab"
        self.overlap = get(config, "parallel.overlap", True)
        self.through_host = get(config, "parallel.transport", "any") == "host"
        self.number = SIZES[get(config, "lbm.storage", "f64")]
        self.periodic = [get(config, "boundaries.%s_low.kind" % axis, "periodic") == "periodic" for axis in "xyz"]
        moved = int(re.search(r"^kernel +moves (\d+) B", head, re.MULTILINE)[1])
        self.moments = moved == MOMENTS * self.number
        fluid = re.search(r"([\d.]+) of them fluid", head)
        is_list = moved not in (MOMENTS * self.number, DENSE * self.number)
        self.fluid = float(fluid[1]) if fluid and is_list else 1.0

    def size(self, cells, e):
        """Bytes that cross a face, an edge or a corner of a slab."""
        numbers = 10 if self.moments else (5, 1, 0)[sum(map(abs, e)) - 1]
        return self.number * self.fluid * numbers * math.prod(1 if d else n for d, n in zip(e, cells))


# ---- the simulation -----------------------------------------------------------------------------


class Message:
    """One of those that a slab sends each step. stages: one after the other; each is a row of links that the message is
    on at the same time: (link's number, seconds, seconds by which it arrives later, direction if latency is shared)."""

    def __init__(self, source, target, size):
        self.source, self.target, self.size = source, target, size
        self.stages, self.down, self.up = [], False, False


class Simulation:
    def __init__(self, case, machine, row):
        self.case, self.machine = case, machine
        self.grid = triple(row["grid"])
        self.count = math.prod(self.grid)
        self.cells = [-(-n // slabs) for n, slabs in zip(triple(row["domain"]), self.grid)]
        part = {name: 1e-3 * float(row[name]) for name in ("outer", "inner", "buffers", "sync")}
        self.outer, self.inner, self.unpack = part["outer"], part["inner"], 0.5 * part["buffers"]
        self.pack = max(0.0, self.unpack + part["sync"])
        self.threads = max(1, machine.cores // case.per_node)
        self.free, self.busy, self.names, self.numbers, self.paid = [], [], [], {}, {}
        self.sent = [self.messages_of(slab) for slab in range(self.count)]
        self.make_counters()

    # -- messages and the links that they use

    def at(self, slab):
        x, y, _ = self.grid
        return slab % x, slab // x % y, slab // (x * y)

    def node_of(self, slab):
        """Processes are numbered x first; the slabs of one process are cut from its block along z."""
        x, y, z = self.at(slab)
        per_node = self.case.per_node
        return (x + self.grid[0] * (y + self.grid[1] * (z // per_node))) if self.case.together else slab // per_node

    def neighbour(self, slab, e):
        """None: there is none."""
        to = []
        for at, d, slabs, periodic in zip(self.at(slab), e, self.grid, self.case.periodic):
            if not periodic and not 0 <= at + d < slabs:
                return None
            to.append((at + d) % slabs)
        return to[0] + self.grid[0] * (to[1] + self.grid[1] * to[2])

    def messages_of(self, slab):
        """All data for a neighbour are one message; across periodic faces a slab may be its own neighbour."""
        sizes = {}
        for e in DIRECTIONS:
            to, size = self.neighbour(slab, e), self.case.size(self.cells, e)
            if to is not None and to != slab and size > 0.0:
                sizes[to] = sizes.get(to, 0.0) + size
        messages = [Message(slab, to, size) for to, size in sizes.items()]
        for message in messages:
            self.find_way(message)
        return messages

    def link(self, kind, owner, outward, duplex, servers=1):
        """Returns the number of a link, which is one for each direction if it is duplex."""
        key = (kind, owner, outward if duplex else None)
        if key not in self.numbers:
            self.numbers[key] = len(self.free)
            self.free.append([0.0] * servers)
            self.busy.append(0.0)
            self.names.append("%s %d%s" % (kind, owner, (" out" if outward else " in") if duplex else ""))
        return self.numbers[key]

    def pair(self, kind, link, a, b, size):
        hold, late = link.times(size)
        return [(self.link(kind, a, True, link.duplex), hold, late, None),
                (self.link(kind, b, False, link.duplex), hold, late, None)]

    def copy(self, slab, outward, size):
        bus = self.machine.bus
        hold, late = bus.times(size)
        return [(self.link("bus", slab, outward, bus.duplex), hold, late, outward if bus.at_once else None)]

    def peer(self, a, b, size):
        link = self.machine.peer
        ways = self.pair("peer", link, a, b, size)
        return [hop[:3] + (direction,) for hop, direction in zip(ways, (True, False))] if link.at_once else ways

    def network(self, a, b, size):
        m = self.machine
        far = m.switched > 0 and a // m.switched != b // m.switched
        out, into = self.pair("network", m.network, a, b, size)
        if not far:
            return [out, into]
        if "taper" in assumed:
            more = (m.taper - 1.0) * size * m.network.byte
            return [(number, hold + more, late, None) for number, hold, late, _ in (out, into)]
        servers = max(1, round(m.switched / m.taper))
        hold = size * m.network.byte * servers * m.taper / m.switched
        return [out, (self.link("switch", a // m.switched, True, True, servers), hold, 0.0, None),
                (self.link("switch", b // m.switched, False, True, servers), hold, 0.0, None), into]

    def find_way(self, message):
        a, b, size, m = message.source, message.target, message.size, self.machine
        same = self.node_of(a) == self.node_of(b)
        if same and m.device and m.peer.there and not self.case.through_host:
            message.stages = [self.peer(a, b, size)]
            if not self.case.together:
                message.stages.append(self.pair("node", m.node, a, b, 0.0))
            return
        if not same:
            message.stages = [self.network(self.node_of(a), self.node_of(b), size)]
        elif not self.case.together:
            message.stages = [self.pair("node", m.node, a, b, size)]
        if m.device:
            message.down = message.up = True
            message.stages = [self.copy(a, True, size)] + message.stages + [self.copy(b, False, size)]

    # -- slabs. Neighbours are at most a step apart, so two sets of counters are enough: even and odd steps

    def make_counters(self):
        self.come = [0] * self.count
        for messages in self.sent:
            for message in messages:
                self.come[message.target] += 1
        self.downs = [sum(message.down for message in messages) for messages in self.sent]
        # Messages that have not come, and one for the slab's own, which are packed before it takes others
        self.missing = [[n + 1 for n in self.come] for _ in range(2)]
        self.copying = [list(self.downs) for _ in range(2)]  # to the host
        self.at_host = [[[] for _ in range(self.count)] for _ in range(2)]
        self.inner_end = [0.0] * self.count
        self.ends = [0.0] * options.steps
        self.finished = [0] * options.steps
        self.events = [(0.0, slab, -1, 0, BEGIN, 0, 0, 0.0, 0.0) for slab in range(self.count)]

    def begin(self, slab, step, t):
        """number -1: of a slab rather than of a message."""
        device, overlap = self.machine.device, self.case.overlap
        packed = t + self.outer + self.pack
        if not overlap:
            packed += self.inner
            self.inner_end[slab] = packed
        else:
            self.inner_end[slab] = (t + self.outer if device else packed) + self.inner
        heapq.heappush(self.events, (packed, slab, -1, step, PACKED, 0, 0, 0.0, 0.0))

    def packed(self, slab, step, t):
        """A GPU's transfers follow one another in its stream: those to other GPUs, then copies to the host."""
        after = t
        for number, message in enumerate(self.sent[slab]):
            if not message.down:
                self.carry(slab, number, step, 0, 0, t, t, 0.0)
                link = message.stages[0][0][0]
                after = max(after, self.free[link][0]) if self.machine.device else t
        for number, message in enumerate(self.sent[slab]):
            if message.down:
                heapq.heappush(self.events, (after, slab, number, step, HOP, 0, 0, after, 0.0))
        if self.downs[slab] == 0:
            self.one_less(slab, step, t)

    def carry(self, slab, number, step, stage, hop, t, end, late):
        """The message goes on at time t with this link of the stage. It is through when the last link is."""
        hops = self.sent[slab][number].stages[stage]
        while hop < len(hops):
            link, hold, later, direction = hops[hop]
            if direction is not None:  # the first message of the exchange has the latency
                hold, later = self.share(link, direction, step, self.sent[slab][number].size, hold, later)
            start = max(t, self.free[link][0])
            heapq.heapreplace(self.free[link], start + hold)
            self.busy[link] += hold / len(self.free[link])
            end, late, hop = max(end, start + hold), max(late, later), hop + 1
            if start > t and hop < len(hops):
                heapq.heappush(self.events, (start, slab, number, step, HOP, stage, hop, end, late))
                return
        if not self.machine.device and self.names[hops[0][0]].startswith("node"):
            self.charge(slab, number, hops)
        heapq.heappush(self.events, (end + late, slab, number, step, DONE, stage, 0, 0.0, 0.0))

    def share(self, link, direction, step, size, hold, later):
        first = self.paid.get((link, direction)) != step
        self.paid[link, direction] = step
        kind = self.machine.bus if self.names[link].startswith("bus") else self.machine.peer
        return (hold, later) if first else (size * kind.byte, 0.0)

    def charge(self, slab, number, hops):
        """CPUs copy messages within their node with the threads that compute."""
        seconds = hops[0][1] if self.machine.node.duplex else hops[0][1] + hops[1][1]  # one comes for each that goes
        self.inner_end[slab] += seconds / self.threads

    def done(self, slab, number, step, stage, t):
        """A stage of a message is done."""
        message = self.sent[slab][number]
        if message.down and stage == 0:
            self.copied(slab, number, step, t)
        elif stage + 1 == len(message.stages):
            self.one_less(message.target, step, t)
        else:
            self.go_on(slab, number, step, stage, t)

    def go_on(self, slab, number, step, stage, t):
        message = self.sent[slab][number]
        parity = step % 2
        if message.up and stage + 2 == len(message.stages) and options.order == "staged":
            self.at_host[parity][message.target].append((slab, number))
            self.one_less(message.target, step, t)
        else:
            self.carry(slab, number, step, stage + 1, 0, t, t, 0.0)

    def copied(self, slab, number, step, t):
        """A message is at the sender's host."""
        copying = self.copying[step % 2]
        copying[slab] -= 1
        if options.order == "pipelined":
            self.go_on(slab, number, step, 0, t)
        if copying[slab] > 0:
            return
        copying[slab] = self.downs[slab]
        if options.order == "staged":
            for other, message in enumerate(self.sent[slab]):
                if message.down:
                    self.go_on(slab, other, step, 0, t)
        self.one_less(slab, step, t)

    def one_less(self, slab, step, t):
        """Of what a slab waits for. Staged: after that, messages at the host are copied from there."""
        missing, waiting = self.missing[step % 2], self.at_host[step % 2][slab]
        missing[slab] -= 1
        if missing[slab] > 0:
            return
        if not waiting:
            self.received(slab, step, t)
            return
        missing[slab] = len(waiting)
        self.at_host[step % 2][slab] = []
        for source, number in sorted(waiting):
            self.carry(source, number, step, len(self.sent[source][number].stages) - 1, 0, t, t, 0.0)

    def received(self, slab, step, t):
        self.missing[step % 2][slab] = self.come[slab] + 1
        if self.machine.device:
            end = max(self.inner_end[slab], t + self.unpack)
        else:
            end = max(self.inner_end[slab], t) + self.unpack
        self.ends[step] = max(self.ends[step], end)
        self.finished[step] += 1
        if step + 1 == options.steps:
            return
        if "lockstep" not in assumed:
            heapq.heappush(self.events, (end, slab, -1, step + 1, BEGIN, 0, 0, 0.0, 0.0))
        elif self.finished[step] == self.count:
            for each in range(self.count):
                heapq.heappush(self.events, (self.ends[step], each, -1, step + 1, BEGIN, 0, 0, 0.0, 0.0))

    # -- all of it

    def run(self):
        """Returns seconds per step, the busiest link and the share of the time that it is busy."""
        while self.events:
            t, slab, number, step, kind, stage, hop, end, late = heapq.heappop(self.events)
            if kind == HOP:
                self.carry(slab, number, step, stage, hop, t, end, late)
            elif kind == DONE:
                self.done(slab, number, step, stage, t)
            elif kind == PACKED:
                self.packed(slab, step, t)
            else:
                self.begin(slab, step, t)
        if self.finished[-1] != self.count:
            raise RuntimeError("slabs wait for each other")
        kernels = options.steps * (self.outer + self.inner)
        busiest = max(range(len(self.busy)), key=lambda i: self.busy[i], default=None)
        total = self.ends[-1]
        seconds = (total - self.ends[WARM - 1]) / (options.steps - WARM)
        if busiest is None or kernels >= self.busy[busiest]:
            return seconds, "kernels", kernels / total
        return seconds, self.names[busiest], self.busy[busiest] / total


# ---- the table ----------------------------------------------------------------------------------


def compare(case, machine, row):
    """Returns the row of the table, or why there is none."""
    if row["fits"] != "1":
        return "does not fit"
    if not any(float(row[name]) for name in ("buffers", "bus", "network")):
        return "streamed, or alone: nothing to simulate"
    seconds, busiest, share = Simulation(case, machine, row).run()
    predicted, simulated = float(row["step"]), 1e3 * seconds
    return dict(zip(FIELDS, (row["nodes"], row["cut"], row["grid"], "%.4f" % predicted, "%.4f" % simulated,
                             "%+.1f %%" % (100.0 * (predicted / simulated - 1.0)), busiest, "%.0f %%" % (100 * share))))


def check_output():
    """Before minutes of simulation."""
    try:
        if options.output:
            with open(options.output, "w"):
                pass
    except OSError as error:
        parser.error("%s: %s" % (options.output, error.strerror))


def write(rows):
    with open(options.output, "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)


def main():
    check_output()
    found = predict()
    if found is None:
        return 1
    rows, head = found
    case = Case(read_case(), head)
    machine = Machine(read(options.machine), case.per_node, case.together)
    cuts = {int(cut) for cut in options.cuts.split(",")}
    form, results = "%6s %5s %-16s %12s %12s %10s  %-16s %6s", []
    print(form % tuple(FIELDS))
    for row in rows:
        if CUTS[row["cut"]] not in cuts:
            continue
        result = compare(case, machine, row)
        if isinstance(result, str):
            print("%6s %5s %-16s %s" % (row["nodes"], row["cut"], row["grid"], result))
            continue
        results.append(result)
        print(form % tuple(result.values()), flush=True)
    if options.output:
        write(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
