"""The part of AutoGraph written in Python: operators that tf.autograph.to_code emits, optional features, registries."""
