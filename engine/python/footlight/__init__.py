"""Footlight: TensorFlow's programming model, made visible. `import footlight as tf` runs TensorFlow scripts."""
