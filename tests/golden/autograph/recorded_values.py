"""Values as JSON in the recorded facts, and whether two of them are the same or mean the same."""
import math
import re


def _number(x):
  if isinstance(x, float) and (math.isnan(x) or math.isinf(x)):
    return str(x)
  if isinstance(x, complex):
    return [x.real, x.imag]
  if isinstance(x, bytes):
    return x.decode('utf-8', 'replace')
  if isinstance(x, (list, tuple)):
    return [_number(y) for y in x]
  return x


def encode(v, depth=0):
  """A value as JSON; `k` says what kind of thing it was."""
  if depth > 8:
    return {'k': 'deep'}
  if v is None:
    return {'k': 'none'}
  if isinstance(v, (bool, int, float, str, bytes)) and type(v).__module__ == 'builtins':
    return {'k': type(v).__name__, 'v': _number(v)}
  kind = type(v).__module__
  if kind.startswith('numpy'):
    return {'k': 'numpy', 'dtype': str(v.dtype), 'shape': list(v.shape), 'v': _number(v.tolist())}
  if hasattr(v, 'numpy') and hasattr(v, 'dtype') and hasattr(v, 'shape'):
    try:
      n = v.numpy()
    except Exception:
      return {'k': 'symbolic', 'dtype': v.dtype.name}
    value = n.tolist() if hasattr(n, 'tolist') else n
    return {'k': 'variable' if hasattr(v, 'assign') else 'tensor', 'dtype': v.dtype.name,
            'shape': [int(d) for d in v.shape], 'v': _number(value)}
  if isinstance(v, tuple) and hasattr(v, '_fields'):
    return {'k': 'namedtuple', 'name': type(v).__name__,
            'v': {f: encode(getattr(v, f), depth + 1) for f in v._fields}}
  if isinstance(v, (list, tuple)):
    return {'k': 'tuple' if isinstance(v, tuple) else 'list', 'v': [encode(x, depth + 1) for x in v]}
  if isinstance(v, dict):
    return {'k': 'dict', 'v': {str(a): encode(b, depth + 1) for a, b in v.items()}}
  if isinstance(v, (set, frozenset)):
    return {'k': 'set', 'v': [encode(x, depth + 1) for x in sorted(v)]}
  return {'k': 'object', 'type': type(v).__name__}


def close(a, b):
  if isinstance(a, list) and isinstance(b, list):
    return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
  if isinstance(a, bool) or isinstance(b, bool):
    return a is b
  if isinstance(a, (int, float)) and isinstance(b, (int, float)):
    return a == b or abs(a - b) <= 1e-5 * max(1.0, abs(a), abs(b))
  return a == b


def same(a, b):
  if a.get('k') != b.get('k') or a.get('dtype') != b.get('dtype') or a.get('shape') != b.get('shape'):
    return False
  if a['k'] in ('tuple', 'list', 'set'):
    return len(a['v']) == len(b['v']) and all(same(x, y) for x, y in zip(a['v'], b['v']))
  if a['k'] in ('dict', 'namedtuple'):
    return (a.get('name') == b.get('name') and list(a['v']) == list(b['v']) and
            all(same(a['v'][x], b['v'][x]) for x in a['v']))
  if a['k'] == 'object':
    return a['type'] == b['type']
  return close(a.get('v'), b.get('v'))


def plain_value(e):
  """An encoded value with tensor-ness, dtype and tuple/list dropped, to compare by Python's meaning."""
  k = e['k']
  if k in ('tuple', 'list', 'set'):
    return [plain_value(x) for x in e['v']]
  if k in ('dict', 'namedtuple'):
    return {a: plain_value(b) for a, b in e['v'].items()}
  if k == 'none':
    return None
  return e.get('v', e.get('type'))


def means_same(a, b):
  if isinstance(a, dict) and isinstance(b, dict):
    return set(a) == set(b) and all(means_same(a[k], b[k]) for k in a)
  if isinstance(a, list) and isinstance(b, list):
    return len(a) == len(b) and all(means_same(x, y) for x, y in zip(a, b))
  if isinstance(a, bool) or isinstance(b, bool):
    return bool(a) == bool(b) and a == b
  return close(a, b)


def normal_text(s):
  """Printed text without what may differ between engines: names of symbolic tensors, addresses."""
  s = re.sub(r'Tensor\("[^"]*"', 'Tensor("*"', s)
  s = re.sub(r"<tf.Tensor '[^']*'", "<tf.Tensor '*'", s)
  return re.sub(r'0x[0-9a-f]+', '0x*', s)
