"""Writes a small export as Nsight Systems does: kernels, copies, calls of CUDA, ranges of NVTX."""
import sqlite3

SCHEMA = '''
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
  shortName INTEGER, gridX INTEGER, blockX INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,
  copyKind INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
  text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,
  nameId INTEGER NOT NULL);
'''
STARTED = 1_717_000_000_000_000_000
NAMES = ('cudaLaunchKernel_v7000', 'cudaMemcpyAsync_v3020', 'void gemm<float>(float*)', 'gemm', 'relu', 'main thread', 'step', 'poll',
         'cuLaunchKernel')


def write(path: str, steps: int, with_pids: bool = True) -> None:
    """`with_pids`: as newer versions do; without, device work does not say whose it is."""
    pid, tid = 77 << 24, 77 << 24 | 77
    read = sqlite3.connect(path)
    read.executescript(SCHEMA if with_pids else SCHEMA.replace('correlationId INTEGER, globalPid INTEGER', 'correlationId INTEGER'))
    read.executemany('INSERT INTO StringIds VALUES (?, ?)', enumerate(NAMES))
    read.execute('INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?, ?, ?)', (STARTED, '', ''))
    read.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'Test Device 80GB', '')")
    read.execute("INSERT INTO PROCESSES VALUES (?, 77, '/usr/bin/python3')", (pid,))
    read.execute('INSERT INTO ThreadNames VALUES (5, 0, ?)', (tid,))
    whose = (pid,) if with_pids else ()
    for i in range(steps):
        at = 1_000_000 + i * 100_000
        read.execute('INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 0, 0, NULL, ?, 0, 6, 0)', (at, at + 90_000, tid))
        read.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 0, 0, ?, ?, 0, NULL, 0)",
                     (at + 1000, at + 30_000, f'aten::mm, seq = {i}, op_id = {i}', tid))
        read.execute("INSERT INTO NVTX_EVENTS VALUES (?, NULL, 34, 0, 0, 'mark', ?, 0, NULL, 0)", (at + 500, tid))
        read.execute('INSERT INTO OSRT_API VALUES (?, ?, 27, ?, 0, 7)', (at + 95_000, at + 97_000, tid))
        for k, (kernel, call) in enumerate(((2, 0), (4, 8))):
            number = i * 3 + k + 1
            launch = at + 2000 + k * 40_000
            read.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)',
                         (launch, launch + 3000, tid, number, call))
            marks = ', '.join('?' * (10 + len(whose)))
            read.execute(f'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})',
                         (launch + 9000, launch + 29_000 + i, 0, 1, 7 + k, number, *whose, kernel, 3, 80, 128))
        read.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 1, 0, NULL)',
                     (at + 80_000, at + 82_000, tid, i * 3 + 3))
        marks = ', '.join('?' * (8 + len(whose)))
        read.execute(f'INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({marks})',
                     (at + 83_000, at + 85_000, 0, 1, 7, i * 3 + 3, *whose, 4096, 2))
    read.commit()
    read.close()
