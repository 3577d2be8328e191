def _tf_if_stmt(*args):
    pass
