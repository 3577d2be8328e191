"""Settings of TorchDynamo that the adapter reads."""
automatic_dynamic_shapes = True
recompile_limit = 8
