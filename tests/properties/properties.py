"""All properties for run.py, in the order in which a case's number chooses."""
import drawing
import elementwise
import reductions
import shapes
import indexing
import products
import convolutions

ALL = drawing.ALL
NEED_A_RANK = {'repeat', 'nn.softmax', 'nn.log_softmax'}  # the rank of the first argument, while tracing
