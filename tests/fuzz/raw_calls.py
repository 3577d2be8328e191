"""The calls of tf.raw_ops that tests/ops/cases has, in the form of tests/golden/ops/README.md: ops that no public
function makes are called by these alone, and GraphDefs may contain any."""
import os
import re

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'ops')
DTYPES = {'f16': 'float16', 'bf16': 'bfloat16', 'f32': 'float32', 'f64': 'float64', 'i8': 'int8', 'i16': 'int16',
          'i32': 'int32', 'i64': 'int64', 'u8': 'uint8', 'u16': 'uint16', 'u32': 'uint32', 'u64': 'uint64',
          'bool': 'bool', 'c64': 'complex64', 'c128': 'complex128', 'str': 'string'}
TEXT = r'"(?:\\.|[^"\\])*"'
TENSOR = re.compile(r'(\w+)(\[[^\]]*\])?\{((?:%s|[^}"])*)\}' % TEXT)
ATTRIBUTE = re.compile(r'(\w+)=(\[(?:%s|[^\]"])*\]|%s|[^\s\[{]+(?:\[[^\]]*\]\{[^}]*\}|\{[^}]*\})?)' % (TEXT, TEXT))
WORD = re.compile(rf'{TEXT}|[^\s,]+')


def signatures():
    """{op: [(input, the attribute that counts it or None)]} of the ops that neither keep nor change anything."""
    found = {}
    with open(os.path.join(TOP, 'tensorflow_ops.txt'), encoding='utf-8') as lines:
        for line in lines:
            parts = [part.strip() for part in line.split('|')]
            if len(parts) > 3 and parts[3] == 'pure':
                name, types = parts[:2]
                inputs = [part.strip().split(': ') for part in types.split('->')[0].split(',') if part.strip()]
                found[name] = [(i, t.split('*')[0] if '*' in t else None if '[]' not in t else t) for i, t in inputs]
    return found


def element(word, dtype):
    if word.startswith('"'):
        return ''  # a text stands for any
    if dtype == 'bool':
        return word in ('T', 'true', '1')
    if dtype.startswith('complex') or not re.fullmatch(r'-?[\d.]+(e-?\d+)?', word):
        return word  # as a text: the tensor becomes another of its dtype and shape
    return int(word) if 'int' in dtype else float(word)


def tensor(match):
    dtype, shape, words = match.groups()
    dtype, shape = DTYPES[dtype], [int(d) for d in WORD.findall((shape or '[]')[1:-1])]
    size = 1
    for d in shape:
        size *= d
    data = [element(word, dtype) for word in WORD.findall(words)]
    return {'dtype': dtype, 'shape': shape, 'data': data * size if len(data) == 1 and size < 13 else data}


def attribute(text):
    """Its value; None: of a type that is not read here."""
    if text.startswith('['):
        values = [attribute(word) for word in WORD.findall(text[1:-1])]
        return None if None in values else values
    if text.startswith('"'):
        return re.sub(r'\\(.)', r'\1', text[1:-1])
    if text in ('true', 'false'):
        return text == 'true'
    if text in DTYPES:
        return {'DType': DTYPES[text]}
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return None


def named(inputs, given):
    """The inputs by their names; None where the lengths of several lists are not told by their number."""
    counts = {count for _, count in inputs if count}
    lists = sum(count is not None for _, count in inputs)
    if len(counts) > 1 or (not lists and len(inputs) != len(given)) or (lists and (len(given) - len(inputs)) % lists):
        return None
    length = (len(given) - len(inputs)) // lists + 1 if lists else 0
    found, at = {}, 0
    for name, count in inputs:
        found[name] = given[at:at + length] if count else given[at]
        at += length if count else 1
    return found


def calls():
    """{name: [(args, kwargs)]} of the cases that give a result or are refused."""
    known, found = signatures(), {}
    folder = os.path.join(TOP, 'cases')
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding='utf-8', errors='replace') as lines:
            for line in lines:
                op, _, rest = line.partition(' ')
                if op not in known:
                    continue
                rest = re.split(r'\s(?:->|!!)\s?', rest)[0]
                attributes = {m[1]: attribute(m[2]) for m in ATTRIBUTE.finditer(rest)}
                if None in attributes.values() or any(name.startswith('_') for name in attributes):
                    continue
                given = [tensor(m) for m in TENSOR.finditer(ATTRIBUTE.sub('', rest)) if m[1] in DTYPES]
                arguments = named(known[op], given)
                if arguments is not None:
                    found.setdefault('tf.raw_ops.' + op, []).append(([], {**arguments, **attributes}))
    return found
