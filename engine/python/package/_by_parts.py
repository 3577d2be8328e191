"""What functions of tensors make of sparse and ragged ones: tf.abs, tf.add and the like, from their values."""
import footlight as tf

# Functions that ragged tensors compute value by value, of their first argument or of two.
_OF_ONE = frozenset((
    'bitwise.invert cast clip_by_value debugging.check_numerics dtypes.cast dtypes.saturate_cast identity ones_like '
    'zeros_like math.abs math.acos math.acosh math.angle math.asin math.asinh math.atan math.atanh math.bessel_i0 '
    'math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma math.erf math.erfc '
    'math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.is_finite math.is_inf math.is_nan math.lgamma '
    'math.log math.log1p math.log_sigmoid math.logical_not math.ndtri math.negative math.real math.reciprocal '
    'math.reciprocal_no_nan math.rint math.round math.rsqrt math.sigmoid math.sign math.sin math.sinh math.softplus '
    'math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 '
    'math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint '
    'math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.sqrt math.square math.tan math.tanh nn.elu '
    'nn.gelu nn.leaky_relu nn.relu nn.relu6 nn.selu nn.sigmoid nn.silu nn.softplus nn.softsign nn.swish nn.tanh '
    'strings.as_string strings.length '
    'strings.lower strings.regex_full_match strings.regex_replace strings.strip strings.substr strings.to_hash_bucket '
    'strings.to_hash_bucket_fast strings.to_hash_bucket_strong strings.to_number strings.unicode_script '
    'strings.unicode_transcode strings.upper').split())
_OF_TWO = frozenset((
    'bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift dtypes.complex '
    'math.add math.atan2 math.divide math.divide_no_nan math.equal math.floordiv math.floormod math.greater '
    'math.greater_equal math.less math.less_equal math.logical_and math.logical_or math.logical_xor math.maximum '
    'math.minimum math.multiply math.multiply_no_nan math.nextafter math.not_equal math.pow math.squared_difference '
    'math.subtract math.truediv math.xdivy math.xlog1py math.xlogy math.zeta '
    'nn.sigmoid_cross_entropy_with_logits').split())
# Functions that sparse tensors compute from their values; all of them keep zero.
_OF_SPARSE = frozenset(
    'cast dtypes.cast identity math.abs math.negative math.sign math.square math.sqrt math.erf math.tanh'.split())


def of_sparse(name, function, given):
    """The function of a sparse tensor, or NotImplemented."""
    first = next(iter(given))
    tensor = given[first]
    if not isinstance(tensor, tf.SparseTensor):
        return NotImplemented
    if name in _OF_SPARSE:
        made = tensor.with_values(function(**{**given, first: tensor.values}))
        made.set_shape(tensor.shape)
        return made
    whole = tensor.dense_shape
    out_type = given.get('out_type') or tf.int32
    if name == 'shape':
        return tf.cast(whole, out_type)
    if name == 'size':
        return tf.cast(tf.reduce_prod(whole), out_type)
    if name == 'rank':
        return tf.size(whole)
    return NotImplemented


def sparse_with_dense(function, tensor, other):
    """A product or quotient of a sparse tensor's values with those of a tensor at their places."""
    other = tf.convert_to_tensor(other, tensor.dtype)
    rank = other.shape.rank
    if rank is None or rank > (tensor.shape.rank or 0):
        raise ValueError('a tensor of shape %s does not spread over a sparse tensor of shape %s' % (
            other.shape, tensor.shape))
    if rank:
        size = tf.shape(other, out_type=tf.int64)
        places = tf.where(size == 1, tf.constant(0, tf.int64), tensor.indices[:, tensor.shape.rank - rank:])
        other = tf.gather_nd(other, places)
    made = tensor.with_values(function(tensor.values, other))
    made.set_shape(tensor.shape)
    return made


def of_ragged(name, function, given):
    """The function of a ragged tensor, or NotImplemented."""
    names = list(given)
    tensor = given[names[0]]
    ragged = tf.RaggedTensor
    if name in _OF_ONE and isinstance(tensor, ragged):
        return tensor.with_flat_values(function(**{**given, names[0]: tensor.flat_values}))
    if name in _OF_TWO and len(names) > 1:
        rows, x, y = _matched(given[names[0]], given[names[1]])
        return rows.with_flat_values(function(**{**given, names[0]: x, names[1]: y}))
    if name == 'size':
        return tf.size(tensor.flat_values, given.get('out_type') or tf.int32)
    if name == 'rank':
        return tf.constant(tensor.ragged_rank) + tf.rank(tensor.flat_values)
    if name == 'concat':
        return _joined([part if isinstance(part, ragged) else tf.convert_to_tensor(part) for part in given['values']],
                       given['axis'])
    if name == 'gather' and len(set(names) - {'params', 'indices', 'axis', 'name'}) == 0:
        return _gathered(function, given)
    if name in ('math.reduce_variance', 'math.reduce_std'):
        rest = {'axis': given.get('axis'), 'keepdims': given.get('keepdims', False)}
        mean = tf.reduce_mean(tensor, **rest)
        variance = tf.reduce_mean(tensor * tensor, **rest) - mean * mean
        return variance if name == 'math.reduce_variance' else tf.sqrt(variance)
    if name in _REDUCED:
        return _reduced(name, function, tensor, given.get('axis'), bool(given.get('keepdims')))
    if name == 'nn.embedding_lookup' and isinstance(given['ids'], ragged):
        return given['ids'].with_flat_values(function(**{**given, 'ids': given['ids'].flat_values}))
    return NotImplemented


_REDUCED = {'math.reduce_sum': tf.math.unsorted_segment_sum, 'math.reduce_prod': tf.math.unsorted_segment_prod,
            'math.reduce_max': tf.math.unsorted_segment_max, 'math.reduce_min': tf.math.unsorted_segment_min,
            'math.reduce_mean': tf.math.unsorted_segment_mean, 'math.reduce_any': tf.math.unsorted_segment_max,
            'math.reduce_all': tf.math.unsorted_segment_min}


def _reduced(name, function, tensor, axis, keepdims):
    """What is left of the rows, of each row, or of what is inside of their values."""
    if axis is None:
        return function(tensor.flat_values, keepdims=keepdims)
    rank = tensor.shape.rank
    axes = [int(a) for a in tf.nest.flatten(axis if not tf.is_tensor(axis) else tf.get_static_value(axis).tolist())]
    if len(axes) > 1:
        for one in sorted((a + rank if a < 0 else a for a in axes), reverse=True):
            tensor = function(tensor, one, keepdims=keepdims)
        return tensor
    at = axes[0] + rank if axes[0] < 0 else axes[0]
    if not 0 <= at < rank:
        raise ValueError('axis %d is not one of a ragged tensor of rank %d' % (axes[0], rank))
    if at > 1:
        return tensor.with_values(function(tensor.values, at - 1, keepdims=keepdims))
    values, rows = tensor.values, tensor.value_rowids()
    place = tf.range(tf.shape(rows, out_type=rows.dtype)[0]) - tf.gather(tensor.row_starts(), rows)
    segment, count = (rows, tensor.nrows()) if at else (place, tensor.bounding_shape(axis=1))
    if isinstance(values, tf.RaggedTensor):
        return _reduced_rows(name, tensor, segment, count, keepdims, at)
    is_bool = values.dtype == tf.bool
    found = _REDUCED[name](tf.cast(values, tf.int32) if is_bool else values, segment, count)
    if is_bool:
        found = found > 0
    if name == 'math.reduce_mean' and at:
        found = tf.where(tf.reshape(tensor.row_lengths() > 0, tf.concat([[-1], tf.ones([tf.rank(found) - 1], tf.int32)], 0)),
                         found, tf.constant(float('nan'), found.dtype))
    return tf.expand_dims(found, at) if keepdims else found


def _reduced_rows(name, tensor, segment, count, keepdims, at):
    """The same of rows whose values are rows again: elements at one place of those of one segment."""
    inner = tensor.values
    if keepdims or isinstance(inner.values, tf.RaggedTensor):
        raise NotImplementedError('tf.%s of a ragged tensor of %d ragged dimensions along axis %d' % (
            name, tensor.ragged_rank, at))
    row = inner.value_rowids()
    place = tf.range(tf.shape(row, out_type=row.dtype)[0]) - tf.gather(inner.row_starts(), row)
    outer = tf.gather(segment, row)
    lengths = tf.maximum(tf.math.unsorted_segment_max(inner.row_lengths(), segment, count), 0)
    starts = tf.cumsum(lengths, exclusive=True)
    values, is_bool = inner.values, inner.dtype == tf.bool
    found = _REDUCED[name](tf.cast(values, tf.int32) if is_bool else values, tf.gather(starts, outer) + place,
                           tf.reduce_sum(lengths))
    return tf.RaggedTensor.from_row_lengths(found > 0 if is_bool else found, lengths, validate=False)


def _gathered(function, given):
    """Rows of a ragged tensor, or of a whole one in the rows of ragged indices."""
    params, indices, axis = given['params'], given['indices'], given.get('axis') or 0
    ragged = tf.RaggedTensor
    if isinstance(indices, ragged):
        if isinstance(params, ragged) or axis == 0:
            return indices.with_values(function(params, indices.values))
        if axis != 1 or indices.ragged_rank != 1:
            return NotImplemented
        params = tf.convert_to_tensor(params)
        flat = function(params, indices.flat_values, axis=1)
        values = tf.reshape(flat, tf.concat([[-1], tf.shape(flat)[2:]], 0))
        inner = ragged.from_row_lengths(values, tf.tile(indices.row_lengths(), tf.shape(params)[:1]), validate=False)
        return ragged.from_uniform_row_length(inner, indices.nrows(), tf.shape(params)[0])
    if axis != 0:
        return NotImplemented
    indices = tf.convert_to_tensor(indices)
    if indices.shape.rank == 0:
        return params[indices]
    if indices.shape.rank != 1:
        return NotImplemented
    return _composites().gather(params, indices)


def _composites():
    from footlight import _composites as found
    return found


def _matched(x, y):
    """Two operands, one of them ragged: the ragged one, and the flat values of both, of the same places."""
    if not isinstance(x, tf.RaggedTensor):
        rows, y, x = _matched(y, x)
        return rows, x, y
    if not isinstance(y, tf.RaggedTensor):
        return x, x.flat_values, _spread(tf.convert_to_tensor(y, None if tf.is_tensor(y) else x.dtype), x)
    mine, others = x.nested_row_splits, y.nested_row_splits
    if len(mine) != len(others):
        raise ValueError('ragged tensors of %d and %d ragged dimensions have no places in common' % (
            len(mine), len(others)))
    checks = [tf.debugging.assert_equal(tf.cast(a, tf.int64), tf.cast(b, tf.int64),
                                        'the rows of two ragged tensors have different lengths')
              for a, b in zip(mine, others) if a is not b]
    with tf.control_dependencies([check for check in checks if check is not None]):
        return x, tf.identity(x.flat_values), tf.identity(y.flat_values)


def _spread(other, rows):
    """What a whole tensor gives to each flat value of a ragged one."""
    flat, rank = rows.flat_values, rows.shape.rank
    outer = rows.ragged_rank + 1
    missing = rank - other.shape.rank
    if missing < 0:
        raise ValueError('a tensor of shape %s does not spread over a ragged one of shape %s' % (other.shape, rows.shape))
    if missing >= outer:
        return other
    # The index of each flat value in the dimensions up to the innermost ragged one that `other` has.
    indices, inner = [], rows
    while isinstance(inner, tf.RaggedTensor):
        row = inner.value_rowids()
        indices = [tf.gather(i, row) for i in indices] if indices else [row]
        indices.append(tf.range(tf.shape(row, out_type=row.dtype)[0]) - tf.gather(inner.row_starts(), row))
        inner = inner.values
    size = tf.shape(other)[:outer - missing]
    places = tf.stack([tf.cast(i, tf.int32) for i in indices[missing:]], 1)
    return tf.gather_nd(other, tf.where(size == 1, 0, places))


def _joined(parts, axis):
    """Ragged and whole tensors one after the other, along the rows or inside of each."""
    parts = [part if isinstance(part, tf.RaggedTensor) else tf.RaggedTensor.from_tensor(part) for part in parts]
    axis = axis + parts[0].shape.rank if axis < 0 else axis
    if axis > 1:
        return parts[0].with_values(tf.concat([part.values for part in parts], axis - 1))
    values = tf.concat([part.values for part in parts], 0)
    if axis == 0:
        return tf.RaggedTensor.from_row_lengths(values, tf.concat([part.row_lengths() for part in parts], 0))
    order = tf.argsort(tf.concat([part.value_rowids() for part in parts], 0), stable=True)
    return tf.RaggedTensor.from_row_lengths(tf.gather(values, order), sum(part.row_lengths() for part in parts))


def add_operators(ragged):
    """Gives the class of ragged tensors the operators of tensors: the functions of the same meaning."""
    of_two = {'add': tf.add, 'sub': tf.subtract, 'mul': tf.multiply, 'truediv': tf.truediv, 'floordiv': tf.math.floordiv,
              'mod': tf.math.floormod, 'pow': tf.pow, 'and': tf.logical_and, 'or': tf.logical_or, 'xor': tf.math.logical_xor}
    for name, function in of_two.items():
        setattr(ragged, '__%s__' % name, lambda x, y, function=function: function(x, y))
        setattr(ragged, '__r%s__' % name, lambda x, y, function=function: function(y, x))
    for name, function in {'lt': tf.less, 'le': tf.less_equal, 'gt': tf.greater, 'ge': tf.greater_equal}.items():
        setattr(ragged, '__%s__' % name, lambda x, y, function=function: function(x, y))
    for name, function in {'neg': tf.negative, 'abs': tf.abs, 'invert': tf.logical_not}.items():
        setattr(ragged, '__%s__' % name, lambda x, function=function: function(x))
