"""Runs inside a pod and tries to get out of it. Prints a line of JSON for each attempt: what it got, or null where it got nothing."""

import ctypes
import fcntl
import glob
import json
import os
import platform
import signal
import socket
import struct
import sys
import termios
import time

LIBC = ctypes.CDLL(None, use_errno=True)
FACTS = json.loads(sys.argv[1])
IS_ARM = platform.machine() == "aarch64"
# x86_64, aarch64
CALLS = {
    "pivot_root": (155, 41), "init_module": (175, 105), "delete_module": (176, 106), "reboot": (169, 142),
    "kexec_load": (246, 104), "add_key": (248, 217), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "setns": (308, 268), "unshare": (272, 97),
    "mount_setattr": (442, 442), "open_tree": (428, 428), "fsopen": (430, 430), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "swapon": (167, 224), "iopl": (172, 9999), "quotactl": (179, 60),
    "open_by_handle_at": (304, 265), "syslog": (103, 116),
}
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_MOVE = 1, 32, 4096, 16384, 8192
NEWNS, NEWUSER = 0x20000, 0x10000000
EPERM, EACCES = 1, 13
ATTEMPTS = []


def attempt(body):
    ATTEMPTS.append(body)
    return body


def call(name, *args):
    number = CALLS[name][1 if IS_ARM else 0]
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(each) if isinstance(each, int) else each for each in args])
    return result, ctypes.get_errno()


def mount(source, target, kind, flags, data=None):
    text = [None if each is None else each.encode() for each in (source, target, kind)]
    return LIBC.mount(text[0], text[1], text[2], ctypes.c_ulong(flags), None if data is None else data.encode()) == 0


def mount_points():
    with open("/proc/self/mountinfo") as lines:
        return [line.split()[4] for line in lines]


def written(path):
    """Whether a file can be opened for writing. Nothing is written."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return True
    except OSError:
        return False


def created(path):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        os.unlink(path)
        return True
    except OSError:
        return False


def in_child(body):
    """What a body finds in a process of its own, so that what it changes changes nothing else."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reader)
            os.write(writer, json.dumps(body()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    found = b""
    while chunk := os.read(reader, 65536):
        found += chunk
    os.close(reader)
    os.waitpid(pid, 0)
    return json.loads(found) if found else None


def first(candidates, test):
    return next((each for each in candidates if test(each)), None)


def files_under(top, most=40000):
    count = 0
    for folder, _, names in os.walk(top):
        for name in names:
            count += 1
            if count > most:
                return
            yield os.path.join(folder, name)


@attempt
def inherited_descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                found[name] = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
    return found or None


@attempt
def remount_host_folders_writable():
    for point in mount_points():
        if mount(None, point, None, MS_REMOUNT | MS_BIND) and point.startswith("/usr"):
            return f"{point} is writable"
    return "/usr is writable" if created("/usr/manta-escape") else None


@attempt
def unmount_what_hides():
    return first(reversed(mount_points()), lambda point: LIBC.umount2(point.encode(), 2) == 0)


@attempt
def bind_over_a_system_folder():
    return "/usr/local" if mount("/tmp", "/usr/local", None, MS_BIND) else None


@attempt
def move_a_mount():
    return "/tmp" if mount("/tmp", "/mnt", None, MS_MOVE) else None


@attempt
def mount_new_file_systems():
    kinds = [("tmpfs", "/mnt"), ("proc", "/mnt"), ("sysfs", "/mnt"), ("cgroup", "/mnt"), ("cgroup2", "/mnt"), ("devtmpfs", "/mnt")]
    return first(kinds, lambda each: mount(each[0], each[1], each[0], 0))


@attempt
def mount_with_the_new_interface():
    tree, _ = call("open_tree", -100, ctypes.c_char_p(b"/usr"), 1 | 0x80000)
    made, _ = call("fsopen", ctypes.c_char_p(b"tmpfs"), 0)
    return "a detached mount" if tree >= 0 or made >= 0 else None


@attempt
def change_a_mount_with_mount_setattr():
    attributes = struct.pack("QQQQ", 0, MS_RDONLY, 0, 0)
    done, _ = call("mount_setattr", -100, ctypes.c_char_p(b"/usr"), 0, ctypes.c_char_p(attributes), len(attributes))
    return "/usr is writable" if done == 0 and created("/usr/manta-escape") else None


@attempt
def climb_out_of_a_chroot():
    def climb():
        os.makedirs("/tmp/cell", exist_ok=True)
        try:
            os.chroot("/tmp/cell")
        except OSError:
            return None
        for _ in range(64):
            os.chdir("..")
        os.chroot(".")
        return first(FACTS["secrets"] + ["/work", "/srv/manta-host"], os.path.exists)

    return in_child(climb)


@attempt
def join_namespaces_of_others():
    own = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in os.listdir("/proc/self/ns")}
    for path in glob.glob("/proc/[0-9]*/ns/*"):
        try:
            if os.readlink(path) == own[os.path.basename(path)] and not path.endswith("/mnt"):
                continue
            namespace = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        if call("setns", namespace, 0)[0] == 0:
            return path
    return None


@attempt
def see_processes_of_others():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as text:
                line = text.read()
        except OSError:
            continue
        if FACTS["victim"].encode() in line.replace(sys.argv[1].encode(), b""):
            return path
    return None


@attempt
def trace_processes_of_others():
    own = {int(name) for name in os.listdir("/proc") if name.isdigit()}
    for pid in [each for each in range(1, 4000) if each not in own]:
        if call("ptrace", 0x4206, pid, 0, 0)[0] == 0:
            return pid
    return None


@attempt
def signal_processes_of_others():
    own = {int(name) for name in os.listdir("/proc") if name.isdigit()}
    for pid in [each for each in range(1, 4000) if each not in own]:
        try:
            os.kill(pid, 0)
            return pid
        except OSError:
            continue
    return None


@attempt
def host_through_roots_in_proc():
    for root in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd"):
        for secret in FACTS["secrets"]:
            if os.path.exists(root + secret):
                return root + secret
    return None


@attempt
def make_device_nodes():
    for kind, major, minor in [(0o60000, 254, 0), (0o60000, 8, 0), (0o60000, 7, 0), (0o20000, 1, 1), (0o20000, 1, 11)]:
        path = f"/tmp/node-{major}-{minor}"
        try:
            os.mknod(path, kind | 0o600, os.makedev(major, minor))
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            return path
        except OSError:
            continue
    return None


@attempt
def open_devices_of_the_host():
    def is_dangerous(path):
        mode = os.lstat(path).st_mode & 0o170000
        harmless = {"null", "zero", "full", "random", "urandom", "ptmx", "tty"}
        if mode not in (0o60000, 0o20000) or os.path.basename(path) in harmless or path.startswith("/dev/pts/"):
            return False
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            return True
        except OSError:
            return False

    return first([*files_under("/dev"), "/.dev/kmsg", "/.dev/mem", "/.dev/vda", "/.dev/sda"], lambda path: os.path.lexists(path) and is_dangerous(path))


@attempt
def read_kernel_memory_and_log():
    for path in ["/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmsg", "/dev/kmsg"]:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            if os.read(descriptor, 16):
                return path
        except OSError:
            continue
    return None


@attempt
def read_keys_of_the_session():
    for keyring in (-3, -4, -5, -1):
        found, _ = call("keyctl", 10, keyring, ctypes.c_char_p(b"user"), ctypes.c_char_p(FACTS["key"].encode()), 0)
        if found < 0:
            continue
        buffer = ctypes.create_string_buffer(256)
        length, _ = call("keyctl", 11, found, buffer, 256)
        if length > 0:
            return buffer.value[:length].decode()
    return None


@attempt
def unshare_users_then_mount():
    def tear():
        if call("unshare", NEWUSER | NEWNS)[0] != 0:
            return None
        for point in mount_points():
            if point != "/" and LIBC.umount2(point.encode(), 2) == 0:
                return f"unmounted {point}"
        if mount(None, "/usr", None, MS_REMOUNT | MS_BIND) and created("/usr/manta-escape"):
            return "/usr is writable"
        return "a new /proc" if mount("proc", "/mnt", "proc", 0) else None

    return in_child(tear)


@attempt
def write_core_pattern():
    return "core_pattern" if written("/proc/sys/kernel/core_pattern") else None


@attempt
def write_kernel_settings():
    return first(files_under("/proc/sys"), written)


@attempt
def write_other_files_of_proc():
    tops = [each for each in os.listdir("/proc") if not each.isdigit() and each not in ("sys", "self", "thread-self")]
    masked = lambda path: os.stat(path).st_rdev == os.stat("/dev/null").st_rdev
    paths = (path for top in tops for path in ([f"/proc/{top}"] if os.path.isfile(f"/proc/{top}") else files_under(f"/proc/{top}")))
    return first(paths, lambda path: os.stat(path).st_mode & 0o222 and written(path) and not masked(path))


@attempt
def trigger_sysrq():
    return "sysrq" if written("/proc/sysrq-trigger") else None


@attempt
def write_to_sys():
    return first(files_under("/sys"), written)


@attempt
def set_a_release_agent():
    found = glob.glob("/sys/fs/cgroup/**/release_agent", recursive=True) + glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)
    return first(found, written)


@attempt
def change_the_host_name():
    return "hostname" if LIBC.sethostname(b"owned", 5) == 0 or LIBC.setdomainname(b"owned", 5) == 0 else None


@attempt
def load_a_module():
    done, error = call("init_module", ctypes.c_char_p(b""), 0, ctypes.c_char_p(b""))
    removed, other = call("delete_module", ctypes.c_char_p(b"manta_no_such"), 0)
    return None if (done, removed) == (-1, -1) and error in (EPERM, 38) and other in (EPERM, 38) else [error, other]


@attempt
def reboot():
    done, error = call("reboot", 0xFEE1DEAD, 672274793, 0, 0)
    return None if done == -1 and error == EPERM else error


@attempt
def load_another_kernel():
    done, error = call("kexec_load", 0, 0, 0, 0)
    return None if done == -1 and error in (EPERM, 38) else error


@attempt
def set_the_clock():
    try:
        time.clock_settime(time.CLOCK_REALTIME, time.time())
        return "clock"
    except OSError:
        return None


@attempt
def open_raw_sockets():
    for family, kind, protocol in [(17, socket.SOCK_RAW, 3), (socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET, socket.SOCK_RAW, 255)]:
        try:
            socket.socket(family, kind, protocol).close()
            return [family, protocol]
        except OSError:
            continue
    return None


@attempt
def take_the_address_of_another():
    request = struct.pack("16sH2s4s8s", b"eth0", socket.AF_INET, b"", socket.inet_aton("10.244.0.1"), b"")
    try:
        fcntl.ioctl(socket.socket(), 0x8916, request)
        return "10.244.0.1"
    except OSError:
        return None


@attempt
def control_sockets_of_the_engine():
    for path in [FACTS["socket"], *glob.glob("/tmp/manta-*/*"), *glob.glob("/.host/tmp/manta-*/*")]:
        try:
            socket.socket(socket.AF_UNIX).connect(path)
            return path
        except OSError:
            continue
    return None


@attempt
def abstract_sockets_of_the_host():
    try:
        socket.socket(socket.AF_UNIX).connect("\0" + FACTS["abstract"])
        return FACTS["abstract"]
    except OSError:
        return None


@attempt
def loopback_of_the_host():
    for host in ("127.0.0.1", "10.244.0.1"):
        try:
            socket.create_connection((host, FACTS["port"]), 2).close()
            return [host, FACTS["port"]]
        except OSError:
            continue
    return None


@attempt
def environment_of_the_engine():
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as text:
                if b"MANTA_ENGINE_SECRET" in text.read():
                    return path
        except OSError:
            continue
    return None


@attempt
def type_into_the_terminal():
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.ioctl(terminal, termios.TIOCSTI, b"#")
        return "TIOCSTI"
    except OSError:
        return "/dev/tty"


@attempt
def gain_privileges_by_set_user_id():
    return None if LIBC.prctl(39, 0, 0, 0, 0) == 1 else "no_new_privs is not set"


@attempt
def capabilities_that_administer():
    with open("/proc/self/status") as lines:
        sets = dict(line.split(":\t") for line in lines)
    dangerous = {"net_admin": 12, "net_raw": 13, "sys_module": 16, "sys_rawio": 17, "sys_admin": 21, "sys_boot": 22, "sys_time": 25, "mknod": 27, "syslog": 34, "bpf": 39}
    return [name for name, bit in dangerous.items() if int(sets["CapBnd"], 16) >> bit & 1] or None


@attempt
def load_a_bpf_program():
    attributes = ctypes.create_string_buffer(struct.pack("IIIII", 1, 4, 4, 1, 0), 128)
    done, _ = call("bpf", 0, attributes, 128)
    return "a map" if done >= 0 else None


@attempt
def watch_the_whole_machine_with_perf():
    attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0), 128)
    done, _ = call("perf_event_open", attributes, -1, 0, -1, 0)
    return "a counter" if done >= 0 else None


@attempt
def stop_the_kernel_with_userfaultfd():
    done, _ = call("userfaultfd", 0)
    return "faults of the kernel" if done >= 0 else None


@attempt
def open_files_by_handle():
    handle = ctypes.create_string_buffer(struct.pack("Ii8s", 8, 1, b"\x02"), 128)
    root = os.open("/usr", os.O_RDONLY)
    done, error = call("open_by_handle_at", root, handle, os.O_RDONLY)
    os.close(root)
    return None if done < 0 and error == EPERM else [done, error]


@attempt
def write_to_programs():
    tops = ["/usr/bin", "/usr/lib", "/usr/local", "/bin", "/sbin", "/lib", *FACTS["programs"]]
    return first(tops, lambda top: created(f"{top}/manta-escape")) or first([sys.executable, "/bin/sh"], written)


@attempt
def host_files_by_path():
    return first([*FACTS["secrets"], *["/.host" + each for each in FACTS["secrets"]]], os.path.exists)


@attempt
def host_files_anywhere():
    for folder, folders, names in os.walk("/"):
        if folder == "/":
            folders[:] = [each for each in folders if each not in ("proc", "sys", "usr")]
        if FACTS["marker"] in names:
            return folder
    return None


@attempt
def password_hashes():
    try:
        with open("/etc/shadow") as text:
            return text.readline()
    except OSError:
        return None


@attempt
def memory_of_other_pods():
    return first([*glob.glob("/dev/shm/*"), *glob.glob("/.dev/shm/*")], lambda path: FACTS["marker"] in path)


@attempt
def pivot_root():
    os.makedirs("/tmp/new/old", exist_ok=True)
    done, _ = call("pivot_root", ctypes.c_char_p(b"/tmp/new"), ctypes.c_char_p(b"/tmp/new/old"))
    return "another root" if done == 0 else None


signal.signal(signal.SIGCHLD, signal.SIG_DFL)
for body in ATTEMPTS:
    try:
        got = body()
    except Exception as error:  # An attempt that cannot even be made got nothing, but is worth seeing.
        got = None
        print(f"{body.__name__}: {error!r}", file=sys.stderr, flush=True)
    print("RESULT " + json.dumps({body.__name__: got}), flush=True)
