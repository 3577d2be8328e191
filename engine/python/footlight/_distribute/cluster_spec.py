"""tf.train.ClusterSpec and its messages: who takes part; tf.train.Coordinator: threads that stop together."""
import contextlib
import sys
import threading
import time

import footlight as tf
from footlight import _proto

for _name in ('ClusterDef', 'JobDef', 'ServerDef'):
    setattr(tf.train, _name, getattr(_proto, _name))


def _text(value, what):
    if isinstance(value, bytes):
        value = value.decode()
    if not isinstance(value, str):
        raise TypeError('%s %r must be bytes or unicode' % (what, value))
    return value


class ClusterSpec:
    """Jobs, and the address of each of their tasks."""

    def __init__(self, cluster):
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if isinstance(cluster, dict):
            self._jobs = {}
            for job, tasks in cluster.items():
                if isinstance(tasks, (list, tuple)):
                    tasks = dict(enumerate(tasks))
                elif not isinstance(tasks, dict):
                    raise TypeError('The tasks for job %r must be a list or a dictionary from integers to strings.' % (job,))
                self._jobs[_text(job, 'Job name')] = {index: _text(address, 'Task address')
                                                      for index, address in sorted(tasks.items())}
        elif isinstance(cluster, _proto.ClusterDef):
            self._jobs = {job.name: {index: job.tasks[index] for index in sorted(job.tasks)} for job in cluster.job}
        else:
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists of network addresses, '
                            'or a `ClusterDef` protocol buffer')

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs or (
            isinstance(other, (dict, _proto.ClusterDef)) and self == ClusterSpec(other))

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __repr__(self):
        described = ', '.join('%r: %r' % (job, self.as_dict()[job]) for job in sorted(self._jobs))
        return 'ClusterSpec({%s})' % described

    def as_dict(self):
        """The addresses by job: a list, or a dict where task numbers have gaps."""
        return {job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
                for job, tasks in self._jobs.items()}

    def as_cluster_def(self):
        """The message."""
        return _proto.ClusterDef(job=[_proto.JobDef(name=job, tasks=dict(self._jobs[job])) for job in sorted(self._jobs)])

    @property
    def jobs(self):
        """The names of jobs."""
        return list(self._jobs)

    def _tasks(self, job_name):
        if job_name not in self._jobs:
            raise ValueError('No such job in cluster: %r' % job_name)
        return self._jobs[job_name]

    def num_tasks(self, job_name):
        """How many tasks a job has."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        """The numbers of its tasks."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name, task_index):
        """The address of a task."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError('No task with index %r in job %r' % (task_index, job_name))
        return tasks[task_index]

    def job_tasks(self, job_name):
        """The addresses of its tasks by their numbers; None where there is none."""
        tasks = self._tasks(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]


class Coordinator:
    """Lets threads stop together: one asks for it, the others look, and what one raised is raised by join()."""

    def __init__(self, clean_stop_exception_types=None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (tf.errors.OutOfRangeError,)
        self._clean = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._raised = None
        self._registered = set()
        self._joined = False

    def request_stop(self, ex=None):
        """Asks the threads to stop; `ex` is what join() raises, unless it only says that there is no more to do."""
        with self._lock:
            given = ex[1] if isinstance(ex, tuple) else ex
            if isinstance(given, self._clean):
                given = None
            if self._joined:
                if given is not None:
                    raise given
                return
            if not self._stop.is_set():
                if given is not None and self._raised is None:
                    self._raised = given
                self._stop.set()

    def clear_stop(self):
        """Forgets that a stop was asked for."""
        with self._lock:
            self._joined, self._raised = False, None
            self._stop.clear()

    def should_stop(self):
        """Whether a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A context that asks for a stop when something is raised in it."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until a stop is asked for; whether it was."""
        return self._stop.wait(timeout=timeout)

    def register_thread(self, thread):
        """A thread that join() waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for threads, from the request to stop on for the given time at most."""
        with self._lock:
            threads = list(self._registered) if threads is None else list(self._registered.union(threads))
        while any(t.is_alive() for t in threads) and not self.wait_for_stop(1.0):
            pass
        end = time.monotonic() + stop_grace_period_secs
        while any(t.is_alive() for t in threads) and time.monotonic() < end:
            for thread in threads:
                thread.join(0.01)
        late = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered = set()
            if self._raised is not None:
                raise self._raised
            if late and not ignore_live_threads:
                raise RuntimeError('Coordinator stopped with threads still running: %s' % ' '.join(late))

    @property
    def joined(self):
        """Whether join() is done."""
        return self._joined

    def raise_requested_exception(self):
        """Raises what request_stop() was given."""
        with self._lock:
            if self._raised is not None:
                raise self._raised


for _kind in (ClusterSpec, Coordinator):
    _kind.__module__ = 'footlight.train'
    setattr(tf.train, _kind.__name__, _kind)
