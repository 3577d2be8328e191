"""The functions of a loaded SavedModel: its traces, which become functions of this process when they are called."""
from __future__ import annotations

import footlight as tf
from footlight import _engine, _proto
from footlight._saving.function_saving import unique_names
from footlight._saving.options_and_assets import Asset, TrackableResource
from footlight._saving.structure_coder import value_of
from footlight._saving.trackable import Trackable
from footlight._types.specs import VariableSpec
from footlight._typing import Any


def damaged(words, *args):
    return tf.errors.DataLossError(None, None, 'the SavedModel is damaged: ' + words % args)


def _components(spec: Any) -> list[Any]:
    """The specs of the tensors that a value of the spec consists of."""
    return [spec] if isinstance(spec, tf.TensorSpec) else tf.nest.flatten(spec._component_specs, expand_composites=True)


def packed(structure, tensors):
    """The structure with values in the place of their specs, made of the tensors in order."""
    def value(leaf):
        if isinstance(leaf, tf.TensorSpec):
            return next(tensors)
        if isinstance(leaf, VariableSpec):
            return next(tensors)  # the variable itself
        if isinstance(leaf, tf.TypeSpec):
            return leaf._from_components(tf.nest.pack_sequence_as(
                leaf._component_specs, [next(tensors) for _ in _components(leaf)]))
        return leaf
    return tf.nest.map_structure(value, structure)


def _traced_with(leaf):
    """The value to trace with for a leaf of a signature; a VariableSpec becomes a new variable."""
    if not isinstance(leaf, VariableSpec):
        return leaf
    dims = leaf.shape.as_list() if leaf.shape.rank is not None else ()
    return tf.Variable(tf.zeros([d or 0 for d in dims], leaf.dtype), shape=leaf.shape, trainable=leaf.trainable)


def signature_of(spec):
    """The parameters of a saved function, as inspect has them; None where the file does not say them."""
    if spec is None:
        return None
    import inspect
    kinds, parameters = inspect.Parameter, []
    defaults, names = list(spec.defaults or ()), list(spec.args)
    for i, name in enumerate(names):
        at = i - (len(names) - len(defaults))
        parameters.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=defaults[at] if at >= 0 else kinds.empty))
    if spec.varargs:
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    for name in spec.kwonlyargs or ():
        parameters.append(kinds(name, kinds.KEYWORD_ONLY, default=(spec.kwonlydefaults or {}).get(name, kinds.empty)))
    if spec.varkw:
        parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _as_arguments(structure: Any) -> tuple[Any, ...]:
    """A saved signature as arguments to trace with: the positional ones as a tuple, those by name as a dict."""
    return tuple(structure[0]), dict(structure[1])


def tensor_of(captured: Any) -> tf.Tensor | tf.Variable:
    """The tensor to pass for a captured object; a variable is passed itself."""
    return (captured.asset_path if isinstance(captured, Asset) else
            captured.resource_handle if isinstance(captured, TrackableResource) else captured)


_needed_forever: set[Any] = set()  # registered gradients of files, see LoadedTrace._keep_gradients


class LoadedTrace(Trackable):
    """A function of the file with the tensors that it captured: made into one of this process when it is called."""

    def __init__(self, loader, name, function_spec=None):
        saved = loader.graph.concrete_functions[name]
        if name not in loader.functions:
            raise damaged('it has no function %s', name)
        self._definition = loader.functions[name]
        self._loader, self.name = loader, name
        self._graph_def = loader.definition
        arguments = value_of(saved.canonicalized_input_signature) or ((), {})
        self.structured_input_signature = _as_arguments(arguments)
        self._outputs = value_of(saved.output_signature)
        leaves = [s for s in tf.nest.flatten(self.structured_input_signature) if isinstance(s, tf.TypeSpec)]
        self.specs = [s for leaf in leaves for s in _components(leaf)]
        self.bound = list(saved.bound_inputs)
        wanted = len(self._definition.signature.input_arg)
        if len(self.specs) + len(self.bound) != wanted:
            raise damaged('the function %s has %d inputs, and %d are given', name, wanted,
                           len(self.specs) + len(self.bound))
        self._function = self._parameters = None
        spec = function_spec and value_of(function_spec.fullargspec)
        args, kwargs = self.structured_input_signature
        if spec and not spec.varargs and not spec.varkw and (len(spec.args), set(spec.kwonlyargs or ())) == (len(args), set(kwargs)):
            self._parameters = signature_of(spec)

    def _captured(self) -> list[Any]:
        return [self._loader.object_of(number) for number in self.bound]

    def _captures(self) -> list[Any]:
        return [tensor_of(found) for found in self._captured()]

    def _traced(self, *args, **kwargs):
        """The body: a call of the file's function, read from its library."""
        tensors = [t.handle if isinstance(t, tf.Variable) else t for t in tf.nest.flatten((args, kwargs), expand_composites=True)
                   if isinstance(t, (tf.Tensor, tf.Variable))]
        return self._called(tensors + self._captures())

    def _called(self, tensors):
        definition = self._definition
        graph = _proto.GraphDef()
        graph.versions.CopyFrom(self._graph_def.versions)
        graph.library.CopyFrom(self._graph_def.library)
        inputs = {}
        for i, (argument, value) in enumerate(zip(definition.signature.input_arg, tensors)):
            node = graph.node.add(name=f'input_{i}', op='Placeholder')
            node.attr['dtype'].type = argument.type
            inputs[f'input_{i}:0'] = value
        call = graph.node.add(name='call', op='StatefulPartitionedCall', input=[f'input_{i}' for i in range(len(inputs))])
        call.attr['f'].func.name = definition.signature.name
        for name, arguments in (('Tin', definition.signature.input_arg), ('Tout', definition.signature.output_arg)):
            call.attr[name].list.SetInParent()  # also if it is an empty list
            call.attr[name].list.type.extend([a.type for a in arguments])
        outputs = [f'call:{i}' for i in range(len(definition.signature.output_arg))]
        found = tf.import_graph_def(graph, inputs, outputs, name='')
        for tensor, spec in zip(found, self._flat_outputs()):
            tensor.set_shape(spec.shape)  # the body itself does not know the shapes of variables
        return None if self._outputs is None else packed(self._outputs, iter(found))

    def _keep_gradients(self) -> None:
        """Keeps the gradients of the file registered for the graph that is being built, which gets a call of the function.

        A tf.Graph holds them itself. A traced function holds the variables that it captures, and they hold the gradients;
        where there are none, the gradients stay for as long as the process, as nothing tells when the function is gone.
        """
        graph, gradients = _engine.current_graph(), self._loader.gradients
        if graph is None or gradients is None:
            return
        if not graph.building_function:
            graph._state.setdefault('loaded_gradients', set()).add(gradients)
            return
        variables = self.variables
        for variable in variables:
            variable._loaded_gradients = gradients
        if not variables:
            _needed_forever.add(gradients)

    def _flat_outputs(self) -> list[Any]:
        return [s for leaf in tf.nest.flatten(self._outputs) if isinstance(leaf, tf.TypeSpec) for s in _components(leaf)]

    @property
    def concrete(self):
        """The function as one of this process."""
        self._keep_gradients()
        if self._function is None:
            def body(*args, **kwargs):
                return self._traced(*args, **kwargs)
            body.__name__ = body.__qualname__ = self.name.removeprefix('__inference_').rstrip('0123456789').rstrip('_') or 'f'
            if self._parameters is not None:
                body.__signature__ = self._parameters
            with tf._eager_scope():
                args, kwargs = tf.nest.map_structure(_traced_with, self.structured_input_signature)
                self._function = tf.function(body, autograph=False).get_concrete_function(*args, **kwargs)
        return self._function

    @property
    def graph(self) -> Any:
        return self.concrete.graph

    function_type = property(lambda self: self.concrete.function_type)

    inputs = property(lambda self: self.concrete.inputs)
    outputs = property(lambda self: self.concrete.outputs)
    captured_inputs = property(lambda self: self.concrete.captured_inputs)
    structured_outputs = property(lambda self: self._outputs)
    variables = property(lambda self: [v for v in self._captured() if isinstance(v, tf.Variable)])
    trainable_variables = property(lambda self: [v for v in self.variables if v.trainable])

    def pretty_printed_signature(self, verbose: bool = True) -> Any:
        """Parameters, result and captures as text."""
        return self.concrete.pretty_printed_signature(verbose=verbose)

    def flat(self, tensors):
        """The structured outputs for the tensors of the inputs, in order."""
        self._keep_gradients()
        args, kwargs = packed(self.structured_input_signature, iter(tensors))
        if not tf.executing_eagerly() and not tf.inside_function() and any(isinstance(o, Asset) for o in self._captured()):
            return self._traced(*args, **kwargs)  # in a graph, whose constants are the paths
        return self.concrete(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        given, named = self.structured_input_signature
        if not all(isinstance(one, tf.TensorSpec) for one in (*given, *named.values())):
            return self.concrete(*args, **kwargs)  # flattens structures and reads variables
        names = unique_names([s.name for s in self.specs])
        if len(args) > len(names):
            raise TypeError(f'{self.name} takes {len(names)} arguments, {len(args)} were given')
        values = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names or name in values:
                raise TypeError(f'{self.name} got an unexpected argument {name!r}; it takes {names}')
            values[name] = value
        missing = [name for name in names if name not in values]
        if missing:
            raise TypeError(f'{self.name} is missing the arguments {missing}')
        return self.flat([tf.convert_to_tensor(values[name], s.dtype) for name, s in zip(names, self.specs)])


class LoadedSpec:
    """The parameters of a loaded function."""

    def __init__(self, function: Any) -> None:
        self._function = function

    fullargspec = property(lambda self: self._function._spec)
    arg_names = property(lambda self: list(self._function._names))
    default_values = property(lambda self: dict(self._function._defaults))
    input_signature = property(lambda self: self._function.input_signature)


class LoadedFunction(Trackable):
    """A tf.function of the file: calls the one of its traces that fits the arguments."""

    def __init__(self, loader: Any, saved: Any) -> None:
        self._traces = [LoadedTrace(loader, name) for name in saved.concrete_functions]
        spec = value_of(saved.function_spec.fullargspec)
        self._spec = spec
        self.input_signature = value_of(saved.function_spec.input_signature)
        self._jit_compile = {1: True, 2: False}.get(saved.function_spec.jit_compile)
        self.name = self.__name__ = self._traces[0].name if self._traces else 'f'
        self._names = list(getattr(spec, 'args', ()) or ())
        if saved.function_spec.is_method and self._names[:1] == ['self']:
            self._names = self._names[1:]
        defaults = list(getattr(spec, 'defaults', None) or ())
        self._defaults = dict(zip(self._names[len(self._names) - len(defaults):], defaults))
        self._defaults.update(getattr(spec, 'kwonlydefaults', None) or {})
        self._keyword_only = list(getattr(spec, 'kwonlyargs', None) or ())

    @property
    def __signature__(self):
        """The parameters without `self`, for inspect; None where the file does not say them."""
        if self._spec is None:
            return None
        import inspect
        kinds, spec = inspect.Parameter, self._spec
        named = [(name, kinds.POSITIONAL_OR_KEYWORD) for name in self._names]
        named += [(spec.varargs, kinds.VAR_POSITIONAL)] if getattr(spec, 'varargs', None) else []
        named += [(name, kinds.KEYWORD_ONLY) for name in self._keyword_only]
        named += [(spec.varkw, kinds.VAR_KEYWORD)] if getattr(spec, 'varkw', None) else []
        return inspect.Signature([kinds(name, kind, default=self._defaults.get(name, kinds.empty)) for name, kind in named])

    concrete_functions = property(lambda self: list(self._traces))
    function_spec = property(LoadedSpec)

    def _list_all_concrete_functions(self) -> list[Any]:
        return [trace.concrete for trace in self._traces]

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def get_concrete_function(self, *args, **kwargs):
        """The trace for arguments, or specs, like these."""
        if not args and not kwargs and len(self._traces) == 1:
            return self._traces[0].concrete
        given = self._canonical(args, kwargs)
        for trace in self._traces:
            if _matched(trace.structured_input_signature, given) is not None:
                return trace.concrete
        raise ValueError(self._unmatched(given))

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[Any, Any]:
        if save_type == 'checkpoint':
            return {}
        return {f'trace_{i}': trace.concrete for i, trace in enumerate(self._traces)}

    def _canonical(self, args, kwargs):
        args, kwargs = list(args), dict(kwargs)
        for name in self._names[len(args):]:
            if name in kwargs:
                args.append(kwargs.pop(name))
            elif name in self._defaults:
                args.append(self._defaults[name])
            else:
                break
        for name in self._keyword_only:
            if name not in kwargs and name in self._defaults:
                kwargs[name] = self._defaults[name]
        signature = self.input_signature
        if signature is not None and len(args) == len(signature):
            args = [tf.convert_to_tensor(value, spec.dtype) if type(spec) is tf.TensorSpec and isinstance(value, list) else value
                    for value, spec in zip(args, signature)]
        return tuple(args), kwargs

    def _unmatched(self, given: tuple[Any, ...]) -> str:
        if not self._traces:
            return 'Found zero restored functions for caller function.'
        return (f'Could not find matching concrete function to call loaded from the SavedModel. Got: {given!s}. '
                f'Expected one of: {[t.structured_input_signature for t in self._traces]}')

    def __call__(self, *args, **kwargs):
        given = self._canonical(args, kwargs)
        for trace in self._traces:
            tensors = _matched(trace.structured_input_signature, given)
            if tensors is not None:
                return trace.flat(tensors)
        raise ValueError(self._unmatched(given))


def _matched(signature, given):
    """The tensors for the specs of a signature; None if the arguments do not fit it."""
    try:
        tf.nest.assert_same_structure(signature, given, check_types=False)
    except (ValueError, TypeError):
        return None
    tensors = []
    for spec, value in zip(tf.nest.flatten(signature), tf.nest.flatten(given)):
        if not isinstance(spec, tf.TypeSpec):
            if isinstance(value, tf.Tensor) or spec != value:
                return None
            continue
        if isinstance(value, tf.TypeSpec):
            if not spec.is_compatible_with(value):
                return None
            continue
        if isinstance(spec, VariableSpec):
            if not isinstance(value, tf.Variable) or value.dtype != spec.dtype or not spec.shape.is_compatible_with(value.shape):
                return None
            tensors.append(value)
            continue
        if not isinstance(spec, tf.TensorSpec):
            if isinstance(value, (tf.Tensor, tf.Variable)) or not spec.is_compatible_with(value):
                return None
            tensors += tf.nest.flatten(value, expand_composites=True)
            continue
        try:
            value = tf.convert_to_tensor(value, spec.dtype)
        except (ValueError, TypeError):
            return None
        if not spec.shape.is_compatible_with(value.shape):
            return None
        if value.shape.rank is None and spec.shape.rank is not None:
            value = tf.ensure_shape(value, spec.shape)
        tensors.append(value)
    return tensors


class RestoredResource(TrackableResource):
    """A resource of the file, whose functions make and fill it: they take the place of the methods."""

    def __init__(self, device):
        super().__init__(device)
        self._functions, self._saveables = {}, {}

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[Any, Any]:
        return {} if save_type == 'checkpoint' else dict(self._functions)

    _saveable_name = property(lambda self: next(iter(self._saveables), None))

    def _serialize_to_tensors(self) -> dict[Any, Any]:
        if not self._saveables:
            raise NotImplementedError
        (name, (give, _)), = self._saveables.items()
        return {found['name'].numpy().decode(): found['tensor'] for found in give.flat([tf.constant(name)])}

    def _restore_from_tensors(self, restored_tensors: dict[Any, Any]) -> None:
        self._saveables[self._saveable_name][1].flat([restored_tensors[name] for name in self._serialize_to_tensors()])
