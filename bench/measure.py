"""Runs commands one by one, and reports what each cost.

Node.js has no rusage of one child process; wait4 has. Reads one JSON object a line: command, env. Answers
with one a line: exit code, wall time and CPU time (user + sys) in ms, peak memory in MB, and stderr's end.
CPU and memory include the children that the command waited for. Peak memory below that of this
interpreter, some 10 MB, does not show.
"""

import json
import os
import signal
import sys
import time

# Limit for one command, so that a hang fails its row only (s).
LIMIT = 900
# ru_maxrss counts kilobytes, on macOS bytes.
PER_MB = 1 << 20 if sys.platform == 'darwin' else 1 << 10


def run(command, env, errors):
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    started = time.perf_counter()
    # Python ignores these signals, and its children would.
    pid = os.posix_spawnp(
        command[0], command, env, file_actions=files, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ]
    )
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(LIMIT)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    signal.alarm(0)
    with open(errors, errors='replace') as file:
        stderr = file.read()[-2000:]
    return {
        'code': os.waitstatus_to_exitcode(status),
        'wall': wall * 1000,
        'cpu': (usage.ru_utime + usage.ru_stime) * 1000,
        'memory': usage.ru_maxrss / PER_MB,
        'stderr': stderr,
    }


# The program looks whether its parent ignores it, as below `nohup`.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = run(request['command'], request['env'], sys.argv[1])
    except OSError as error:
        answer = {'code': 127, 'stderr': str(error)}
    print(json.dumps(answer), flush=True)
