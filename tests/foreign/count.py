"""Counts a trace of Chrome's or Kineto's straight from the JSON, to compare an import with."""
import gzip
import json
from collections import Counter
from decimal import Decimal
from typing import Any

DEVICE = {'kernel': 'kernel', 'mtia_ccp_events': 'kernel', 'gpu_memcpy': 'memcpy', 'memcpy': 'memcpy',
          'gpu_memset': 'memset', 'memset': 'memset'}
RUNTIME = ('cuda_runtime', 'mtia_runtime', 'runtime', 'cuda_driver')
OPS = ('cpu_op', 'operator')


class Count:
    """Ops, kernels, their sums in nanoseconds, how many kernels meet an op, gaps between work of a device."""

    def __init__(self, path: str) -> None:
        with gzip.open(path) if path.endswith('.gz') else open(path, 'rb') as file:
            whole = json.loads(file.read(), parse_float=Decimal)
        self.whole: dict[str, Any] = whole if isinstance(whole, dict) else {'traceEvents': whole}
        events = self.whole['traceEvents']
        self.ops: Counter[str] = Counter()
        self.op_ns: Counter[str] = Counter()
        self.kernels: Counter[str] = Counter()
        self.kernel_ns: Counter[str] = Counter()
        self.device: Counter[str] = Counter()
        self.bytes = 0
        work, launches, ops = [], {}, []
        for event in events:
            category = str(event.get('cat', '')).lower()
            if event.get('ph') != 'X':
                continue
            start, end = self.ns(event['ts']), self.ns(Decimal(event['ts']) + Decimal(event.get('dur', 0)))
            args = event.get('args') or {}
            if category in OPS:
                self.ops[event['name']] += 1
                self.op_ns[event['name']] += max(0, end - start)
                ops.append((event['pid'], event['tid'], start, end))
            elif category in DEVICE:
                self.device[DEVICE[category]] += 1
                if DEVICE[category] == 'kernel':
                    self.kernels[event['name']] += 1
                    self.kernel_ns[event['name']] += max(0, end - start)
                self.bytes += int(args.get('bytes', args.get('Bytes', 0)))
                work.append((args.get('device', event['pid']), args.get('stream', event['tid']), start, end,
                             args.get('correlation')))
            elif category in RUNTIME:
                self.device['call'] += 1
                launches[args.get('correlation')] = (event['pid'], event['tid'], start)
        self.gaps = self.gaps_of(work)
        self.met = self.meets(work, launches, ops)
        self.work = len(work)

    @staticmethod
    def ns(microseconds: Any) -> int:
        return int((Decimal(microseconds) * 1000).to_integral_value(rounding='ROUND_FLOOR'))

    @staticmethod
    def gaps_of(work: list[Any]) -> int:
        """The time of each device during which none of its streams worked, between its first and last work."""
        total = 0
        for device in {w[0] for w in work}:
            until = None
            for _, _, start, end, _ in sorted((w for w in work if w[0] == device), key=lambda w: (w[2], w[3])):
                if until is not None and start > until:
                    total += start - until
                until = end if until is None else max(until, end)
        return total

    @staticmethod
    def meets(work: list[Any], launches: dict[Any, Any], ops: list[Any]) -> int:
        """How much device work was launched inside an op."""
        by_thread: dict[Any, list[Any]] = {}
        for pid, tid, start, end in ops:
            by_thread.setdefault((pid, tid), []).append((start, 0, end))
        for correlation, (pid, tid, start) in launches.items():
            by_thread.setdefault((pid, tid), []).append((start, 1, correlation))
        inside = set()
        for all_of_thread in by_thread.values():
            until = -1
            for start, what, value in sorted(all_of_thread, key=lambda e: (e[0], e[1])):
                if what == 0:
                    until = max(until, value)
                elif start <= until:
                    inside.add(value)
        return sum(1 for w in work if w[4] in inside)
