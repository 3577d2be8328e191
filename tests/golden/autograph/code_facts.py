"""What the code that AutoGraph generated does, independent of its layout."""
import ast
import collections
import json
import re


def _symbol(name):
  m = re.match(r'(break_|continue_|do_return|retval_)(?:_\d+)?$', name)
  return m.group(1) if m else name


class _StripLd(ast.NodeTransformer):
  def visit_Call(self, node):
    self.generic_visit(node)
    if (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and
        node.func.value.id == 'ag__' and node.func.attr == 'ld' and len(node.args) == 1):
      return node.args[0]
    return node


def code_facts(text):
  """What the generated code does, independent of its layout."""
  tree = ast.parse(text)
  ops, local, state, calls = collections.Counter(), collections.Counter(), [], []
  generated = ('get_state', 'set_state', 'if_body', 'else_body', 'loop_body', 'loop_test', 'extra_test')

  def walk(n):
    if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == 'ag__':
      ops[n.attr] += 1
    if isinstance(n, ast.FunctionDef):
      b = re.sub(r'_\d+$', '', n.name)
      local[b if b in generated else n.name] += 1
    if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name) \
        and n.func.value.id == 'ag__':
      if n.func.attr in ('if_stmt', 'while_stmt', 'for_stmt'):
        at = {'if_stmt': 5, 'while_stmt': 4, 'for_stmt': 5}[n.func.attr]
        entry = {'op': n.func.attr, 'symbols': [_symbol(s) for s in ast.literal_eval(n.args[at])]}
        if n.func.attr == 'if_stmt':
          entry['nouts'] = ast.literal_eval(n.args[6])
        else:
          d = n.args[at + 1]
          entry['opts'] = sorted(k.value for k in d.keys) if isinstance(d, ast.Dict) else []
          if n.func.attr == 'for_stmt':
            entry['extra_test'] = not (isinstance(n.args[1], ast.Constant) and n.args[1].value is None)
        state.append(entry)
      if n.func.attr == 'converted_call':
        calls.append(ast.unparse(_StripLd().visit(ast.parse(ast.unparse(n.args[0]), mode='eval'))))
    for c in ast.iter_child_nodes(n):
      walk(c)

  walk(tree)
  return {'operators': dict(sorted(ops.items())), 'functions': dict(sorted(local.items())),
          'state': state, 'calls': sorted(calls)}


def structure_differences(want, got):
  out = []
  if want.get('error') or got.get('error'):
    a, b = want.get('error'), got.get('error')
    return [] if (a and b and set(a['isa']) <= set(b['isa'])) else ['to_code']
  if want['operators'] != got['operators']:
    out.append('operators')
  if want['functions'] != got['functions']:
    out.append('functions')
  key = lambda s: json.dumps([s['op'], sorted(s['symbols']), s.get('nouts'), s.get('opts'), s.get('extra_test')])
  if sorted(map(key, want['state'])) != sorted(map(key, got['state'])):
    out.append('state')
  if want['calls'] != got['calls']:
    out.append('calls')
  return out
