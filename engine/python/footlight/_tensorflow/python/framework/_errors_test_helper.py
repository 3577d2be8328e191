"""tensorflow.python.framework._errors_test_helper: raises errors, for tests."""
import footlight as tf
from footlight._tensorflow.publish import publish


def TestRaiseFromStatus(code):
    """For tests: raises the error that has a code, with two payloads."""
    for kind in vars(tf.errors).values():
        if isinstance(kind, type) and issubclass(kind, tf.errors.OpError) and kind is not tf.errors.OpError:
            error = kind(None, None, 'Testing error', {b'key1': b'value1', b'key2': b'value2'})
            if error.error_code == code:
                raise error
    raise ValueError(f'no error has the code {code!r}')


publish(globals())
