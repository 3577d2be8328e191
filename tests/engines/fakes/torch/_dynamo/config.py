"""The part of torch._dynamo.config that the adapter hooks."""
automatic_dynamic_shapes = True
recompile_limit = 8
