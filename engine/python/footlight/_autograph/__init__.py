"""AutoGraph, as far as it is written in Python: what converted code in its readable form calls, rules, registries."""
