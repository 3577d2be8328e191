"""Messages of protobuf read with nothing but the rules of its wire format."""
import collections


def fields(data):
    """{field number: [value]}: ints of varints, bytes of the rest."""
    at, found = 0, collections.defaultdict(list)

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        else:
            size = {1: 8, 2: None, 5: 4}[tag & 7]
            size = varint() if size is None else size
            assert at + size <= len(data)
            value = data[at:at + size]
            at += size
        found[tag >> 3].append(value)
    return found


def last_fields(data):
    """{field number: value}: of a repeated field the last one."""
    return {number: found[-1] for number, found in fields(data).items()}
