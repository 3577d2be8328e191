"""Loads all files of tensorflow.python; what is public elsewhere is found by public_names.py."""
import contextlib

from footlight._graphs import session_values  # noqa: F401  (these add names too)
from footlight._linalg import linear_operator  # noqa: F401
from footlight._tensorflow import sysconfig  # noqa: F401
from footlight._tensorflow.compat.v1 import gradient_checker, logging  # noqa: F401
from footlight._tensorflow.compiler.tf2xla.python import xla  # noqa: F401
from footlight._tensorflow.core.function.capture import capture_container  # noqa: F401
from footlight._tensorflow.internal import for_libraries  # noqa: F401
from footlight._tensorflow.python import aliases, public_names, public_names_by_subject  # noqa: F401
from footlight._tensorflow.python.checkpoint import checkpoint, graph_view  # noqa: F401
from footlight._tensorflow.python.client import device_lib  # noqa: F401
from footlight._tensorflow.python.data.experimental.ops import distribute, global_shuffle_op  # noqa: F401
from footlight._tensorflow.python.data.ops import dataset_ops, source_ops, test_mode  # noqa: F401
from footlight._tensorflow.python.data.util import nest, structure  # noqa: F401
from footlight._tensorflow.python.eager import (  # noqa: F401
    backprop, backprop_util, cancellation, context, execute, lift_to_graph, monitoring, record, wrap_function)
from footlight._tensorflow.python.eager.polymorphic_function import (  # noqa: F401
    attributes, concrete_function, function_type_utils, polymorphic_function, tracing_compilation)
from footlight._tensorflow.python.framework import (  # noqa: F401
    _errors_test_helper, auto_control_deps, composite_tensor, config, func_graph, function_def_to_graph, ops, smart_cond,
    sparse_tensor, tensor_shape, tensor_spec, tensor_util, test_layouts, type_spec, type_spec_registry)
from footlight._tensorflow.python.lib.io import file_io  # noqa: F401
from footlight._tensorflow.python.ops import (  # noqa: F401
    cond_v2, control_flow_ops, control_flow_util, control_flow_util_v2, default_gradient, functional_ops, gradient_checker_v2,
    inplace_ops, list_ops, map_ops, math_ops, op_selector, resource_variable_ops, weights_broadcast_ops, while_v2)
from footlight._tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops  # noqa: F401
from footlight._tensorflow.python.ops.numpy_ops import np_dtypes, np_math_ops  # noqa: F401
from footlight._tensorflow.python.ops.parallel_for import control_flow_ops as _loops, gradients  # noqa: F401
from footlight._tensorflow.python.ops.ragged import ragged_conversion_ops, ragged_tensor, ragged_util  # noqa: F401
from footlight._tensorflow.python.platform import test  # noqa: F401
from footlight._tensorflow.python.saved_model import nested_structure_coder  # noqa: F401
from footlight._tensorflow.python.saved_model.model_utils import mode_keys  # noqa: F401
from footlight._tensorflow.python.trackable import base  # noqa: F401
from footlight._tensorflow.python.training import moving_averages  # noqa: F401
from footlight._tensorflow.python.tpu import tpu_function  # noqa: F401
from footlight._tensorflow.python.util import (  # noqa: F401
    all_util, decorator_utils, deprecation, dispatch, function_utils, keyword_args, module_wrapper, object_identity,
    tf_contextlib, tf_decorator, tf_export, tf_inspect, variable_utils)
from footlight._tensorflow.python.util import nest as _nest  # noqa: F401
from footlight._tensorflow.tools.docs import doc_controls  # noqa: F401
from footlight._test import combinations  # noqa: F401

with contextlib.suppress(ImportError):  # without NumPy there are no weak dtypes
    from footlight._numpy import weak_dtypes  # noqa: F401  (it adds its class)
