"""Writes a small trace as Perfetto's tracing library does: interned texts, tracks, slices, counters, flows, packed packets."""
import struct
import zlib

Packet = bytes


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, *parts: bytes) -> bytes:
    content = b''.join(parts)
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field: int, value: str) -> bytes:
    return message(field, value.encode())


def fixed(field: int, value: int) -> bytes:
    return varint(field << 3 | 1) + struct.pack('<Q', value)


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | 1) + struct.pack('<d', value)


def packet(*parts: bytes, sequence: int = 1) -> Packet:
    return message(1, number(10, sequence), *parts)


def event(time: int, *parts: bytes, sequence: int = 1, clock: int = 0) -> Packet:
    return packet(number(8, time), *([number(58, clock)] if clock else []), message(11, *parts), sequence=sequence)


BOOT, REAL = 5_000_000, 1_717_000_000_000_000_000


def trace(steps: int) -> list[Packet]:
    """The packets: two threads of one process, a counter, and a sequence whose clock counts on in microseconds."""
    made = [packet(message(6, message(1, number(1, 6), number(2, BOOT)), message(1, number(1, 1), number(2, REAL))),
                   number(13, 1)),
            packet(message(60, number(1, 10), message(3, number(1, 77), text(6, 'trainer')))),
            packet(message(60, number(1, 11), number(5, 10), message(4, number(1, 77), number(2, 77), text(5, 'main')))),
            packet(message(60, number(1, 12), number(5, 10), message(4, number(1, 77), number(2, 78), text(5, 'loader')))),
            packet(message(60, number(1, 13), number(5, 10), text(2, 'queue'), message(8))),
            packet(message(12, message(1, number(1, 1), text(2, 'train')), message(2, number(1, 1), text(2, 'step')),
                           message(3, number(1, 1), text(2, 'batch'))), message(59, message(11, number(11, 11)))),
            packet(message(6, message(1, number(1, 6), number(2, BOOT)),
                           message(1, number(1, 64), number(2, 0), number(3, 1), number(4, 1000))), sequence=2)]
    for i in range(steps):
        start = BOOT + 10_000 * i
        made += [event(start, number(9, 1), number(3, 1), number(10, 1), message(4, number(1, 1), number(4, i)),
                       fixed(47, i + 1)),
                 event(start + 1000, number(9, 1), text(22, 'op'), text(23, f'mul {i % 3}')),
                 event(start + 2500, number(9, 2)),
                 event(start + 9000, number(9, 2)),
                 event(start + 9000, number(9, 4), number(11, 13), number(30, i % 5)),
                 event(start + 9500, number(9, 3), number(11, 12), text(23, 'fetched'))]
        # 7 microseconds since the event before.
        made.append(event(7, number(9, 1), number(11, 12), text(23, 'load'), sequence=2, clock=64))
        made.append(event(3, number(9, 2), number(11, 12), sequence=2, clock=64))
    return made


def write(path: str, steps: int) -> None:
    """Half of the packets are packed with deflate."""
    made = trace(steps)
    half = len(made) // 2
    with open(path, 'wb') as out:
        out.write(b''.join(made[:half]))
        out.write(message(1, message(50, zlib.compress(b''.join(made[half:])))))
