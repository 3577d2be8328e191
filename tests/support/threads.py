"""Threads of tests."""
import threading


def run_threads(work, arguments):
    """Calls `work` with each of the arguments in a thread of its own, at once, and waits for all."""
    threads = [threading.Thread(target=work, args=(argument,)) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
