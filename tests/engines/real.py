#!/usr/bin/env python3
"""Records the samples of an engine under that engine itself, which `packaging/test.sh engines` installs.

    real.py ENGINE

The interpreter is the one that has the engine. For each sample: it prints and ends as without Footlight, and the first
finding names the cause. Then Keras and Lightning train with their callbacks (`callbacks`), which record the steps they are
asked for. Ends with "N passed, N failed".
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get('FOOTLIGHT_BUILD', os.path.join(ROOT, 'build', 'release')), 'bin', 'footlight')
SAMPLES = os.path.join(ROOT, 'resources', 'examples', 'engines')

CAUSES = {  # of the first finding; None: nothing is to be found
    'jax': {
        'big_table': 'large_constant',
        'counted_steps': 'python_side_effect',
        'frozen_rate': 'stale_capture',
        'growing_list': 'structure_change',
        'jit_in_loop': 'function_made_in_loop',
        'lambda_argument': 'callable_made_at_call',
        'lengths': 'varying_shape',
        'none_or_array': 'argument_form',
        'numpy_noise': 'baked_random',
        'options_object': 'new_object_identity',
        'placed_later': 'recompile_without_retrace',
        'python_loop': 'unrolled_loop',
        'static_number': 'python_scalar_argument',
        'weak_type': 'weak_type_flip',
    },
    'torch': {
        'branch_on_data': 'graph_break',
        'captured_text': 'callable_made_at_call',
        'dynamic_off': 'varying_shape',
        'gradient_at_times': 'argument_form',
        'growing_history': 'structure_change',
        'item_in_the_middle': 'graph_break',
        'length_in_python': 'dimension_specialized',
        'limit_of_traces': 'recompile_limit',
        'same_tensor_twice': 'variable_identity',
        'step_in_module': 'python_scalar_argument',
        'transformer': 'graph_break',
        'transposed_view': 'layout_change',
        'warm_up_without_gradients': 'context_change',
    },
    'tensorflow': {
        'compiled_lengths': 'recompile_without_retrace',
        'function_in_loop': 'function_made_in_loop',
        'growing_list': 'structure_change',
        'keras_fit': None,
        'lambda_argument': 'callable_made_at_call',
        'lengths': 'varying_shape',
        'none_or_tensor': 'argument_form',
        'options_object': 'new_object_identity',
        'python_number': 'python_scalar_argument',
        'stale_margin': 'stale_capture',
        'two_dtypes': 'dtype_flip',
    },
}
CALLBACKS = {'tensorflow': ['keras_steps'], 'torch': ['lightning_steps']}


def run(*words, **variables):
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ['PATH']
    return subprocess.run(words, capture_output=True, text=True, timeout=600, env={**os.environ, 'PATH': path, **variables})


def faults(engine, sample, cause, folder):
    """What is wrong with the recording of a sample, in words."""
    recording = os.path.join(folder, 'run.footlight')
    plain = run(sys.executable, sample)
    recorded = run(PROGRAM, 'record', '--engine', engine, '-o', recording, sample)
    found = []
    if (plain.returncode, plain.stdout) != (recorded.returncode, recorded.stdout):
        found.append(f'exit status {plain.returncode} and {recorded.returncode}; printed {plain.stdout!r} and '
                     f'{recorded.stdout!r}, {recorded.stderr[-2000:]}')
    report = run(PROGRAM, 'report', '--json', recording)
    if report.returncode:
        return [*found, report.stderr]
    said = json.loads(report.stdout)
    causes = [finding['cause'] for finding in said['findings']] or [None]
    if causes[0] != cause:
        found.append(f'found {causes}, not {cause}')
    found += [f'hooks are missing: {one["missing_hooks"]}' for one in said['run']['engines'] if one['missing_hooks']]
    return found


def callback_faults(script, folder):
    """What is wrong with the recording that a callback of a training library made of its steps 3 to 6, in words."""
    recording = os.path.join(folder, 'steps.footlight')
    package = os.path.join(os.path.dirname(os.path.dirname(PROGRAM)), 'python')
    trained = run(sys.executable, script, recording, PYTHONPATH=os.pathsep.join([package, *filter(None, [os.environ.get('PYTHONPATH')])]))
    if trained.returncode:
        return [trained.stderr[-2000:]]
    rows = [run(PROGRAM, 'sql', '--json', recording, query) for query in (
        "SELECT name FROM spans WHERE category = 'step' ORDER BY start_ns",
        # A compiled function was called in each of the steps.
        "SELECT s.name FROM calls c JOIN spans s ON s.category = 'step' AND c.start_ns BETWEEN s.start_ns AND "
        "s.start_ns + s.duration_ns GROUP BY s.name ORDER BY s.name")]
    for answer in rows:
        if answer.returncode:
            return [answer.stderr]
    spans, in_steps = ([row['name'] for row in json.loads(answer.stdout)] for answer in rows)
    steps = ['step 3', 'step 4', 'step 5', 'step 6']
    return [f'{what}: {found}, not {expected}' for what, found, expected in (
        ('recorded', spans, steps), ('calls are in', in_steps, steps)) if found != expected]


def main(engine):
    causes = CAUSES[engine]
    samples = {os.path.basename(path)[:-3]: path for path in glob.glob(os.path.join(SAMPLES, engine, '*.py'))}
    failed = 0
    for name in sorted(samples.keys() | causes.keys()):
        with tempfile.TemporaryDirectory() as folder:
            if name not in samples or name not in causes:
                found = ['there is no such sample' if name not in samples else 'no cause is named for it here']
            else:
                found = faults(engine, samples[name], causes[name], folder)
        failed += bool(found)
        print('ok  ' if not found else 'FAIL', f'{engine}/{name}', '; '.join(found), flush=True)
    count = len(samples.keys() | causes.keys())
    for name in CALLBACKS.get(engine, ()):
        with tempfile.TemporaryDirectory() as folder:
            found = callback_faults(os.path.join(ROOT, 'tests', 'engines', 'callbacks', f'{name}.py'), folder)
        count += 1
        failed += bool(found)
        print('ok  ' if not found else 'FAIL', f'{engine}/{name}', '; '.join(found), flush=True)
    print(f'{count - failed} passed, {failed} failed')
    return bool(failed)


if __name__ == '__main__':
    if sys.argv[1:2] == [] or sys.argv[1] not in CAUSES:
        sys.exit(f'usage: real.py {"|".join(CAUSES)}')
    sys.exit(main(sys.argv[1]))
