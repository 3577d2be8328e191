"""tensorflow.python.framework: graphs, specs and tests."""
