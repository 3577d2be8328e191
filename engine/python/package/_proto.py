"""Messages with the fields, the text form and the bytes of TensorFlow's protocol buffers, for the few that scripts see."""
import struct

VARINT, FLOAT, DOUBLE, BYTES, STRING, MESSAGE, BOOL, ENUM = range(8)
_WIRE = {VARINT: 0, BOOL: 0, ENUM: 0, FLOAT: 5, DOUBLE: 1, BYTES: 2, STRING: 2, MESSAGE: 2}

DATA_TYPES = {1: 'DT_FLOAT', 2: 'DT_DOUBLE', 3: 'DT_INT32', 4: 'DT_UINT8', 5: 'DT_INT16', 6: 'DT_INT8', 7: 'DT_STRING',
              8: 'DT_COMPLEX64', 9: 'DT_INT64', 10: 'DT_BOOL', 14: 'DT_BFLOAT16', 17: 'DT_UINT16', 18: 'DT_COMPLEX128',
              19: 'DT_HALF', 20: 'DT_RESOURCE', 21: 'DT_VARIANT', 22: 'DT_UINT32', 23: 'DT_UINT64'}


class Field:
    def __init__(self, number, name, kind, repeated=False, message=None):
        self.number, self.name, self.kind, self.repeated, self.message = number, name, kind, repeated, message

    def default(self):
        if self.repeated:
            return []
        if self.kind == MESSAGE:
            return self.message()
        return {FLOAT: 0.0, DOUBLE: 0.0, BYTES: b'', STRING: '', BOOL: False}.get(self.kind, 0)


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _quoted(data):
    out = ''
    for b in data.encode() if isinstance(data, str) else data:
        if b in b'"\\\'':
            out += '\\' + chr(b)
        elif b in b'\n\r\t':
            out += {10: '\\n', 13: '\\r', 9: '\\t'}[b]
        else:
            out += chr(b) if 32 <= b < 127 else '\\%03o' % b
    return '"%s"' % out


class Message:
    """One message; a class below says its fields."""

    FIELDS = ()

    def __init__(self, **values):
        for field in self.FIELDS:
            setattr(self, field.name, values.pop(field.name, None) if field.name in values else field.default())
        if values:
            raise ValueError('%s has no field %r' % (type(self).__name__, sorted(values)[0]))

    def _set(self):
        for field in self.FIELDS:
            value = getattr(self, field.name)
            if field.repeated or field.kind != MESSAGE:
                if value or (isinstance(value, float) and str(value) == '-0.0'):
                    yield field, value
            elif value.__dict__.get('_present') or any(value._set()):
                yield field, value

    def __eq__(self, other):
        return type(other) is type(self) and all(getattr(self, f.name) == getattr(other, f.name) for f in self.FIELDS)

    __hash__ = None

    def _text(self, indent):
        lines = []
        for field, value in self._set():
            for item in value if field.repeated else [value]:
                if field.kind == MESSAGE:
                    lines += [indent + field.name + ' {'] + item._text(indent + '  ') + [indent + '}']
                elif field.kind in (BYTES, STRING):
                    lines.append('%s%s: %s' % (indent, field.name, _quoted(item)))
                elif field.kind == ENUM:
                    lines.append('%s%s: %s' % (indent, field.name, DATA_TYPES.get(item, item)))
                elif field.kind == BOOL:
                    lines.append('%s%s: %s' % (indent, field.name, 'true' if item else 'false'))
                elif field.kind == FLOAT:
                    lines.append('%s%s: %s' % (indent, field.name, '%.9g' % item if item != int(item) else int(item)))
                else:
                    lines.append('%s%s: %s' % (indent, field.name, int(item) if item == int(item) else item))
        return lines

    def __str__(self):
        return ''.join(line + '\n' for line in self._text(''))

    __repr__ = __str__

    def SerializeToString(self, deterministic=None):
        """The bytes of the message."""
        out = b''
        for field, value in sorted(self._set(), key=lambda pair: pair[0].number):
            items = value if field.repeated else [value]
            key = _varint(field.number << 3 | _WIRE[field.kind])
            if field.repeated and _WIRE[field.kind] != 2:
                packed = b''.join(_encoded(field.kind, item) for item in items)
                out += _varint(field.number << 3 | 2) + _varint(len(packed)) + packed
            else:
                out += b''.join(key + _encoded(field.kind, item) for item in items)
        return out

    def ByteSize(self):
        return len(self.SerializeToString())


def _encoded(kind, item):
    if kind == FLOAT:
        return struct.pack('<f', item)
    if kind == DOUBLE:
        return struct.pack('<d', item)
    if kind in (VARINT, BOOL, ENUM):
        return _varint(int(item))
    data = item.SerializeToString() if kind == MESSAGE else item.encode() if isinstance(item, str) else bytes(item)
    return _varint(len(data)) + data


class Dim(Message):
    FIELDS = (Field(1, 'size', VARINT), Field(2, 'name', STRING))


class TensorShapeProto(Message):
    FIELDS = (Field(2, 'dim', MESSAGE, True, Dim), Field(3, 'unknown_rank', BOOL))
    Dim = Dim


class SerializedDType(Message):
    FIELDS = (Field(1, 'datatype', ENUM),)


class TensorSpecProto(Message):
    FIELDS = (Field(1, 'name', STRING), Field(2, 'shape', MESSAGE, False, TensorShapeProto), Field(3, 'dtype', ENUM))


class TensorProto(Message):
    FIELDS = (Field(1, 'dtype', ENUM), Field(2, 'tensor_shape', MESSAGE, False, TensorShapeProto),
              Field(3, 'version_number', VARINT), Field(4, 'tensor_content', BYTES), Field(13, 'half_val', VARINT, True),
              Field(5, 'float_val', FLOAT, True), Field(6, 'double_val', DOUBLE, True), Field(7, 'int_val', VARINT, True),
              Field(8, 'string_val', BYTES, True), Field(9, 'scomplex_val', FLOAT, True),
              Field(10, 'int64_val', VARINT, True), Field(11, 'bool_val', BOOL, True),
              Field(12, 'dcomplex_val', DOUBLE, True), Field(16, 'uint32_val', VARINT, True),
              Field(17, 'uint64_val', VARINT, True))


def shape_proto(shape):
    """A TensorShape as a message."""
    if shape.rank is None:
        return TensorShapeProto(unknown_rank=True)
    out = TensorShapeProto(dim=[Dim(size=-1 if d is None else d) for d in shape.as_list()])
    out._present = True  # a scalar's is there, and empty
    return out
