"""tf.train.ClusterSpec and its messages: who takes part."""
from __future__ import annotations

import footlight as tf
from footlight import _proto
from footlight._public import publish
from footlight._typing import Any

for _name in ('ClusterDef', 'JobDef', 'ServerDef'):
    setattr(tf.train, _name, getattr(_proto, _name))


def _text(value, what):
    if isinstance(value, bytes):
        value = value.decode()
    if not isinstance(value, str):
        raise TypeError(f'{what} {value!r} must be bytes or unicode')
    return value


class ClusterSpec:
    """Jobs, and the address of each of their tasks."""

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if isinstance(cluster, dict):
            self._jobs = {}
            for job, tasks in cluster.items():
                if isinstance(tasks, (list, tuple)):
                    tasks = dict(enumerate(tasks))
                elif not isinstance(tasks, dict):
                    raise TypeError(f'The tasks for job {job!r} must be a list or a dictionary from integers to '
                                    'strings.')
                self._jobs[_text(job, 'Job name')] = {index: _text(address, 'Task address')
                                                      for index, address in sorted(tasks.items())}
        elif isinstance(cluster, _proto.ClusterDef):
            self._jobs = {job.name: {index: job.tasks[index] for index in sorted(job.tasks)} for job in cluster.job}
        else:
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists of network addresses, '
                            'or a `ClusterDef` protocol buffer')

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs or (
            isinstance(other, (dict, _proto.ClusterDef)) and self == ClusterSpec(other))

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __repr__(self) -> str:
        described = ', '.join(f'{job!r}: {self.as_dict()[job]!r}' for job in sorted(self._jobs))
        return f'ClusterSpec({{{described}}})'

    def as_dict(self) -> dict[Any, Any]:
        """The addresses by job: a list, or a dict where task numbers have gaps."""
        return {job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
                for job, tasks in self._jobs.items()}

    def as_cluster_def(self) -> Any:
        """The message."""
        return _proto.ClusterDef(job=[_proto.JobDef(name=job, tasks=dict(self._jobs[job])) for job in sorted(self._jobs)])

    @property
    def jobs(self) -> Any:
        """The names of jobs."""
        return list(self._jobs)

    def _tasks(self, job_name):
        if job_name not in self._jobs:
            raise ValueError(f'No such job in cluster: {job_name!r}')
        return self._jobs[job_name]

    def num_tasks(self, job_name: Any) -> int:
        """How many tasks a job has."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        """The numbers of its tasks."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name, task_index):
        """The address of a task."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f'No task with index {task_index!r} in job {job_name!r}')
        return tasks[task_index]

    def job_tasks(self, job_name: Any) -> list[Any]:
        """The addresses of its tasks by their numbers; None where there is none."""
        tasks = self._tasks(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]


publish('tf.train', ClusterSpec)
