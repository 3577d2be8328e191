# The code that AutoGraph generates is Python, and says what it does in terms of a few operators.
import ast
import collections
import tensorflow as tf


def walk(n, limit):
    total = 0
    while n > limit:
        if n % 2 == 0:
            total = total + n
        n = n - 1
    for k in range(3):
        total = total + k
    return total


text = tf.autograph.to_code(walk)
tree = ast.parse(text)
used = collections.Counter(node.attr for node in ast.walk(tree)
                           if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                           and node.value.id == 'ag__')
print([name for name in ('if_stmt', 'while_stmt', 'for_stmt', 'FunctionScope') for _ in range(used[name])])
print(sorted({node.name.rstrip('0123456789').rstrip('_') for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}))
print(text.splitlines()[0])
