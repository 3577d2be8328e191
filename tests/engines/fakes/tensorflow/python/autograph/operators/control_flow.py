"""What AutoGraph calls for a staged statement."""


def _tf_if_stmt(*args):
    pass
