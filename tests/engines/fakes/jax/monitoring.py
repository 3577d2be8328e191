"""Listeners of durations."""
_listeners = []


def register_event_duration_secs_listener(listener):
    _listeners.append(listener)


def tell(event, seconds, **details):
    for listener in _listeners:
        listener(event, seconds, **details)
