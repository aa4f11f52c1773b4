"""Reads recorded scenarios, and puts objects into the form of their snapshots, with the code that made the recordings.

    recorded-scenarios.py FOLDER play REGEX < /dev/null     what each scenario applies, and what was recorded after it
    recorded-scenarios.py FOLDER play REGEX RayJob          the same for another kind, in `parents`, with the RayClusters that it applies
    recorded-scenarios.py FOLDER normalise < objects.json   objects by scenario, as a snapshot would hold them
"""
import json
import os
import re
import sys
from types import SimpleNamespace

FOLDER, MODE = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)
from oracle.normalise import Snapshotter, State, load  # noqa: E402
from oracle.scenario import Runner, Scenario, json_ops, merge_patch  # noqa: E402
from oracle.store import Seen  # noqa: E402

SCENARIOS = os.path.join(FOLDER, "scenarios")


class Environment:
    """As much of the recorder as reading files needs."""
    scenario_root = SCENARIOS

    @staticmethod
    def find_file(name, near):
        places = (near, SCENARIOS, os.path.join(FOLDER, "data"), os.path.join(FOLDER, "..", "reference"))
        return next(p for p in (os.path.join(place, name) for place in places) if os.path.exists(p))


class Reader(Runner):
    def __init__(self, scenario, kind):
        self.env, self.sc, self.ns, self.kind = Environment(), scenario, scenario.ns, kind
        self.written = {}

    def apply(self, arg):
        if isinstance(arg, dict) and "expectError" in arg:
            return
        for doc in self.documents(arg):
            if doc["kind"] != self.kind:
                continue
            name = doc["metadata"]["name"]
            doc["metadata"]["namespace"] = self.ns
            old = self.written.get(name)
            if old:
                for key in ("labels", "annotations"):
                    doc["metadata"][key] = merge_patch(old["metadata"].get(key), doc["metadata"].get(key) or {})
            self.written[name] = doc

    def patch(self, arg):
        old = self.written.get(arg.get("name")) if arg["kind"] == self.kind else None
        if old and "expectError" not in arg and "sub" not in arg:
            self.written[arg["name"]] = json_ops(merge_patch(old, arg.get("merge", {})), arg.get("json", []))

    def until(self, label):
        for step in self.sc.steps:
            (verb, arg), = step.items()
            if verb == "snapshot" and str(arg) == label:
                break
            if verb in ("apply", "patch"):
                getattr(self, verb)(arg)
        return list(self.written.values())


def play(pattern, kind="RayCluster"):
    out = {}
    suite, key = kind.lower(), "clusters" if kind == "RayCluster" else "parents"
    folder = os.path.join(FOLDER, "golden", suite)
    for file in sorted(f for f in os.listdir(folder) if re.search(pattern, f)):
        scenario = Scenario(os.path.join(SCENARIOS, suite, file), SCENARIOS)
        with open(os.path.join(folder, file)) as f:
            snapshots = load(f.read())["snapshots"]
        out[file[: -len(".yaml")]] = {
            "namespace": scenario.ns, "operator": scenario.operator,
            "snapshots": [{**s, "clusters": Reader(scenario, "RayCluster").until(s["label"]),
                           key: Reader(scenario, kind).until(s["label"])} for s in snapshots]}
    return out


class Store:
    def __init__(self, ns, objects):
        self.objects = [(o["kind"], o) for o in objects]
        self.seen = {ns: {o["metadata"]["uid"]: Seen(o["kind"], o, i) for i, o in enumerate(objects)}}
        self.extra_names = {ns: {}}

    def all(self, _):
        return self.objects

    def events(self, _):
        return []


def normalise(scenarios):
    out = {}
    for name, given in scenarios.items():
        ns, board = given["namespace"], SimpleNamespace(calls=[])
        store = Store(ns, given["objects"])
        out[name] = Snapshotter(store, ns, State(), {}, board, [], []).take()["objects"]
    return out


print(json.dumps(play(*sys.argv[3:]) if MODE == "play" else normalise(json.load(sys.stdin))))
