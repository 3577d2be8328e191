"""Writes recorded images and small messages as inputs of fuzz_decoders: decoder_seeds.py GOLDEN CORPUS."""
import base64
import gzip
import json
import os
import sys
import zlib

FORMS = {b'\xff\xd8\xff': 0, b'\x89PNG': 1, b'GIF8': 2, b'BM': 3}  # by their place in kDecoderForms
TENSOR, GZIP, ZLIB = 4, 5, 6
MESSAGES = {  # options that choose the dtype, and a TensorProto
    0: [b'\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x03\x22\x18' + bytes(24),  # as bytes
        b'\x08\x01\x12\x04\x12\x02\x08\x03\x2a\x0c' + bytes(12), b'\x08\x01\x12\x00\x2d\x00\x00\x80\x3f'],
    1: [b'\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01a\x42\x02bc'],
    2: [b'\x08\x0a\x12\x04\x12\x02\x08\x02\x5a\x02\x01\x00'],
    3: [b'\x08\x09\x12\x04\x12\x02\x08\x04\x50\x07'],  # one number for all elements
    4: [b'\x08\x13\x12\x00\x6a\x02\x80\x78'],
    6: [b'\x08\x08\x12\x00\x4a\x08' + bytes(8)]}

golden, corpus = sys.argv[1:]
os.makedirs(corpus, exist_ok=True)
count = 0


def write(form, options, content):
    global count
    with open(os.path.join(corpus, f'{form}-{count}'), 'wb') as seed:
        seed.write(bytes([form, options]) + content)
    count += 1


def files_in(value):
    """The contents of all files in a recorded case."""
    if isinstance(value, dict):
        if 'b64' in value:
            yield base64.b64decode(value['b64'])
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from files_in(part)


with open(os.path.join(golden, 'ops', 'image_files.jsonl'), encoding='utf-8') as cases:
    found = {content for line in cases for content in files_in(json.loads(line))}
for content in sorted(found):
    for magic, form in FORMS.items():
        if content.startswith(magic):
            for options in (0, 3, 9):
                write(form, options, content)
for options, messages in MESSAGES.items():
    for message in messages:
        write(TENSOR, options, message)
text = bytes(range(256)) * 8
write(GZIP, 0, gzip.compress(text, mtime=0))
write(GZIP, 0, gzip.compress(b'one', mtime=0) + gzip.compress(b'two', mtime=0))
write(ZLIB, 0, zlib.compress(text))
