"""What run.py tries, in the order from which a case's number picks."""
import drawing
import elementwise
import reductions
import shapes
import indexing
import products

ALL = drawing.ALL
NEED_A_RANK = {'repeat', 'nn.softmax', 'nn.log_softmax'}  # of their first argument, while tracing
