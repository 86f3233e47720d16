"""A server that takes every request and discards its body, as fast as it can.

Usage: sink.py LATENCY_MS. Prints its port; ends when stdin does. It is in
Python, because Linux can discard what a socket received without copying it (MSG_TRUNC), which Node.js
cannot ask for.
"""

import collections
import selectors
import socket
import sys
import time

LATENCY = float(sys.argv[1]) / 1000
# Bytes that are taken from a connection at once.
CHUNK = 1 << 20
DISCARD = socket.MSG_TRUNC if sys.platform == 'linux' else 0

STORED = b'{"success":true,"results":{"total":1,"processed":1,"duplicates":0,"failed":0}}'
HEAD = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n' % len(STORED)
ANSWER = HEAD + STORED
BUFFER = bytearray(CHUNK)


class Connection:
    def __init__(self, accepted):
        self.socket = accepted
        self.head = b''
        # Bytes of the body that have not arrived.
        self.left = 0


selector = selectors.DefaultSelector()
# Answers that wait for their latency: due time, connection.
waiting = collections.deque()


def read(connection):
    if connection.left > 0:
        size = connection.socket.recv_into(BUFFER, min(connection.left, CHUNK), DISCARD)
        connection.left -= size
    else:
        part = connection.socket.recv(CHUNK)
        size = len(part)
        connection.head += part
        end = connection.head.find(b'\r\n\r\n')
        if size > 0 and end < 0:
            return
        if size > 0:
            begin(connection, connection.head[:end].lower(), len(connection.head) - end - 4)
    if size == 0:
        close(connection)
        return
    if connection.left == 0:
        if LATENCY > 0:
            waiting.append((time.monotonic() + LATENCY, connection))
        else:
            connection.socket.send(ANSWER)


def begin(connection, head, arrived):
    connection.head = b''
    if b'\r\nexpect: 100-continue' in head:
        connection.socket.send(b'HTTP/1.1 100 Continue\r\n\r\n')
    _, found, length = head.partition(b'\r\ncontent-length:')
    connection.left = int(length.partition(b'\r\n')[0]) - arrived if found else 0


def close(connection):
    selector.unregister(connection.socket)
    connection.socket.close()


def accept(server):
    accepted, _ = server.accept()
    accepted.setblocking(False)
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    selector.register(accepted, selectors.EVENT_READ, Connection(accepted))


def answer_due():
    while waiting and waiting[0][0] <= time.monotonic():
        _, connection = waiting.popleft()
        try:
            connection.socket.send(ANSWER)
        except OSError:
            pass


server = socket.create_server(('127.0.0.1', 0), backlog=512)
selector.register(server, selectors.EVENT_READ, 'server')
selector.register(sys.stdin.fileno(), selectors.EVENT_READ, 'stdin')
print(server.getsockname()[1], flush=True)
while True:
    timeout = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    for key, _ in selector.select(timeout):
        if key.data == 'server':
            accept(server)
        elif key.data == 'stdin':
            sys.exit()
        else:
            try:
                read(key.data)
            except OSError:
                close(key.data)
    answer_due()
