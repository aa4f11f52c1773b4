import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Information about the pod for its programs, in the variable `MANTA_POD`. */
export interface PodFacts {
  /** Where it listens. */
  readonly ip: string;
  /** The interface that those are held to who listen on all; without it they listen on its address alone. */
  readonly device: string | undefined;
  /** The address that its object has. */
  readonly seenIp: string;
  /** The pod's ports, and the machine's that stand for them. */
  readonly ports: Readonly<Record<string, number>>;
  readonly paths: readonly (readonly [string, string])[];
  /** Where to ask for the door of a Service. */
  readonly porter: readonly [string, number];
  /** A file in the form of `/etc/hosts`. */
  readonly hosts: string;
}

/** Writes the programs that make Python and Ray at home in a pod without namespaces; gives their folder. */
export function writeShim(folder: string): string {
  const shim = join(folder, 'shim');
  mkdirSync(join(shim, 'bin'), { recursive: true });
  writeFileSync(join(shim, 'sitecustomize.py'), SITE);
  writeFileSync(join(shim, 'ray_in_pod.py'), RAY);
  writeFileSync(join(shim, 'bin/ray'), `#!/bin/sh\nexec python "${join(shim, 'ray_in_pod.py')}" "$@"\n`);
  chmodSync(join(shim, 'bin/ray'), 0o755);
  return shim;
}

/** Read by every Python before its program. */
const SITE = `"""The names, ports and folders of a pod that shares this machine's network and files."""
import builtins, io, json, os, re, socket, subprocess

pod = json.loads(os.environ.get("MANTA_POD") or "null")


def real_port(port):
    return pod["ports"].get(str(port), port)


def real_path(path):
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if isinstance(text, str) and text.startswith("/"):
        for seen, real in pod["paths"]:
            if text == seen or text.startswith(seen + "/"):
                return real + text[len(seen):]
    return path


def door(name, port):
    """The address that leads to a port of a Service, by its name or address, or of another pod; None for all others."""
    # A door of this machine already: the API server's has a name in the file below.
    if name.startswith("127."):
        return None
    full = name
    if ".svc" not in name and not name.startswith("10.244.0."):
        try:
            with plain_open(pod["hosts"]) as file:
                lines = [line.split() for line in file]
        except OSError:
            return None
        full = next((words[1] for words in lines if name in words and ".svc" in words[1]), None)
    if full is None:
        return None
    with socket.socket() as asking:
        asking.connect(tuple(pod["porter"]))
        asking.sendall(f"{full} {port}\\n".encode())
        host, number = asking.makefile().readline().split()
    return host, int(number)


def hold(self, host, port):
    """The address that a program gets which wants all: nobody outside this machine is to reach it."""
    # Not what only sends.
    if host not in ("", "0.0.0.0", "::") or (self.type == socket.SOCK_DGRAM and port == 0):
        return host
    if pod.get("device"):
        try:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, pod["device"].encode() + b"\\0")
            return host
        except OSError:
            pass
    if self.family == socket.AF_INET:
        return pod["ip"]
    only_v6 = self.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
    return "::1" if only_v6 else "::ffff:" + pod["ip"]


def text_of(word):
    return whole.sub(lambda match: places[match[0]], word) if isinstance(word, str) else word


plain_open = builtins.open

if pod:
    # What is real already stays as it is.
    places = {**dict(pod["paths"]), **{real: real for _, real in pod["paths"]}}
    pod["paths"] = sorted(places.items(), key=lambda pair: -len(pair[0]))
    whole = re.compile(r"(?<![\\w.-])(?:" + "|".join(re.escape(seen) for seen, _ in pod["paths"]) + r")(?![\\w.-])")
    plain_find, plain_bind, plain_popen = socket.getaddrinfo, socket.socket.bind, subprocess.Popen.__init__

    def getaddrinfo(host, port, *more, **named):
        name = host.decode() if isinstance(host, bytes) else host
        number = int(port) if isinstance(port, (int, str)) and str(port).isdigit() else None
        if name == pod["seenIp"]:
            host = name = pod["ip"]
        if name in ("localhost", "127.0.0.1", pod["ip"]):
            port = port if number is None else real_port(number)
            if name != pod["ip"] and number is not None and not pod.get("device"):
                return first_own(host, port, *more, **named)
        elif isinstance(name, str) and number is not None:
            host, port = door(name, number) or (host, port)
        return plain_find(host, port, *more, **named)

    def first_own(host, port, *more, **named):
        """Programs that wanted to listen on all are on the pod's own address, others where they said."""
        try:
            own = plain_find(pod["ip"], port, *more, **named)
        except socket.gaierror:
            own = []
        return own + plain_find(host, port, *more, **named)

    def bind(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple) and len(address) > 1:
            port = real_port(address[1])
            address = (hold(self, address[0], port), port, *address[2:])
        return plain_bind(self, address)

    def popen(self, args, *more, **named):
        if isinstance(args, (list, tuple)):
            args = [text_of(word) for word in args]
        else:
            args = text_of(args)
        if named.get("cwd") is not None:
            named["cwd"] = real_path(named["cwd"])
        plain_popen(self, args, *more, **named)

    def on_real_path(plain):
        def call(path=".", *more, **named):
            return plain(real_path(path), *more, **named)
        return call

    socket.getaddrinfo, socket.socket.bind, subprocess.Popen.__init__ = getaddrinfo, bind, popen
    socket.gethostname = lambda: os.environ.get("HOSTNAME", "localhost")
    builtins.open = io.open = on_real_path(plain_open)
    for name in ("stat", "listdir", "scandir", "mkdir"):
        setattr(os, name, on_real_path(getattr(os, name)))
`;

/** Stands for the command \`ray\`. */
const RAY = `"""Ray's command line on ports of its own."""
import sys

from sitecustomize import door, pod, real_port

args = sys.argv[1:]


def given(flag):
    """The last value of a flag, as Ray reads it."""
    value = None
    for index, word in enumerate(args):
        if word.startswith(f"--{flag}="):
            value = word.split("=", 1)[1]
        elif word == f"--{flag}" and index + 1 < len(args):
            value = args[index + 1]
    return value


HEAD = {"port": 6379, "dashboard-port": 8265, "ray-client-server-port": 10001}
EVERY = {"dashboard-agent-listen-port": 52365, "metrics-export-port": 8080}

if args[:1] == ["stop"]:
    # It would stop the Ray of every pod and of everybody else on this machine.
    print("Ray ends with its pod.")
    sys.exit(0)
if args[:1] == ["start"]:
    for flag, usual in {**(HEAD if "--head" in args else {}), **EVERY}.items():
        args.append(f"--{flag}={real_port(int(given(flag) or usual))}")
    args.append(f"--node-ip-address={pod['ip']}")
    if given("min-worker-port") is None and given("worker-port-list") is None:
        args += ["--min-worker-port=0", "--max-worker-port=0"]
if args[:1] == ["kuberay-autoscaler"] and given("gcs-address") is None:
    args.append(f"--gcs-address={pod['ip']}:{real_port(6379)}")

address = given("address")
if address is not None and "://" not in address and ":" in address:
    host, port = address.rsplit(":", 1)
    found = (pod["ip"], real_port(int(port))) if host in ("localhost", "127.0.0.1") else door(host, int(port))
    if found is not None:
        args.append(f"--address={found[0]}:{found[1]}")

sys.argv = ["ray", *args]
from ray.scripts.scripts import main

sys.exit(main())
`;
