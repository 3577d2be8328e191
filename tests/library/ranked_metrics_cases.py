"""tf.compat.v1.metrics of the first k predictions, and of one rate at another: values, updates and the names of variables."""

# Predictions of 3 rows and 5 classes.
PREDICTIONS = [[.1, .2, .3, .4, .9], [.5, .1, .8, .2, .3], [.9, .8, .7, .1, .2]]
LABELS, ONE_LABEL, TWICE = [[4, 0], [3, 1], [1, 0]], [3, 2, 0], [[4, 4], [2, 2], [7, 0]]


def cases(tf):
    v1 = tf.compat.v1
    metrics = v1.metrics

    def run(metric, *args, are_named=True, **options):
        """Before, after one batch, after two, and what the metric keeps."""
        with tf.Graph().as_default(), v1.Session() as session:
            given = [a(tf) if callable(a) else tf.constant(a, tf.int64 if i == 0 else None) if isinstance(a, list) else a
                     for i, a in enumerate(args)]
            value, update = metric(*given, **options)
            session.run(v1.local_variables_initializer())
            found = [float(session.run(one)) for one in (value, update, update, value)]
            return found + [v.name for v in v1.local_variables()] if are_named else found

    def sparse(tf):
        return tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]], tf.constant([4, 0, 2, 1, 0, 4], tf.int64), [3, 3])
    found = {}
    for name in ('precision_at_k', 'recall_at_k'):
        for k in (1, 2, 4):
            found[f'{name}_{k}'] = lambda m=getattr(metrics, name), k=k: [
                run(m, LABELS, PREDICTIONS, k), run(m, ONE_LABEL, PREDICTIONS, k), run(m, sparse, PREDICTIONS, k),
                run(m, TWICE, PREDICTIONS, k), run(m, LABELS, PREDICTIONS, k, class_id=1),
                run(m, sparse, PREDICTIONS, k, class_id=4), run(m, LABELS, PREDICTIONS, k, weights=[1., .5, 2.]),
                run(m, LABELS, PREDICTIONS, k, weights=2.), run(m, LABELS, PREDICTIONS, k, name='mine')]
        found[f'{name}_weights_error'] = lambda m=getattr(metrics, name): run(
            m, LABELS, PREDICTIONS, 2, weights=[[1.], [.5], [2.]])
    average = metrics.average_precision_at_k
    for k in (1, 2, 4, 5):
        found[f'average_{k}'] = lambda k=k: [
            run(average, LABELS, PREDICTIONS, k, are_named=False), run(average, sparse, PREDICTIONS, k, are_named=False),
            run(average, LABELS, PREDICTIONS, k, weights=[1., .5, 2.], are_named=False),
            run(average, ONE_LABEL, PREDICTIONS, k, are_named=False), run(average, TWICE, PREDICTIONS, k, are_named=False)]
    rows = ([4, 4], [7, 4], [4, 3], [4, -1], [4, 4, 3], [3, 3, 3], [7])
    found['average_rows'] = lambda: [run(average, [row], PREDICTIONS[:1], 3, are_named=False) for row in rows]
    found['average_error'] = lambda: run(average, LABELS, PREDICTIONS, 0)

    def top(tf):
        return tf.constant([[1, 2], [0, 2], [3, 0]], tf.int64)
    found['at_top_k'] = lambda: [run(m, LABELS, top, **options) for m in (metrics.precision_at_top_k, metrics.recall_at_top_k)
                                 for options in ({'k': 2}, {}, {'class_id': 0})]
    labels, scores = [0, 0, 1, 1, 0, 1, 1, 0], [.1, .4, .35, .8, .5, .7, .9, .2]
    for rate in (0., .3, .5, .7, .9, 1.):
        found[f'rate_{rate}'] = lambda rate=rate: [run(m, labels, scores, rate) for m in (
            metrics.sensitivity_at_specificity, metrics.specificity_at_sensitivity)] + [
            run(m, labels, scores, rate, weights=tuple(range(1, 9)), num_thresholds=20, are_named=False)
            for m in (metrics.sensitivity_at_specificity,)]
    found['rate_error'] = lambda: run(metrics.sensitivity_at_specificity, labels, scores, 1.5)
    return found


# All of them make graphs of their own.
EAGER_ONLY = tuple([f'{name}_{k}' for name in ('precision_at_k', 'recall_at_k') for k in (1, 2, 4)] +
                   [f'average_{k}' for k in (1, 2, 4, 5)] + [f'rate_{rate}' for rate in (0., .3, .5, .7, .9, 1.)] +
                   ['precision_at_k_weights_error', 'recall_at_k_weights_error', 'average_rows', 'average_error', 'at_top_k', 'rate_error'])
