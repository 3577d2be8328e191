"""Pipelines of tf.data, which pipelines.txt lists: chosen ones of those that pipeline_parts.py made at random."""
import os

import pipeline_parts

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, 'pipelines.txt'), encoding='utf-8') as lines:
    TEXTS = lines.read().splitlines()


def cases(tf):
    given = pipeline_parts.names(tf)
    return {text: lambda text=text: pipeline_parts.outcome(text, tf, given) for text in TEXTS}


EAGER_ONLY = TEXTS  # their functions are traced anyway
