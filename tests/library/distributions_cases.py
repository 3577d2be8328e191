"""tf.compat.v1.distributions: densities, moments, divergences, shapes, samples and what is refused."""

VALUES = ('log_prob', 'prob', 'log_cdf', 'cdf', 'log_survival_function', 'survival_function', 'quantile')
MOMENTS = ('entropy', 'mean', 'variance', 'stddev', 'covariance', 'batch_shape_tensor', 'event_shape_tensor',
           'is_scalar_event', 'is_scalar_batch')


def _makers(D):
    """{name: (makes the distribution, values)}"""
    return {
        'normal': (lambda **k: D.Normal([0., 1.], [[1., 2.], [3., .5]], **k), [.3, .6]),
        'laplace': (lambda **k: D.Laplace([0., 1.], 2., **k), [.3, .6]),
        'uniform': (lambda **k: D.Uniform([0., 1.], [2., 5.], **k), [.3, .6]),
        'gamma': (lambda **k: D.Gamma([.5, 2., 3.], 2., **k), [.5, 1., 2.]),
        'exponential': (lambda **k: D.Exponential([1., 3.], **k), [.3, .6]),
        'beta': (lambda **k: D.Beta([.5, 2.], [3., 4.], **k), [.3, .6]),
        'student_t': (lambda **k: D.StudentT([.5, 1.5, 3.], .5, 2., **k), [.1, -3., 9.]),
        'bernoulli': (lambda **k: D.Bernoulli(probs=[.2, .7], **k), [0, 1]),
        'bernoulli_logits': (lambda **k: D.Bernoulli(logits=[.2, -.7], **k), [1, 0]),
        'categorical': (lambda **k: D.Categorical(probs=[[.2, .3, .5], [.1, .8, .1]], **k), [2, 1]),
        'multinomial': (lambda **k: D.Multinomial([3., 4.], probs=[.2, .3, .5], **k), [[1., 1., 1.], [2., 0., 2.]]),
        'dirichlet': (lambda **k: D.Dirichlet([[1.5, 2., 3.], [2.5, 1.5, 4.]], **k), [[.2, .3, .5], [.1, .8, .1]]),
        'dirichlet_multinomial': (lambda **k: D.DirichletMultinomial(4., [1.5, 2., 3.], **k), [1., 1., 2.]),
    }


def _results(tf, of, names):
    """What methods give, or the class of their error."""
    found = {}
    for name in names:
        try:
            found[name] = of(name)
        except (NotImplementedError, tf.errors.InvalidArgumentError, ValueError) as error:
            found[name] = tf.constant(type(error).__name__)
    return found


def cases(tf):
    D = tf.compat.v1.distributions
    found = {}
    for name, (make, values) in _makers(D).items():
        found[f'{name}_values'] = lambda make=make, values=values: _results(tf, lambda of: getattr(make(), of)(values), VALUES)
        found[f'{name}_moments'] = lambda make=make: _results(tf, lambda of: getattr(make(), of)(), MOMENTS)
        if name != 'dirichlet':  # whose mode TensorFlow computes for no batch: dirichlet_mode_of_one below
            found[f'{name}_mode'] = lambda make=make: _results(tf, lambda of: make().mode(), ['mode'])
        found[f'{name}_shapes'] = lambda make=make: tf.constant([str(s) for d in [make()] for s in (
            d.batch_shape, d.event_shape, d.dtype, d.reparameterization_type, d.sample([3, 2]).shape, d.sample(5).shape,
            d.sample().shape)])
        found[f'{name}_checked'] = lambda make=make, values=values: make(validate_args=True).log_prob(values)
        found[f'{name}_parameters'] = lambda make=make: tf.constant(sorted(make().parameters))
        found[f'{name}_divergence'] = lambda make=make: _results(
            tf, lambda of: getattr(make(), of)(make(name='other')), ('kl_divergence', 'cross_entropy'))
    for name in ('normal', 'laplace', 'uniform', 'gamma', 'exponential', 'beta', 'bernoulli', 'multinomial', 'dirichlet'):
        found[f'{name}_drawn'] = lambda make=_makers(D)[name][0]: _drawn(tf, make())
    found['student_t_drawn'] = lambda: _drawn(tf, D.StudentT([8., 20.], [.5, -1.], [.5, 2.]))
    found['dirichlet_multinomial_drawn'] = lambda: _drawn(tf, D.DirichletMultinomial(4., [1.5, 2., 3.]))
    for dtype in ('int8', 'int32', 'int64', 'float32'):
        found[f'categorical_drawn_{dtype}'] = lambda dtype=dtype: _drawn_classes(tf, D.Categorical(
            probs=[[.2, .3, .5], [.1, .8, .1]], dtype=getattr(tf, dtype)))
    return {**found, **_refused(tf, D), **_others(tf, D)}


def _drawn(tf, one):
    """Whether 20,000 samples have the mean and the deviation of the distribution."""
    samples = tf.cast(one.sample(20000, seed=3), tf.float32)
    return [tf.reduce_all(tf.abs(tf.reduce_mean(samples, 0) - one.mean()) < .1),
            tf.reduce_all(tf.abs(tf.math.reduce_std(samples, 0) - one.stddev()) < .1)]


def _drawn_classes(tf, one):
    """The dtype of 20,000 samples, and whether each class is as frequent as it is likely."""
    samples = one.sample(20000, seed=3)
    frequencies = tf.reduce_mean(tf.one_hot(tf.cast(samples, tf.int32), 3), 0)
    return [tf.constant(samples.dtype.name), tf.reduce_all(tf.abs(frequencies - one.probs) < .02)]


def _refused(tf, D):
    found = {
        'scale': lambda: D.Normal(0., -1., validate_args=True).mean(),
        'bounds': lambda: D.Uniform(2., 1., validate_args=True).mean(),
        'both': lambda: D.Bernoulli(1., 1.),
        'neither': lambda: D.Bernoulli(),
        'dtypes': lambda: D.Normal(0., tf.constant(1., tf.float64)),
        'scalar_logits': lambda: D.Categorical(1.),
        'sum': lambda: D.Categorical(probs=[.1, .2], validate_args=True).mode(),
        'probs': lambda: D.Bernoulli(probs=[1.5], validate_args=True).mean(),
        'fraction': lambda: D.Multinomial(2.5, probs=[.5, .5], validate_args=True).mean(),
        'one_class': lambda: D.Dirichlet([1.], validate_args=True).mean(),
        'event': lambda: D.Bernoulli(probs=[.5], validate_args=True).prob([2]),
        'counts': lambda: D.Multinomial(3., probs=[.5, .5], validate_args=True).prob([1., 1.]),
        'mode': lambda: D.Gamma(.5, 1., allow_nan_stats=False).mode(),
        'mean': lambda: D.StudentT(.5, 0., 1., allow_nan_stats=False).mean(),
        'divergence': lambda: D.kl_divergence(D.Normal(0., 1.), D.Gamma(1., 1.)),
        'registered_twice': lambda: D.RegisterKL(D.Normal, D.Normal)(lambda a, b, name=None: None),
    }
    return {f'{name}_error': case for name, case in found.items()}


def _others(tf, D):
    def tails():
        x = tf.constant([-30., -8., 0., 9.])
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = D.Normal(0., 1.).log_cdf(x)
        return found, tape.gradient(found, x), D.Normal(0., 1.).quantile([.1, .9]), D.Normal(1., 2.).survival_function(x)

    def gradient():
        loc, scale = tf.constant(1.), tf.constant(2.)
        with tf.GradientTape() as tape:
            tape.watch([loc, scale])
            found = tf.reduce_sum(D.Normal(loc, scale).log_prob([0., 3.]))
        return tape.gradient(found, [loc, scale])

    class Own(D.Normal):
        pass
    later = tf.function(lambda x: [D.Normal(x, 1.).log_prob(0.), D.Categorical(logits=x).entropy(), D.Multinomial(2., x).mean()],
                        input_signature=[tf.TensorSpec([None])])
    return {
        'tails': tails, 'gradient': gradient, 'later': lambda: later(tf.constant([1., 2.])),
        'derived': lambda: D.kl_divergence(Own(0., 1.), D.Normal(1., 2.)),
        'boundary': lambda: [D.Gamma(1., 1.).log_prob([0.]), D.Dirichlet([1., 1.]).log_prob([0., 1.])],
        'dirichlet_mode_of_one': lambda: [D.Dirichlet([1.5, 2., 3.]).mode(), D.Dirichlet([.5, 2., 3.]).mode()],
        'unequal_totals': lambda: tf.reduce_sum(D.Multinomial([3., 0., 7.], probs=[.2, .3, .5]).sample([5, 2], seed=3), -1),
        'copied': lambda: D.Normal(0., 1.).copy(loc=2.).mean(),
        'param_shapes': lambda: [D.Normal.param_shapes([2, 3]), tf.constant(str(D.StudentT.param_static_shapes([2])))],
    }
