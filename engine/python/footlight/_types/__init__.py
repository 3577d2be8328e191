"""The types by which traced functions know their arguments, specs, and types that programs define."""
