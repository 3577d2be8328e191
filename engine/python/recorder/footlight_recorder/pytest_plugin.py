"""The plug-in for pytest: `--footlight` records tests, `@pytest.mark.max_retraces(N)` limits the retraces of one.

    @pytest.mark.max_retraces(0)
    def test_training():
        train(epochs=3)

fails if the functions that the test calls are traced again, and names the line and a fix. `pytest --footlight` keeps a
recording of every test that calls traced functions, and lists what was found at the end. pytest finds the plug-in by itself
where this package is installed; `-p footlight_recorder.pytest_plugin` names it.
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from footlight_recorder import _interpreter, program

_MARK = 'max_retraces'
_PROPERTY = 'footlight'  # of a test's report: what its recording says, also from another process


class Said:
    """What a recording says of a test."""

    def __init__(self, path: str) -> None:
        report = json.loads(program.output_of('report', '--json', path))
        self.path = path
        self.functions: list[dict[str, Any]] = report['functions']
        self.findings: list[dict[str, Any]] = report['findings']

    def lines(self) -> list[str]:
        """Each finding with its place, its explanation and its fix."""
        found = []
        for finding in self.findings:
            found.append(f'{finding["id"]}: {finding["title"]} ({finding["place"] or finding["function"]})')
            found.append(f'    {finding["message"]}')
            edit = finding['fix']['edit']
            for sign, text in (('-', edit['old']), ('+', edit['new'])) if edit else ():
                found += [f'    {sign} {line}' for line in text.splitlines()]
        return found

    def too_many(self, allowed: int, count: int) -> str:
        """The words of a failure for that many retraces; '' if no more than allowed."""
        if count <= allowed:
            return ''
        words = [f'{count} retrace{"s" * (count > 1)}, {allowed} {"is" if allowed == 1 else "are"} allowed']
        words += [f'{f["function"]} ({f["place"] or "line unknown"}): {f["traces"]} traces, {f["calls"]} calls' for f in self.functions
                  if f['retraces']]
        return '\n'.join(words + self.lines())


class Plugin:
    """Records the tests of a run."""

    def __init__(self, config: pytest.Config) -> None:
        self.wanted = bool(config.getoption('footlight') or config.getoption('footlight_session'))
        self.of_session = bool(config.getoption('footlight_session'))
        self.folder = os.path.abspath(config.getoption('footlight_dir'))
        self.session_path = ''
        self.limited: list[tuple[str, int]] = []  # tests of a recorded session, and the retraces that they may make
        self.failed: list[tuple[str, str]] = []   # those that made more, and the words
        self.said_of_session: Said | None = None

    # ---- recording --------------------------------------------------------------------------------------------------------

    def begin_session(self, config: pytest.Config) -> None:
        os.makedirs(self.folder, exist_ok=True)
        worker = getattr(config, 'workerinput', {}).get('workerid', '')  # of a run on several processes
        self.session_path = os.path.join(self.folder, f'session{"-" * bool(worker)}{worker}.footlight')
        self.session_path = in_program().start(self.session_path, script='pytest')

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        allowed = _allowed(item)
        if self.of_session:
            if allowed is not None:
                self.limited.append((item.nodeid, allowed))
            with _span_of(item):
                yield
            return
        if not self.wanted and allowed is None:
            yield
            return
        folder = self.folder if self.wanted else tempfile.mkdtemp(prefix='footlight-')
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, _file_name(item.nodeid))
        try:
            path = in_program().start(path, level='ops' if self.wanted else 'structure', script=item.nodeid)
            try:
                with _span_of(item):
                    outcome: Any = yield
            finally:
                in_program().stop('the test ended')
            words = self.judge(item, path, allowed)
        finally:
            if not self.wanted:
                shutil.rmtree(folder, ignore_errors=True)
        if words and outcome.excinfo is None:
            outcome.force_exception(pytest.fail.Exception(words, pytrace=False))

    def judge(self, item: pytest.Item, path: str, allowed: int | None) -> str:
        """The words of a failure, if the test made more retraces than allowed; '' if not."""
        said = Said(path)
        if not any(function['calls'] or function['failed'] for function in said.functions):
            os.unlink(path)
            return ''
        if self.wanted:
            item.user_properties.append((_PROPERTY, json.dumps({'recording': path, 'findings': said.lines()})))
        if allowed is None:
            return ''
        # A recording may hold traces that earlier tests made, since they serve calls of this one.
        words = said.too_many(allowed, _retraces_of_tests(path).get(item.nodeid, 0))
        if words and not self.wanted:
            words += '\n(pytest --footlight keeps the recording)'
        return words

    # ---- the end ------------------------------------------------------------------------------------------------------------

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.session_path:
            return
        in_program().stop('the tests ended')
        said = self.said_of_session = Said(self.session_path)
        retraces = _retraces_of_tests(self.session_path) if self.limited else {}
        for nodeid, allowed in self.limited:
            words = said.too_many(allowed, retraces.get(nodeid, 0))
            if words:
                self.failed.append((nodeid, words))
        if self.failed:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        told = [(report.nodeid, json.loads(value)) for reports in terminalreporter.stats.values() for report in reports
                if getattr(report, 'when', '') == 'call' for name, value in report.user_properties if name == _PROPERTY]
        if self.said_of_session is not None:
            told.append(('the session', {'recording': self.session_path, 'findings': self.said_of_session.lines()}))
        if not told and not self.failed:
            if self.wanted:
                terminalreporter.write_line('footlight: no test called a traced function')
            return
        terminalreporter.section('footlight')
        for who, said in told:
            if said['findings'] or who == 'the session':
                terminalreporter.write_line(f'{who}: {said["recording"]}')
                for line in said['findings'] or ['no findings']:
                    terminalreporter.write_line('  ' + line)
        quiet = sum(not said['findings'] for who, said in told if who != 'the session')
        if quiet:
            terminalreporter.write_line(f'{quiet} more recording{"s" * (quiet > 1)} without findings in {self.folder}')
        for nodeid, words in self.failed:
            terminalreporter.write_line(f'FAILED {nodeid}: {words.splitlines()[0]}', red=True)
        terminalreporter.write_line('`footlight RECORDING` shows one in the window')


def in_program() -> Any:
    """The recorder; pytest's own error if this Python cannot record."""
    words = _interpreter.why_unusable()
    if words:
        raise pytest.UsageError(words)
    from footlight_recorder import in_program as module
    return module


def _span_of(item: pytest.Item) -> Any:
    """The test as a span on the timeline."""
    from footlight_recorder import _recorder
    return _recorder.span(item.nodeid, 'test')


def _allowed(item: pytest.Item) -> int | None:
    """The argument of the test's mark; None: it has none."""
    mark = item.get_closest_marker(_MARK)
    if mark is None:
        return None
    values = [*mark.args, *mark.kwargs.values()]
    if len(values) != 1 or not isinstance(values[0], int) or isinstance(values[0], bool) or values[0] < 0:
        raise pytest.UsageError(f'{item.nodeid}: @pytest.mark.{_MARK} takes one number of retraces, such as {_MARK}(0)')
    return values[0]


def _file_name(nodeid: str) -> str:
    """"tests-test_train.py-test_step.footlight", different for every test."""
    name = re.sub(r'[^\w.\[\]-]+', '-', nodeid)
    if len(name) > 150 or name != nodeid.replace('/', '-').replace('::', '-'):
        name = f'{name[:150]}-{hashlib.sha256(nodeid.encode("utf-8", "surrogatepass")).hexdigest()[:8]}'
    return name + '.footlight'


def _retraces_of_tests(path: str) -> dict[str, int]:
    """How often functions were traced again in each test, by the test's id."""
    rows = json.loads(program.output_of('sql', '--json', path, '''
        SELECT test, sum(made - 1) AS retraces FROM (
            SELECT spans.name AS test, traces.function_id, count(*) AS made FROM spans
            JOIN traces ON traces.start_ns BETWEEN spans.start_ns AND spans.start_ns + spans.duration_ns
            WHERE spans.category = 'test' AND traces.kind = 'trace' AND coalesce(traces.error, '') = '' GROUP BY 1, 2)
        GROUP BY 1'''))
    return {row['test']: row['retraces'] for row in rows}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup('footlight', 'what traced functions do in tests')
    group.addoption('--footlight', action='store_true', help='record each test that calls traced functions, and list what '
                                                             'is found')
    group.addoption('--footlight-session', action='store_true', help='record all tests, and their imports, in one recording')
    group.addoption('--footlight-dir', default='footlight-recordings', metavar='FOLDER',
                    help='where recordings go (default: %(default)s)')


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Functions that are made while tests are imported can be recorded later."""
    if not _interpreter.why_unusable():
        in_program().prepare()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line('markers', f'{_MARK}(n): fail if functions are traced more than n times beyond each one\'s first '
                                       'time in the test')
    plugin = Plugin(config)
    if plugin.wanted:
        in_program()
    config.pluginmanager.register(plugin, 'footlight-recorder')
    if plugin.of_session and not config.getoption('collectonly', False):
        plugin.begin_session(config)
