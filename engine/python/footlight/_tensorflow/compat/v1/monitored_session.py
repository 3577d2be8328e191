"""tf.compat.v1.train's sessions of training: what a graph needs before it runs, and a session that calls hooks."""
from __future__ import annotations

import os

import footlight as tf
from footlight._tensorflow.compat.v1.session_run_hooks import (
    CheckpointSaverHook, SessionRunArgs, SessionRunContext, SessionRunValues, StepCounterHook, SummarySaverHook)
from footlight._public import publish
from footlight._typing import Any, Callable

_v1 = tf.compat.v1
_DEFAULT = object()


class Scaffold:
    """What belongs to a graph that is trained: how it begins, how its checkpoints and summaries are made."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None):
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError('copy_from_scaffold is not a Scaffold instance.')

        def chosen(given, name):
            return given if given is not None or copy_from_scaffold is None else getattr(copy_from_scaffold, name)
        self._init_op, self._ready_op = chosen(init_op, 'init_op'), chosen(ready_op, 'ready_op')
        self._ready_for_local_init_op = chosen(ready_for_local_init_op, 'ready_for_local_init_op')
        self._local_init_op = chosen(local_init_op, 'local_init_op')
        self._local_init_feed_dict = chosen(local_init_feed_dict, 'local_init_feed_dict')
        self._summary_op, self._saver = chosen(summary_op, 'summary_op'), chosen(saver, 'saver')
        self._init_feed_dict = chosen(init_feed_dict, 'init_feed_dict')
        if init_fn is not None:
            self._init_fn = lambda session: init_fn(self, session)
        else:
            self._init_fn = None if copy_from_scaffold is None else copy_from_scaffold.init_fn

    init_op = property(lambda self: self._init_op, doc='Gives the variables their first values.')
    init_feed_dict = property(lambda self: self._init_feed_dict, doc='What init_op is fed.')
    init_fn = property(lambda self: self._init_fn, doc='Called with the session, after init_op.')
    ready_op = property(lambda self: self._ready_op, doc='Gives the names of variables without a value.')
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op, doc='As ready_op, before local_init_op.')
    local_init_op = property(lambda self: self._local_init_op, doc='Runs in every session, after a checkpoint was read too.')
    local_init_feed_dict = property(lambda self: self._local_init_feed_dict, doc='What local_init_op is fed.')
    summary_op = property(lambda self: self._summary_op, doc='Gives all summaries.')
    saver = property(lambda self: self._saver, doc='Saves and reads checkpoints.')

    def finalize(self) -> Scaffold:
        """Makes what was not given, then closes the graph."""
        for name, collection, make in (
                ('init_op', 'init_op', lambda: tf.group(_v1.global_variables_initializer())),
                ('ready_op', 'ready_op', _v1.report_uninitialized_variables),
                ('ready_for_local_init_op', 'ready_for_local_init_op',
                 lambda: _v1.report_uninitialized_variables(_v1.global_variables())),
                ('local_init_op', 'local_init_op', self.default_local_init_op),
                ('summary_op', 'summary_op', _v1.summary.merge_all),
                ('saver', 'savers', lambda: _v1.train.Saver(sharded=True, allow_empty=True))):
            if getattr(self, '_' + name) is None:
                setattr(self, '_' + name, self.get_or_default(name, collection, make))
        _v1.get_default_graph().finalize()
        return self

    @staticmethod
    def get_or_default(arg_name: Any, collection_key: Any, default_constructor: Callable[..., Any]) -> Any:
        """The only element of a collection; where that is empty, what is made then and added to it."""
        there = _v1.get_collection(collection_key)
        if len(there) > 1:
            raise RuntimeError(f'More than one item in the collection "{collection_key}". Please indicate which one to '
                               f'use by passing it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to '
                               'use)')
        if there and there[0] is not None:
            return there[0]
        made = default_constructor()
        if made is not None:
            _v1.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Gives variables that are not kept and tables their first values."""
        return tf.group(_v1.local_variables_initializer(), _v1.tables_initializer())


class SessionCreator:
    """Base class of what makes sessions."""

    def create_session(self) -> Any:
        """A new session."""
        raise NotImplementedError(f'{type(self).__name__} has to define create_session')


class ChiefSessionCreator(SessionCreator):
    """Makes a session whose variables have the values of the last checkpoint, or else their first ones."""

    def __init__(self, scaffold: Any = None, master: str = '', config: Any = None, checkpoint_dir: Any = None,
                 checkpoint_filename_with_path: Any = None) -> None:
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError('Can not provide both checkpoint_dir and checkpoint_filename_with_path.')
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def _restore(self, session: Any) -> bool:
        """Reads the last checkpoint; returns whether there is one."""
        saver, path = self._scaffold.saver, self._path
        if path is None:
            state = _v1.train.get_checkpoint_state(self._folder) if self._folder else None
            if state is None or not state.model_checkpoint_path:
                return False
            path = state.model_checkpoint_path
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        saver.restore(session, path)
        return True

    def create_session(self) -> Any:
        scaffold = self._scaffold.finalize()
        session = _v1.Session(self._master, graph=_v1.get_default_graph(), config=self._config)
        if not self._restore(session):
            if scaffold.init_op is None and scaffold.init_fn is None:
                raise RuntimeError('Model is not initialized and no init_op or init_fn or local_init_op was given')
            session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(session)
        if scaffold.local_init_op is not None:
            session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        missing = session.run(scaffold.ready_op) if scaffold.ready_op is not None else ()
        if len(missing):
            raise RuntimeError('Init operations did not make model ready.  Init op: '
                               f"{getattr(scaffold.init_op, 'name', None)}, init fn: {scaffold.init_fn}, "
                               f"local_init_op: {getattr(scaffold.local_init_op, 'name', None)}, error: Variables not "
                               f"initialized: {', '.join(tf.compat.as_str_any(one) for one in missing)}")
        return session


class WorkerSessionCreator(ChiefSessionCreator):
    """Makes a session that another process would have prepared: there is one process, which prepares it here."""

    def __init__(self, scaffold: Any = None, master: str = '', config: Any = None,
                 max_wait_secs: Any = 30 * 60) -> None:
        super().__init__(scaffold, master, config)


class _StepContext:
    """What a step function gets: the session, and a way to run with hooks once."""

    def __init__(self, session: Any, run_with_hooks: Any, request_stop: Any) -> None:
        self.session, self.run_with_hooks, self.request_stop = session, run_with_hooks, request_stop


class MonitoredSession:
    """A session that calls hooks, ends when one asks for it, and begins anew when a device went away."""

    StepContext = _StepContext
    _recoverable: tuple[Any, ...] = (tf.errors.AbortedError, tf.errors.UnavailableError)

    def __init__(self, session_creator: Any = None, hooks: Any = None, stop_grace_period_secs: int = 120) -> None:
        self._hooks = list(hooks or ())
        self._creator = session_creator or ChiefSessionCreator()
        self._grace, self._asked_to_stop = stop_grace_period_secs, False
        self._coord = self._session = None
        for hook in self._hooks:
            hook.begin()
        self._open()

    def _open(self):
        self._coord = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.OutOfRangeError, StopIteration))
        self._session = self._creator.create_session()
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)

    def _opened(self) -> Any:
        if self._session is None:
            raise RuntimeError('Attempted to use a closed Session.')
        return self._session

    graph = property(lambda self: self._opened().graph, doc='The graph that it runs.')

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Session.run, with the hooks around it."""
        while True:
            try:
                return self._run(fetches, feed_dict, options, run_metadata)
            except self._recoverable as error:
                _v1.logging.info('An error was raised while a session was created: a new session begins. Error: %s', error)
                self._session.close()
                self._open()

    def _run(self, fetches: Any, feed_dict: dict[Any, Any] | None, options: Any, run_metadata: Any) -> Any:
        session = self._opened()
        if self.should_stop():
            raise RuntimeError('Run called even after should_stop requested.')
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
        feeds, wanted = dict(feed_dict or {}), {}
        by_hooks = set()
        for number, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[str(number)] = request.fetches
            for key, value in (request.feed_dict or {}).items():
                name = getattr(key, 'name', key)
                if name in by_hooks:
                    raise RuntimeError('Same tensor is fed by two hooks.')
                if any(getattr(one, 'name', one) == name for one in feeds):
                    raise RuntimeError(f'Same tensor is fed by a SessionRunHook and user. Conflict(s): [{key!r}]')
                by_hooks.add(name)
                feeds[key] = value
        results = session.run({'caller': fetches, **wanted}, feed_dict=feeds, options=options, run_metadata=run_metadata)
        for number, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(results.get(str(number)), options, run_metadata))
        self._asked_to_stop |= context.stop_requested
        return results['caller']

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function with a StepContext, and returns what it returns."""
        names = step_fn.__code__.co_varnames[:step_fn.__code__.co_argcount]
        if tuple(name for name in names if name != 'self') != ('step_context',):
            raise ValueError('`step_fn` may either have one `step_context` argument, or two arguments: `self` and `step_context`.')

        def request_stop():
            self._asked_to_stop = True
            raise StopIteration('step_fn has requested the iterations to stop.')
        return step_fn(_StepContext(self._opened(), self.run, request_stop))

    def should_stop(self) -> bool:
        """Whether a hook asked to stop, or it is closed."""
        return self._session is None or self._asked_to_stop or self._coord.should_stop()

    def close(self) -> None:
        """Lets the hooks end and closes the session."""
        self._end(None)

    def _end(self, error: type[Any] | None) -> None:
        session = self._session
        try:
            if session is not None and error is None:
                for hook in self._hooks:
                    hook.end(session)
        finally:
            self._session = None
            if session is not None:
                self._coord.request_stop()
                session.close()
                self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)

    def __enter__(self) -> MonitoredSession | SingularMonitoredSession:
        return self

    def __exit__(self, kind: type[Any] | None, error: Any, traceback: Any) -> bool:
        if kind is not None and issubclass(kind, (tf.errors.OutOfRangeError, StopIteration)):
            kind = None  # the end of the data is an end as any other
        self._end(kind)
        return kind is None


class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession that does not begin anew, and whose session may be taken."""

    _recoverable = ()

    def __init__(self, hooks: Any = None, scaffold: Any = None, master: str = '', config: Any = None,
                 checkpoint_dir: Any = None, stop_grace_period_secs: int = 120,
                 checkpoint_filename_with_path: Any = None) -> None:
        super().__init__(ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path), hooks,
                         stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session, whose runs call no hooks."""
        return self._session


def MonitoredTrainingSession(master='', is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
                             save_checkpoint_secs=_DEFAULT, save_summaries_steps=_DEFAULT, save_summaries_secs=_DEFAULT,
                             config=None, stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200,
                             save_checkpoint_steps=_DEFAULT, summary_dir=None, save_graph_def=True):
    """A MonitoredSession that also saves checkpoints and summaries, where it is told a folder."""
    def both(first, second, default):
        if first is _DEFAULT and second is _DEFAULT:
            return default, None
        return (None if first is _DEFAULT else first), (None if second is _DEFAULT else second)
    save_summaries_steps, save_summaries_secs = both(save_summaries_steps, save_summaries_secs, 100)
    save_checkpoint_secs, save_checkpoint_steps = both(save_checkpoint_secs, save_checkpoint_steps, 600)
    scaffold = scaffold or Scaffold()
    if not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks, stop_grace_period_secs)
    every, folder = list(chief_only_hooks or ()), summary_dir or checkpoint_dir
    if folder:
        if log_step_count_steps and log_step_count_steps > 0:
            every.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=os.fspath(folder)))
        if (save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0:
            every.append(SummarySaverHook(save_steps=save_summaries_steps, save_secs=save_summaries_secs, scaffold=scaffold,
                                          output_dir=os.fspath(folder)))
    if checkpoint_dir and ((save_checkpoint_secs or 0) > 0 or (save_checkpoint_steps or 0) > 0):
        every.append(CheckpointSaverHook(os.fspath(checkpoint_dir), save_secs=save_checkpoint_secs,
                                         save_steps=save_checkpoint_steps, scaffold=scaffold, save_graph_def=save_graph_def))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, every + list(hooks or ()), stop_grace_period_secs)


publish('tf.compat.v1.train', Scaffold, SessionCreator, ChiefSessionCreator, WorkerSessionCreator, MonitoredSession,
        SingularMonitoredSession, MonitoredTrainingSession)
_StepContext.__qualname__, _StepContext.__module__ = 'MonitoredSession.StepContext', 'footlight.compat.v1.train'
