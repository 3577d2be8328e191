#!/usr/bin/env python3
"""Checks from the code's own #include lines who includes whom, and the few points of style that a program can check.

    layering.py [ROOT]         checks the tree, one line per offence; exit status 1 when there is any
    layering.py --self-test    adds offences to a small tree, one after the other, and checks that each is found
"""
import os
import re
import sys
import tempfile

# Folder: what it may include besides itself. Permissions are transitive. A file's innermost folder in the table counts.
MAY_INCLUDE = {
    'engine/base': [],
    'engine/source': [],
    'engine/wire': ['engine/base'],
    'engine/tensor': ['engine/wire'],
    'engine/ops': ['engine/tensor'],
    'engine/graph': ['engine/ops'],
    'engine/formats': ['engine/graph'],
    'engine/session': ['engine/wire'],
    'engine/model': ['engine/session'],
    'engine/foreign': ['engine/session'],
    'engine/query': ['engine/session', 'engine/source'],
    'engine/sql': ['engine/query'],
    'engine/keys': ['engine/session'],
    'engine/explain': ['engine/keys', 'engine/query'],
    'kernels': ['engine/tensor'],
    'engine/optimize': ['engine/graph'],
    'engine/fusion': ['engine/optimize', 'kernels'],
    'engine/jit': ['engine/fusion'],
    'engine/compile': ['engine/fusion'],
    'engine/runtime': ['engine/compile', 'engine/jit'],
    'engine/eager': ['engine/runtime'],
    'engine/autograph': ['engine/base', 'engine/source'],
    'engine/trace': ['engine/eager', 'engine/keys', 'engine/autograph'],
    'engine/data': ['engine/eager', 'engine/record'],
    'engine/record': ['engine/session'],
    'engine/python/interpreter': ['engine/record'],
    'engine/python/recorder': ['engine/python/interpreter', 'engine/keys'],
    'engine/python/types': ['engine/python/interpreter', 'engine/trace'],
    'engine/python/calls': ['engine/python/types'],
    'engine/python/gradients': ['engine/python/calls'],
    'engine/python/autograph': ['engine/python/calls'],
    'engine/python/function': ['engine/python/autograph', 'engine/python/gradients'],
    'engine/python/data': ['engine/python/function', 'engine/data'],
    'engine/python/formats': ['engine/python/interpreter', 'engine/formats'],
    'engine/python': ['engine/python/data', 'engine/python/formats', 'engine/python/recorder', 'engine/cli'],
    'engine/cli': ['engine/explain', 'engine/foreign', 'engine/model', 'engine/query', 'engine/sql'],
    'app/models': ['engine/explain', 'engine/foreign', 'engine/model', 'engine/query', 'engine/sql'],
    'app/layout': ['app/models'],
    'app/session': ['app/models'],
    'app/views': ['app/layout', 'app/session'],
    'app': ['app/views'],
}
# Single headers allowed beyond that table: folder, header, why.
LENT = [
    ('kernels', 'engine/ops/row.h', 'a kernel is given the row and the attributes of its op'),
    ('kernels', 'engine/ops/wanted.h', 'a kernel leaves out results that nobody reads'),
    ('kernels', 'engine/ops/window.h', 'where windows lie is worked out once, for shape rules and kernels'),
]
# External libraries: which folders may use their headers. Tests may use all of them.
LIBRARIES = [
    (re.compile(r'^(Python|structmember|frameobject|internal/pycore\w*|cpython/\w+)\.h$'), ['engine/python']),
    (re.compile(r'^(Q[A-Z]\w*|q[a-z]+(/.*)?|Qt\w*/.*)$'), ['app']),
    (re.compile(r'^sqlite3\.h$'), ['engine/session', 'engine/sql']),
    (re.compile(r'^google/protobuf/'), ['engine/formats', 'engine/python/formats']),
    (re.compile(r'^zlib\.h$'), ['engine/data', 'engine/foreign', 'engine/model', 'kernels/cpu/scalar']),
    (re.compile(r'^re2/'), ['kernels/cpu/scalar']),
    (re.compile(r'^xbyak/'), ['engine/jit']),
    (re.compile(r'^zstd\w*\.h$'), ['engine/session']),
    (re.compile(r'^cupti\w*\.h$'), ['engine/record']),
    (re.compile(r'^(cuda\w*|cublas\w*|cudnn\w*|nvrtc|cub/.*|thrust/.*)(\.h|\.hpp|\.cuh)?$'),
     ['kernels/cuda', 'engine/record']),
]
# Calls allowed in one place only: folder where this holds, pattern, files that may have them, what to write instead.
# Comments do not count.
ONE_PLACE = [
    ('engine/python/', re.compile(r'\bPyErr_Clear\b'), ['engine/python/interpreter/exceptions.cpp'],
     'loses interrupts; use cleared_if() or clear_only() of interpreter/exceptions.h'),
    ('engine/python/', re.compile(r'\bPyObject_HasAttr(String)?\b'), [],
     'loses every exception; use has_attribute() of interpreter/attributes.h'),
    ('engine/python/', re.compile(r'\bPyDict_GetItem(String)?\b'), [],
     'loses every exception; use find_item() of interpreter/attributes.h'),
    ('engine/python/', re.compile(r'\bPyUnicode_AsUTF8(AndSize)?\b'), ['engine/python/interpreter/text.cpp'],
     'is null for lone surrogates; use utf8() or readable() of interpreter/text.h'),
    ('engine/python/', re.compile(r'\bPySequence_Fast\b'), [],
     'lends items that the container may lose; use Items of interpreter/walk.h'),
    ('engine/python/', re.compile(r'\bPy_X?DECREF\b'), ['engine/python/interpreter/ref.h'], 'is what Ref of interpreter/ref.h is for'),
    ('engine/python/', re.compile(r'\bPyType_(?:Ready|FromSpec)\w*'),
     ['engine/python/interpreter/types.cpp', 'engine/python/autograph/ast_bridge_quick.cpp'],
     'is what define_type() of interpreter/types.h is for'),
    ('engine/', re.compile(r'\bextern\b[^;{]*\bthread_local\b'),
     ['engine/base/thread_context.h', 'engine/python/interpreter/thread_context.h', 'engine/python/interpreter/gil_state.h'],
     'belongs in ThreadContext of engine/base/thread_context.h, or in one .cpp'),
    ('engine/', re.compile(r'\bextern\b[^;{"]*\(\*\w*\)\s*\('), [], 'belongs in the struct of hooks of its layer (hooks.h)'),
    ('kernels/', re.compile(r'\bvector_size\(64\)'), [],
     'lies in memory where registers have 32 bytes; use Vector<T> of kernels/cpu/vector.h'),
    ('app/', re.compile(r'\bnew QLabel\b|\bQLabel\('), ['app/views/labels.cpp'],
     'shows what looks like HTML as HTML; use plain_label() of app/views/labels.h'),
    ('app/', re.compile(r'\bsetToolTip\b|\bQToolTip::showText\b'), ['app/views/labels.cpp'],
     'shows what looks like HTML as HTML; use set_tip() or show_tip() of app/views/labels.h'),
    ('app/', re.compile(r'\bToolTipRole:(?!\s+return plain_tip\()'), [],
     'has to be followed by return plain_tip(...): what looks like HTML is shown as HTML'),
    ('app/', re.compile(r'\bRichText\b|\bMarkdownText\b|\bsetHtml\b|\bsetMarkdown\b|\bQTextBrowser\b|\bQStaticText\b'),
     ['app/views/main_window_commands.cpp'], 'is only for a text that is ours as a whole'),
    ('app/', re.compile(r'\bQMessageBox(::| \w)'), ['app/views/main_window_commands.cpp'],
     'shows what looks like HTML as HTML; say it in the banner'),
]
# Functions that Python calls (getters, methods, type slots), and code that may throw in them, which needs guarded(), or
# guard<function> where the function is named.
ENTRY = re.compile(r'(?:^PyObject\* (\w+)|\[\])\(PyObject\*(?: \w+)?(?:, (?:PyObject|void)\*(?: \w+)?){0,2}\)(?: -> PyObject\*)? \{', re.M)
THROWS = re.compile(r'\bthrow\b|\bstd::string\b|\bc_str\(|\b(?:fail|checked|find_item|wrap|text_object|shape_object|elements)\(')
GUARD = re.compile(r'\bguarded\(|\bnamed\(|\bcatch \(\.\.\.\)')
HELPERS = ('engine/python/interpreter/attributes.cpp',)  # finds attributes for other files, and throws
OURS = ('app', 'engine', 'kernels', 'tests', 'resources', 'packaging', '.ci')
CODE = ('.h', '.cpp', '.cu', '.cuh', '.inc')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
# Assembled at run time, so that this file does not contain what it looks for.
MACHINE_PATHS = re.compile('|'.join('(?<![\\w.])/' + p + '/' for p in ('work', 'root', 'tmp/notes')))
HOSTS = re.compile(r'\b(' + '|'.join(('py' + r'pi\.org', 'python' + r'hosted\.org', 'deb' + r'\.debian\.org',
                                      'npm' + r'js\.(?:org|com)', 'crates' + r'\.io', 'docker' + r'\.io')) + r')\b')


def rights(folder):
    """Every folder that `folder` may include, and itself."""
    found, todo = set(), [folder]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += MAY_INCLUDE[one]
    return found


def folder_of(path):
    """The folder in the table that contains `path`; None if there is none."""
    parts = path.split('/')
    for n in range(len(parts) - 1, 0, -1):
        if '/'.join(parts[:n]) in MAY_INCLUDE:
            return '/'.join(parts[:n])
    return None


def without_comments(text):
    blank = lambda m: re.sub(r'[^\n]', ' ', m.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def include_offences(root, path, text):
    own = folder_of(path)
    tests = path.startswith('tests/')
    if own is None and not tests:
        yield 'lies in a folder that the table does not know'
        return
    for kind, name in INCLUDE.findall(without_comments(text)):
        for pattern, folders in LIBRARIES:
            if pattern.match(name) and not tests and not any(path.startswith(f + '/') for f in folders):
                yield f"includes <{name}>, which only {' and '.join(folders)} may"
        target = folder_of(name)
        if kind == '<' and target:
            yield f'includes <{name}>, one of our own, which is written "{name}"'
        if kind == '"' and target is None and not tests:
            beside = os.path.join(os.path.dirname(path), name)
            if os.path.exists(os.path.join(root, beside)):
                yield f'includes "{name}" beside it; includes start at the top of the tree: "{beside}"'
        if target and not tests and target not in rights(own):
            if not any(path.startswith(f + '/') and name == header for f, header, _ in LENT):
                yield (f'includes "{name}", but {own} may include only '
                       f"{', '.join(sorted(rights(own) - {own})) or 'itself'}")


def unguarded_entries(text):
    """(line, first line of the function) for each entry point from Python that lets C++ exceptions through."""
    text = without_comments(text)
    for entry in ENTRY.finditer(text):
        end, depth = entry.end(), 1
        while depth and end < len(text):
            depth += {'{': 1, '}': -1}.get(text[end], 0)
            end += 1
        body = text[entry.end():end]
        by_name = entry.group(1) and re.search(rf'\bguard<{entry.group(1)}\b', text)
        if THROWS.search(body) and not by_name and not GUARD.search(body):
            yield text.count('\n', 0, entry.start()) + 1, entry.group().rstrip(' {')


def style_offences(path, text):
    if path.startswith('engine/python/') and path.endswith('.cpp') and path not in HELPERS:
        for line, entry in unguarded_entries(text):
            yield f'line {line}: {entry} may throw into Python; name it as guard<> or use guarded()'
    if path.endswith(CODE):
        for folder, pattern, places, why in ONE_PLACE:
            applies = path.startswith(folder) and path not in places
            found = pattern.search(without_comments(text)) if applies else None
            if found:
                line = text.count('\n', 0, found.start()) + 1
                yield f'line {line}: {found.group()} {why}'
    if path.endswith(CODE):
        if not text.startswith('//'):
            yield 'does not begin with a comment that says what the file is for'
        if path.endswith(('.h', '.cuh')) and '#pragma once' not in text:
            yield 'is a header without #pragma once'
    elif path.endswith('.py') and text.strip() and not text.startswith(('#', '"""', "'''", 'r"""')):
        if not path.startswith(('tests/golden/', 'tests/conformance/')):
            yield 'does not begin with a comment or docstring that says what the file is for'
    elif path.endswith(('.sh', '.cmake', '.sql')) and not text.startswith(('#', '--')):
        yield 'does not begin with a comment that says what the file is for'
    for number, line in enumerate(text.split('\n'), 1):
        if path.endswith(CODE) and len(line) > 120:
            yield f'line {number} is {len(line)} columns wide; 120 is the most'
        if MACHINE_PATHS.search(line):
            yield f'line {number} names a path of one machine: {MACHINE_PATHS.search(line).group()}'
        if HOSTS.search(line):
            yield f'line {number} names the host of a package registry'


def files(root):
    for top in OURS + ('',):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(f for f in folders if f != '__pycache__') if top else []
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), root)


def check(root):
    offences = []
    count = 0
    for path in files(root):
        if path == '.git':  # of a work tree beside the clone
            continue
        try:
            with open(os.path.join(root, path), encoding='utf-8') as f:
                text = f.read()
        except (UnicodeDecodeError, OSError):
            continue
        count += 1
        found = list(style_offences(path, text))
        if path.endswith(CODE):
            found += include_offences(root, path, text)
        offences += [f'{path} {what}' for what in found]
    return count, offences


GOOD = '// Adds.\n#pragma once\n'
SELF_TEST = [  # path, text, part of the offence's message; None: no offence
    ('engine/graph/a.h', GOOD + '#include "engine/ops/row.h"\n#include "engine/base/ids.h"\n#include <vector>\n', None),
    ('engine/graph/b.h', GOOD + '#include "engine/trace/function.h"\n', 'engine/graph may include only'),
    ('engine/graph/c.h', GOOD + '// #include "engine/trace/function.h"\n', None),
    ('engine/graph/d.h', GOOD + '#  include <engine/ops/row.h>\n', 'one of our own'),
    ('engine/session/a.cpp', '// Writes.\n#include "engine/tensor/tensor.h"\n', 'engine/session may include only'),
    ('engine/autograph/a.cpp', '// Reads.\n#include "engine/python/types/objects.h"\n', 'engine/autograph may include only'),
    ('engine/python/recorder/a.cpp', '// Records.\n#include <Python.h>\n#include "engine/record/recorder.h"\n', None),
    ('engine/python/recorder/b.cpp', '// Records.\n#include "engine/ops/row.h"\n', 'engine/python/recorder may include'),
    ('engine/trace/a.cpp', '// Traces.\n#include <Python.h>\n', 'which only engine/python may'),
    ('engine/explain/a.cpp', '// Explains.\n#include <QString>\n', 'which only app may'),
    ('engine/explain/b.cpp', '// Explains.\n#include <QtCore/qstring.h>\n', 'which only app may'),
    ('engine/trace/b.cpp', '// Traces.\n#include <sqlite3.h>\n', 'which only engine/session and engine/sql may'),
    ('engine/eager/a.cpp', '// Runs.\n#include <cuda_runtime.h>\n', 'which only kernels/cuda and engine/record may'),
    ('kernels/cpu/a.cpp', '// Adds.\n#include "engine/graph/graph.h"\n', 'kernels may include only'),
    ('app/views/a.cpp', '// Draws.\n#include "engine/eager/dispatch.h"\n', 'app/views may include only'),
    ('app/models/a.cpp', '// Lists.\n#include "app/views/window.h"\n', 'app/models may include only'),
    ('app/models/b.cpp', '// Lists.\n#include "engine/session/reader.h"\n#include <QString>\n', None),
    ('engine/python/types/a.cpp', '// Holds.\n#include "engine/python/calls/binder.h"\n', 'engine/python/types may include'),
    ('engine/python/types/b.cpp', '// Holds. PyErr_Clear()\nvoid f() { PyErr_Clear(); }\n', 'line 2: PyErr_Clear loses'),
    ('kernels/cpu/d.cpp', '// Sums.\ntypedef int V __attribute__((vector_size(64)));\n', 'line 2: vector_size(64) lies in memory'),
    ('engine/python/types/c.cpp', '// Holds. PyErr_Clear()\nvoid f() { PyErr_Occurred(); }\n', None),
    ('engine/python/types/d.cpp', '// Holds.\nvoid f(PyObject* o) { Py_XDECREF(o); }\n', 'is what Ref'),
    ('engine/python/types/e.cpp', '// Holds.\nvoid f(PyTypeObject* t) { PyType_Ready(t); }\n', 'is what define_type()'),
    ('engine/python/calls/a.cpp', '// Calls.\nauto f(PyObject* o) { return PyUnicode_AsUTF8(o); }\n', 'lone surrogates'),
    ('engine/python/calls/b.cpp', '// Calls.\nint f(PyObject* o) { return PyObject_HasAttrString(o, "a"); }\n', 'has_attribute'),
    ('engine/python/calls/c.cpp', '// Calls.\nint f(PyObject* o) { return PyDict_GetItemWithError(o, o) != 0; }\n', None),
    ('engine/python/calls/d.cpp', '// Calls.\nauto f(PyObject* o) { return PySequence_Fast(o, "a list"); }\n', 'Items of'),
    ('engine/python/calls/e.cpp', '// Calls.\nPyObject* f(PyObject* o, void*) {\n  return wrap(of(o));\n}\n', 'line 2: PyObject* f'),
    ('engine/python/calls/f.cpp', '// Calls.\nauto f = [](PyObject* o, void*) { return wrap(of(o)); };\n', 'guarded()'),
    ('engine/python/calls/g.cpp', '// Calls.\nPyObject* f(PyObject* o, void*) {\n  return guarded([&] { return wrap(of(o)); });\n}\n', None),
    ('engine/python/calls/i.cpp', '// Calls.\nPyObject* f(PyObject* o) {\n  return wrap(of(o));\n}\nauto g = guard<f>;\n', None),
    ('engine/python/calls/h.cpp', '// Calls.\nPyObject* f(PyObject* o, PyObject*) { return Py_NewRef(o); }\n', None),
    ('app/views/b.cpp', '// Draws.\nvoid f() { auto* l = new QLabel(name()); }\n', 'plain_label()'),
    ('app/views/c.cpp', '// Draws.\nvoid f(QWidget* w) { w->setToolTip(name()); }\n', 'set_tip()'),
    ('app/views/d.cpp', '// Draws.\nvoid f() { QToolTip::showText(at(), name(), w); }\n', 'show_tip()'),
    ('app/views/e.cpp', '// Draws.\nvoid f(QWidget* w) { set_tip(w, name()); }\n', None),
    ('app/views/f.cpp', '// Draws.\nvoid f(QLabel* l) { l->setTextFormat(Qt::RichText); }\n', 'ours as a whole'),
    ('app/views/g.cpp', '// Draws.\nvoid f() { QMessageBox::warning(w, t, name()); }\n', 'in the banner'),
    ('app/models/c.cpp', '// Lists.\nint f() {\n  case Qt::ToolTipRole:\n    return name();\n}\n', 'plain_tip(...)'),
    ('app/models/d.cpp', '// Lists.\nint f() {\n  case Qt::ToolTipRole:\n    return plain_tip(name());\n}\n', None),
    ('engine/ops/a.h', GOOD + 'extern thread_local int depth;\n', 'belongs in ThreadContext'),
    ('engine/ops/b.h', GOOD + 'extern void (*on_leaked)(int);\n', 'struct of hooks'),
    ('engine/ops/c.h', GOOD + 'extern std::atomic<void (*)()> filling;\n', 'struct of hooks'),
    ('engine/ops/d.cpp', '// Counts.\nthread_local int depth;\nextern "C" void f(void (*done)(int));\n', None),
    ('engine/elsewhere/a.cpp', '// New.\n', 'the table does not know'),
    ('tests/graph/a.cpp', '// Tests.\n#include "engine/python/types/objects.h"\n#include <QTest>\n', None),
    ('engine/base/a.h', '// Adds.\nint f();\n', 'without #pragma once'),
    ('engine/base/a.cpp', 'int f() { return 1; }\n', 'does not begin with a comment'),
    ('engine/base/b.cpp', '// Adds.\n// ' + 'x' * 120 + '\n', '120 is the most'),
    ('packaging/a.sh', '# Goes.\ncd ' + '/ro' + 'ot/x\n', 'a path of one machine'),
    ('README.md', 'See ' + 'py' + 'pi.org\n', 'the host of a package registry'),
]


def self_test():
    failed = 0
    for path, text, wanted in SELF_TEST:
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), 'w') as f:
                f.write(text)
            offences = check(root)[1]
        good = offences == [] if wanted is None else len(offences) == 1 and wanted in offences[0]
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'} {path}: {'; '.join(offences) or 'nothing found'}")
    print(f'{len(SELF_TEST) - failed} passed, {failed} failed')
    return failed


def main(arguments):
    if arguments == ['--self-test']:
        return 1 if self_test() else 0
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    count, offences = check(root)
    print(*offences, f'{count} files, {len(offences)} offences', sep='\n')
    return 1 if offences or count < 10 else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
