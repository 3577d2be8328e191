"""tensorflow.python.autograph.pyct: what programs use to read, change and write Python code."""
