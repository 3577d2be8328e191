automatic_dynamic_shapes = True
recompile_limit = 8
