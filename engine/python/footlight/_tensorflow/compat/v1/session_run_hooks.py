"""tf.compat.v1.train's hooks: what a session of training calls before and after each run, and when it begins and ends."""
from __future__ import annotations

import collections
import time

import numpy as np

import footlight as tf
from footlight._typing import Any

_v1 = tf.compat.v1

SessionRunArgs = collections.namedtuple('SessionRunArgs', 'fetches feed_dict options', defaults=(None, None))
SessionRunArgs.__doc__ = 'What a hook asks to have run beside what the program runs.'
SessionRunValues = collections.namedtuple('SessionRunValues', 'results options run_metadata')
SessionRunValues.__doc__ = 'What a run gave for what a hook asked for.'


class SessionRunContext:
    """A run that is going on: what the program asked for, and whether a hook wants it to be the last."""

    def __init__(self, original_args: Any, session: Any) -> None:
        self._original_args, self._session, self._stop = original_args, session, False

    original_args = property(lambda self: self._original_args, doc='A SessionRunArgs of what the program runs.')
    session = property(lambda self: self._session, doc='The session, whose runs call no hooks.')
    stop_requested = property(lambda self: self._stop, doc='Whether a hook asked to stop.')

    def request_stop(self) -> None:
        """Makes this run the last one."""
        self._stop = True


class SessionRunHook:
    """Base class of hooks: each of these does nothing."""

    def begin(self) -> None:
        """Called once, before the session is there: the graph may still be added to."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when there is a new session."""

    def before_run(self, run_context: Any) -> None:
        """Called before each run: returns a SessionRunArgs, or None."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each run."""

    def end(self, session: Any) -> None:
        """Called once, at the end, unless that was an error."""


class SecondOrStepTimer:
    """Tells when something is due again, after a number of seconds or of steps."""

    def __init__(self, every_secs: int | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if every_secs is not None and every_steps is not None:
            raise ValueError('Can not provide both every_secs and every_steps.')
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it was done last."""
        self._last_step = self._last_time = None

    def should_trigger_for_step(self, step):
        """Whether it is due at this step."""
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step):
        """Notes that it was done; returns the seconds and the steps since the time before, None at first."""
        now = time.time()
        passed = (None, None) if self._last_step is None else (now - self._last_time, step - self._last_step)
        self._last_step, self._last_time = step, now
        return passed

    def last_triggered_step(self) -> Any:
        """The step of the last time."""
        return self._last_step


class _Never(SecondOrStepTimer):
    def __init__(self) -> None:
        super().__init__(every_steps=1)

    def should_trigger_for_step(self, step: Any) -> bool:
        return False


def _step_of(hook: Any) -> tf.Variable:
    step = _v1.train.get_global_step()
    if step is None:
        raise RuntimeError(f'Global step should be created to use {type(hook).__name__}.')
    return step


def _due_step(timer: SecondOrStepTimer, global_step: tf.Variable, run_context: SessionRunContext,
              run_values: Any) -> Any:
    """The step after a run in which `timer` is due, else None. What the run itself read may be one step old."""
    if not timer.should_trigger_for_step(run_values.results + 1):
        return None
    step = run_context.session.run(global_step)
    return step if timer.should_trigger_for_step(step) else None


def _writer(given, folder):
    return _v1.summary.FileWriterCache.get(folder) if given is None and folder else given


class LoggingTensorHook(SessionRunHook):
    """Logs values every `every_n_iter` runs or `every_n_secs` seconds, and at the end."""

    def __init__(self, tensors: Any, every_n_iter: int | None = None, every_n_secs: int | None = None,
                 at_end: bool = False, formatter: Any = None) -> None:
        if not (at_end and every_n_iter is None and every_n_secs is None) and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError('either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.')
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f'invalid every_n_iter={every_n_iter}.')
        self._tensors = tensors if isinstance(tensors, dict) else {tensor: tensor for tensor in tensors}
        self._formatter, self._at_end = formatter, at_end
        self._timer = _Never() if every_n_iter is None and every_n_secs is None else SecondOrStepTimer(
            every_n_secs, every_n_iter)

    def begin(self) -> None:
        self._timer.reset()
        self._runs, graph = 0, _v1.get_default_graph()
        self._current = {tag if isinstance(tag, str) else tag.name: graph.as_graph_element(tensor)
                         for tag, tensor in self._tensors.items()}

    def before_run(self, run_context):
        self._due = self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._current) if self._due else None

    def _log(self, values: dict[Any, Any]) -> None:
        passed, _ = self._timer.update_last_triggered_step(self._runs)
        if self._formatter is not None:
            text = self._formatter(values)
        else:
            text = ', '.join(f'{tag} = {value!s}' for tag, value in values.items())
            text += '' if passed is None else f' ({passed:.3f} sec)'
        with np.printoptions(suppress=True):
            _v1.logging.info('%s', text)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._due:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(self._current))


class StopAtStepHook(SessionRunHook):
    """Stops after `num_steps` steps, or at `last_step`."""

    def __init__(self, num_steps: Any = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._step = _step_of(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        # The step was read in parallel with the update, so it may be one behind.
        if run_values.results + 1 >= self._last_step and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


class CheckpointSaverListener:
    """Base class of what is called around each checkpoint."""

    def begin(self) -> None:
        """Called once, before the session is there."""

    def before_save(self, session: Any, global_step_value: Any) -> None:
        """Called before the values are saved."""

    def after_save(self, session: Any, global_step_value: Any) -> None:
        """Called when they are saved: True asks to stop."""

    def end(self, session: Any, global_step_value: Any) -> None:
        """Called once, at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints every `save_secs` seconds or `save_steps` steps, at the beginning and at the end."""

    def __init__(self, checkpoint_dir: Any, save_secs: Any = None, save_steps: int | None = None, saver: Any = None,
                 checkpoint_basename: str = 'model.ckpt', scaffold: Any = None, listeners: Any = None,
                 save_graph_def: bool = True) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError('You cannot provide both saver and scaffold.')
        self._saver, self._scaffold, self._folder = saver, scaffold, checkpoint_dir
        self._path = tf.io.gfile.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners, self._with_graph = list(listeners or ()), save_graph_def

    def begin(self) -> None:
        self._summaries = _v1.summary.FileWriterCache.get(self._folder)
        self._step = _step_of(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = session.run(self._step)
        if self._with_graph:
            graph = _v1.get_default_graph()
            tf.io.write_graph(graph.as_graph_def(add_shapes=True), self._folder, 'graph.pbtxt')
            self._summaries.add_graph(graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = _due_step(self._timer, self._step, run_context, run_values)
        if step is not None:
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Saves a checkpoint; returns whether a listener asks to stop."""
        for listener in self._listeners:
            listener.before_save(session, step)
        self._used_saver().save(session, self._path, global_step=step, write_meta_graph=self._with_graph)
        self._summaries.add_session_log(_v1.SessionLog(status=_v1.SessionLog.CHECKPOINT, checkpoint_path=self._path), step)
        self._summaries.flush()
        return any([listener.after_save(session, step) for listener in self._listeners])

    def _used_saver(self) -> Any:
        if self._saver is None and self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            savers = _v1.get_collection('savers')
            if not savers:
                raise RuntimeError('No items in collection savers. Please add one to the collection or pass a saver or scaffold.')
            if len(savers) > 1:
                raise RuntimeError('More than one item in collection savers. Pass a saver or a scaffold.')
            self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """Logs and summarizes how many steps a second takes."""

    def __init__(self, every_n_steps: int | None = 100, every_n_secs: Any = None, output_dir: str | None = None,
                 summary_writer: Any = None) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError('exactly one of every_n_steps and every_n_secs should be provided.')
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._given, self._folder = summary_writer, output_dir

    def begin(self):
        self._summaries = _writer(self._given, self._folder)
        self._step = _step_of(self)
        self._tag = self._step.op.name + '/sec'

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = _due_step(self._timer, self._step, run_context, run_values)
        if step is not None:
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds:
                self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        rate = elapsed_steps / elapsed_time
        if self._summaries is not None:
            value = _v1.Summary.Value(tag=self._tag, simple_value=rate)
            self._summaries.add_summary(_v1.Summary(value=[value]), global_step)
        _v1.logging.info('%s: %g', self._tag, rate)


class NanLossDuringTrainingError(RuntimeError):
    """The error that NanTensorHook raises."""

    def __str__(self) -> str:
        return 'NaN loss during training.'


class NanTensorHook(SessionRunHook):
    """Ends the training when the loss is not a number."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if np.isnan(run_values.results):
            if self._fails:
                _v1.logging.error('Model diverged with loss = NaN.')
                raise NanLossDuringTrainingError()
            _v1.logging.warning('Model diverged with loss = NaN.')
            run_context.request_stop()


class SummarySaverHook(SessionRunHook):
    """Writes summaries every `save_steps` steps or `save_secs` seconds."""

    def __init__(self, save_steps: int | None = None, save_secs: Any = None, output_dir: str | None = None,
                 summary_writer: Any = None, scaffold: Any = None, summary_op: Any = None) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError('Exactly one of scaffold or summary_op must be provided.')
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._given, self._folder, self._scaffold, self._op = summary_writer, output_dir, scaffold, summary_op

    def begin(self):
        self._summaries = _writer(self._given, self._folder)
        self._step, self._next = _step_of(self), None

    def before_run(self, run_context):
        self._due = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted = {'step': self._step}
        op = self._op if self._op is not None else self._scaffold.summary_op
        if self._due and op is not None:
            wanted['summary'] = list(op) if isinstance(op, (list, tuple)) else [op]
        return SessionRunArgs(wanted)

    def after_run(self, run_context, run_values):
        if self._summaries is None:
            return
        stale = run_values.results['step']
        step = stale + 1
        if self._next is None or self._due:
            step = run_context.session.run(self._step)
        if self._next is None:
            self._summaries.add_session_log(_v1.SessionLog(status=_v1.SessionLog.START), step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get('summary', ()):
                self._summaries.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any = None) -> None:
        if self._summaries is not None:
            self._summaries.flush()


class GlobalStepWaiterHook(SessionRunHook):
    """Waits with the first run until another thread has come to a step."""

    def __init__(self, wait_until_step: Any) -> None:
        self._until = wait_until_step

    def begin(self) -> None:
        self._step, self._is_there = _step_of(self), False

    def before_run(self, run_context: Any) -> None:
        while not self._is_there and self._until > 0:
            self._is_there = run_context.session.run(self._step) >= self._until
            if not self._is_there:
                time.sleep(0.5)


class FinalOpsHook(SessionRunHook):
    """Runs something at the end and keeps what it gave."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed, self._values = final_ops, final_ops_feed_dict, None

    final_ops_values = property(lambda self: self._values, doc='What it gave.')

    def end(self, session: Any) -> None:
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed)


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function gives."""

    def __init__(self, feed_fn: Any) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


for _name, _object in list(globals().items()):
    if isinstance(_object, type) and _object.__module__ == __name__ and not _name.startswith('_'):
        _object.__module__ = 'footlight.compat.v1.train'
        setattr(_v1.train, _name, _object)
