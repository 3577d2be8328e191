"""Ops as functions."""
from tensorflow.python import pywrap_tfe


def identity(value):
    pywrap_tfe.TFE_Py_FastPathExecute(None, 'Identity', None)
    return value
