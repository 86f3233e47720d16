#!/usr/bin/env python3
"""A file system that behaves as a device over MTP does (src/system/mtp-path.ts):

  mtp-filesystem.py SOURCE MOUNT CONTROL COUNTS

Shows the files below SOURCE at MOUNT, read-only, and makes one call at a time, each with a delay. There are
no inodes. A second reader of any file gets EBUSY.

CONTROL is a JSON file, read before every call: {"delay": seconds, "sizes": whether sizes are stated,
"times": "now" (as kio-fuse) or "none" (0, as GVfs), "parts": whether files can be opened, "state": "plugged" |
"hanging" | "gone" | "unplugged", "after": {"bytes": n, "state": S}}.
"hanging": calls do not return; "gone": they fail with ENODEV; "unplugged": nothing is there, ENOENT.
"after" changes the state once that many bytes were read in all.
COUNTS gets JSON with every call: {"calls": n, "opens": {path: n}, "bytes": {path: n}, "most": readers
at once, "refused": n}.
"""
import errno
import json
import os
import stat
import sys
import threading
import time

import fusepy

source, mount, control_file, counts_file = sys.argv[1:5]
one_at_a_time = threading.Lock()
counts = {"calls": {}, "opens": {}, "bytes": {}, "most": 0, "refused": 0}
readers = set()
total = 0


def control():
    with open(control_file, encoding="utf-8") as file:
        return json.load(file)


def state(settings):
    after = settings.get("after")
    if after is not None and total >= after["bytes"]:
        return after["state"]
    return settings.get("state", "plugged")


def write_counts():
    new = counts_file + ".new"
    with open(new, "w", encoding="utf-8") as file:
        json.dump(counts, file)
    os.replace(new, counts_file)


def call(name):
    """Counts a call, and waits as the device does."""
    counts["calls"][name] = counts["calls"].get(name, 0) + 1
    write_counts()
    settings = control()
    while state(settings) == "hanging":
        time.sleep(0.05)
        settings = control()
    time.sleep(settings.get("delay", 0))
    now = state(settings)
    if now == "gone":
        raise fusepy.FuseOSError(errno.ENODEV)
    if now == "unplugged":
        raise fusepy.FuseOSError(errno.ENOENT)


class Device(fusepy.Operations):
    def getattr(self, path, fh=None):
        with one_at_a_time:
            # The mount point itself is the gvfs folder: it stays.
            if path != "/":
                call("getattr")
            try:
                found = os.lstat(source + path)
            except OSError as error:
                raise fusepy.FuseOSError(error.errno) from error
            settings = control()
            now = time.time() if settings.get("times", "now") == "now" else 0
            states_size = stat.S_ISREG(found.st_mode) and settings.get("sizes", True)
            return {
                "st_mode": found.st_mode,
                "st_nlink": 1,
                "st_size": found.st_size if states_size else 0,
                "st_uid": os.getuid(),
                "st_gid": os.getgid(),
                "st_atime": now,
                "st_mtime": now,
                "st_ctime": now,
            }

    def readdir(self, path, fh):
        with one_at_a_time:
            call("readdir")
            # Names only: gvfs tells no types either.
            return [".", "..", *os.listdir(source + path)]

    def open(self, path, flags):
        with one_at_a_time:
            call("open")
            if not control().get("parts", True):
                raise fusepy.FuseOSError(errno.ENOTSUP)
            if readers:
                counts["refused"] += 1
                raise fusepy.FuseOSError(errno.EBUSY)
            handle = os.open(source + path, os.O_RDONLY)
            readers.add(handle)
            counts["opens"][path] = counts["opens"].get(path, 0) + 1
            counts["most"] = max(counts["most"], len(readers))
            return handle

    def read(self, path, size, offset, fh):
        global total
        with one_at_a_time:
            call("read")
            data = os.pread(fh, size, offset)
            total += len(data)
            counts["bytes"][path] = counts["bytes"].get(path, 0) + len(data)
            return data

    def release(self, path, fh):
        with one_at_a_time:
            readers.discard(fh)
            os.close(fh)
            write_counts()
        return 0


write_counts()
fusepy.FUSE(
    Device(),
    mount,
    foreground=True,
    ro=True,
    direct_io=True,
    # The kernel keeps no status: every call reaches the device, as with gvfs after a second.
    attr_timeout=0,
    entry_timeout=0,
)
