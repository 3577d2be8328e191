"""Arrays and jaxprs."""
import collections


Mesh = collections.namedtuple('Mesh', 'axes')
Mesh.empty, Mesh.shape = property(lambda mesh: not mesh.axes), property(lambda mesh: dict(mesh.axes))
NamedSharding = collections.namedtuple('NamedSharding', 'mesh spec')
SingleDeviceSharding = collections.namedtuple('SingleDeviceSharding', 'device')


class Aval:
    def __init__(self, shape, dtype, weak_type, mesh=()):
        self.shape, self.dtype, self.weak_type = shape, dtype, weak_type
        self.sharding = NamedSharding(Mesh(mesh), (None,) * len(shape))


class Array:
    def __init__(self, shape, dtype='float32', weak_type=False, device=None, mesh=()):
        self.shape, self.dtype, self.weak_type = shape, dtype, weak_type
        self.aval = Aval(shape, dtype, weak_type, mesh)
        self.device, self._committed, self.sharding = device or 'cpu:0', device is not None, SingleDeviceSharding(device)

    def devices(self):
        return {self.device}


class Tracer:
    pass


class Literal:
    pass


class Primitive:
    def __init__(self, name):
        self.name = name


class EvalTrace:
    """Runs primitives one by one."""
    def process_primitive(self, primitive, args, params):
        return primitive.impl(*args, **params)


class Variable:
    def __init__(self, aval):
        self.aval = aval


class Equation:
    def __init__(self, name, inputs, outputs, params, source_info):
        self.primitive, self.invars, self.outvars, self.params = Primitive(name), inputs, outputs, params
        self.source_info = source_info


class Jaxpr:
    def __init__(self, inputs, equations, outputs):
        self.invars, self.constvars, self.eqns, self.outvars = inputs, [], equations, outputs


class ClosedJaxpr:
    def __init__(self, jaxpr):
        self.jaxpr, self.consts = jaxpr, []

    def pretty_print(self, *, source_info=False, use_color=True):
        lines = []
        for equation in self.jaxpr.eqns:
            frame = equation.source_info.traceback[0]
            place = f' # {frame.file_name}:{frame.start_line}:{frame.start_column} ({frame.function_name})'
            lines.append(f'    b = {equation.primitive.name} a' + (place if source_info else ''))
        return '\n'.join(['{ lambda ; a. let', *lines, '  in (b,) }'])


def shaped_abstractify(value):
    if isinstance(value, Array):
        return value.aval
    return Aval((), {bool: 'bool', int: 'int32', float: 'float32'}[type(value)], weak_type=True)
