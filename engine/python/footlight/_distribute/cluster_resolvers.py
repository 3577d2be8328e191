"""tf.distribute.cluster_resolver: who takes part in a program of several processes, as far as it is only read."""
from __future__ import annotations

import json
import os

import footlight as tf
from footlight._public import publish
from footlight._typing import Any


class ClusterResolver:
    """Base class: says who takes part in a cluster."""

    task_type = task_id = None
    environment = ''

    def cluster_spec(self) -> Any:
        """Jobs, and the addresses of their tasks."""
        raise NotImplementedError(f'{type(self).__name__} does not say what cluster_spec() gives')

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of the task that runs the program."""
        raise NotImplementedError(f'{type(self).__name__} does not say what master() gives')

    def num_accelerators(self, task_type: Any = None, task_id: Any = None, config_proto: Any = None) -> dict[Any, Any]:
        """How many accelerators each task has, by their kind."""
        return {'GPU': len(tf.config.list_physical_devices('GPU'))}


def _address(spec, task_type, task_id, layer):
    address = spec.task_address(task_type, task_id)
    return f'{layer}://{address}' if layer else address


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is given as a ClusterSpec."""

    def __init__(self, cluster_spec: Any, master: str = '', task_type: Any = None, task_id: Any = None,
                 environment: str = '', num_accelerators: Any = None, rpc_layer: Any = None) -> None:
        if not isinstance(cluster_spec, tf.train.ClusterSpec):
            raise TypeError('cluster_spec must be a `tf.train.ClusterSpec`.')
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer
        self._spec, self._master, self._accelerators = cluster_spec, master, num_accelerators

    def cluster_spec(self) -> Any:
        return self._spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is None or task_id is None:
            return self._master
        return _address(self._spec, task_type, task_id, rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._accelerators or {}


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that the environment variable TF_CONFIG describes."""

    def __init__(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None,
                 environment: Any = None) -> None:
        self._type, self._id, self._layer, self._environment = task_type, task_id, rpc_layer, environment

    def _read(self) -> Any:
        return json.loads(os.environ.get('TF_CONFIG', '{}'))

    def _task(self, name, given, kind):
        if given is not None:
            return given
        found = self._read().get('task', {})
        return kind(found[name]) if name in found else None

    task_type = property(lambda self: self._task('type', self._type, str))
    task_id = property(lambda self: self._task('index', self._id, int))
    environment = property(lambda self: self._environment or self._read().get('environment', ''))
    rpc_layer = property(lambda self: self._layer or self._read().get('rpc_layer', 'grpc'))

    def cluster_spec(self) -> Any:
        return tf.train.ClusterSpec(self._read().get('cluster', {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        spec = self.cluster_spec()
        if not spec.jobs or len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1:
            return ''
        return _address(spec, self.task_type if task_type is None else task_type, self.task_id if task_id is None else task_id,
                        rpc_layer or self.rpc_layer)


class UnionResolver(ClusterResolver):
    """The jobs of several clusters as one."""

    def __init__(self, *resolvers: Any, **kwargs: Any) -> None:
        if not resolvers or not all(isinstance(one, ClusterResolver) for one in resolvers):
            raise TypeError('All arguments must be a sub-class of `ClusterResolver.`')
        self._all = resolvers
        self.task_type, self.task_id = kwargs.get('task_type', resolvers[0].task_type), kwargs.get('task_id', resolvers[0].task_id)

    def cluster_spec(self):
        jobs = {}
        for one in self._all:
            for job, tasks in one.cluster_spec().as_dict().items():
                there = jobs.setdefault(job, [])
                there += [t for t in (tasks if isinstance(tasks, list) else tasks.values()) if t not in there]
        return tf.train.ClusterSpec(jobs)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        return self._all[0].master(task_type, task_id, rpc_layer)


publish('tf.distribute.cluster_resolver', ClusterResolver, SimpleClusterResolver, TFConfigClusterResolver,
        UnionResolver)
