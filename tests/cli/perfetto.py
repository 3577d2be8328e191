"""Perfetto's messages, as a viewer would understand them."""
import collections
import json
import struct

from wire import fields

KINDS = {3: 'process', 4: 'thread', 8: 'counter'}


class Perfetto:
    """The tracks, slices, counters and instants of a trace, as a viewer would understand them."""

    def __init__(self, data):
        self.tracks, self.slices, self.counters, self.instants = {}, [], [], []
        interned = collections.defaultdict(dict)
        events = []
        for packet in map(fields, fields(data)[1]):
            assert packet[10] == [1], 'every packet names its sequence'
            for group in map(fields, packet.get(12, [])):
                for field, entries in group.items():
                    for entry in map(fields, entries):
                        assert entry[1][0] not in interned[field]
                        interned[field][entry[1][0]] = entry[2][0].decode('utf-8')
            for track in map(fields, packet.get(60, [])):
                assert track[1][0] not in self.tracks
                self.tracks[track[1][0]] = {
                    'name': track[2][0].decode('utf-8'), 'parent': track.get(5, [0])[0],
                    'kind': next((kind for field, kind in KINDS.items() if field in track), 'other')}
            for event in map(fields, packet.get(11, [])):
                assert event[11][0] in self.tracks, 'a track is described before it is used'
                event['time'] = packet[8][0]
                event['name'] = interned[2][event[10][0]] if 10 in event else event.get(23, [b''])[0].decode('utf-8')
                event['args'] = {}
                for a in map(fields, event.get(4, [])):
                    name = interned[3][a[1][0]]
                    event['args'][name] = (interned[29][a[17][0]] if 17 in a else a[6][0].decode('utf-8') if 6 in a
                                           else json.loads(a[9][0]) if 9 in a else a[4][0])
                events.append(event)
        open_slices = collections.defaultdict(list)
        for event in sorted(events, key=lambda e: e['time']):  # stable, as Perfetto's
            kind, track = event[9][0], event[11][0]
            if kind == 1:
                open_slices[track].append(event)
            elif kind == 2:
                begun = open_slices[track].pop()
                self.slices.append((track, begun['name'], begun['time'], event['time'], begun['args'],
                                    [struct.unpack('<Q', f)[0] for f in begun.get(47, [])]))
            elif kind == 3:
                self.instants.append((event['name'], event['args']))
            else:
                self.counters.append((track, event['time'], struct.unpack('<d', event[44][0])[0]))
        assert not any(open_slices.values())
