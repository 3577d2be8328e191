"""The names that annotations use. Type checkers read engine/python/stubs/_typing.pyi; at run time each is any object."""
Any = Callable = DTypeLike = Iterator = ShapeLike = TensorLike = object
