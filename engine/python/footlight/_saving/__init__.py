"""Objects that keep others by name, checkpoints and SavedModels."""
