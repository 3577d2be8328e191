"""tf.raw_ops.ResourceApply...: a step of each optimizer, whole and by rows, beside what TensorFlow made of the same values."""
import inspect
import unittest

import numpy as np

import footlight as tf

NUMBERS = dict(beta1_power=.81, beta2_power=.9, lr=.1, beta1=.9, beta2=.95, epsilon=.01, rho=.8, momentum=.7, l1=.01, l2=.02,
               l2_shrinkage=.03, lr_power=-.5, alpha=.3, logbase=1.1, sign_decay=.9, beta=.6, global_step=3)
GRADIENT = [[.5, -1.], [-.3, .2]]
# (op, whether its switch is on): its variables after a step, one after the other; sparse ones take row 1 twice
RECORDED = {
    ('ResourceApplyAdaMax', False): [
        -0.19434, 0.42381, -0.054669, 0.017225, 0.59, 0.53, 0.15, 0.56, 1.045, 1, 0.3, 0.76],
    ('ResourceApplyAdadelta', False): [
        0.028314, 0.79602, 0.23171, 0.37449, 0.53, 0.76, 0.178, 0.488, 0.98278, 0.74442, 0.18011, 0.65301],
    ('ResourceApplyAdagrad', False): [0.03545, 0.81952, 0.26708, 0.37418, 0.6, 0.7, 0.2, 0.6],
    ('ResourceApplyAdagrad', True): [0.045767, 0.7767, 0.25571, 0.375, 0.85, 1.7, 0.29, 0.64],
    ('ResourceApplyAdagradDA', False): [
        -0.091618, 0.020613, 0.012855, -0.083467, 1.1, -0.3, -0.1, 0.8, 1.35, 1.7, 0.29, 0.84],
    ('ResourceApplyAdagradV2', False): [0.036273, 0.81811, 0.26561, 0.37451, 0.6, 0.7, 0.2, 0.6],
    ('ResourceApplyAdagradV2', True): [0.046349, 0.77611, 0.25469, 0.37531, 0.85, 1.7, 0.29, 0.64],
    ('ResourceApplyAdam', False): [
        0.0054296, 0.5969, 0.14465, 0.29444, 0.59, 0.53, 0.15, 0.56, 1.0575, 0.715, 0.1945, 0.762],
    ('ResourceApplyAdam', True): [
        0.0068722, 0.62666, 0.16125, 0.30122, 0.59, 0.53, 0.15, 0.56, 1.0575, 0.715, 0.1945, 0.762],
    ('ResourceApplyAdamWithAmsgrad', False): [
        0.022977, 0.5969, 0.1454, 0.30772, 0.59, 0.53, 0.15, 0.56, 1.0575, 0.715, 0.1945, 0.762, 1.6, 0.715, 0.2,
        1],
    ('ResourceApplyAddSign', False): [0.04, 0.64, 0.182, 0.376, 0.56, 0.02, 0, 0.44],
    ('ResourceApplyCenteredRMSProp', False): [
        -1.0844, 0.33496, 0.13111, -0.33212, 0.58, 0.36, 0.1, 0.52, 0.93, 0.76, 0.178, 0.648, 1.1844, 0.36504,
        0.068893, 0.73212],
    ('ResourceApplyFtrl', False): [
        -0.1558, 0.27222, 0.050248, -0.1105, 0.85, 1.7, 0.29, 0.64, 1.4526, -3.5703, -0.28261, 0.89839],
    ('ResourceApplyFtrl', True): [
        -1.225, -0.20796, -0.27785, -1.006, 0.85, 1.7, 0.29, 0.64, 1.1353, 0.27297, 0.15174, 0.80984],
    ('ResourceApplyFtrlV2', False): [
        -0.15645, 0.26901, 0.048036, -0.11348, 0.85, 1.7, 0.29, 0.64, 1.4586, -3.5283, -0.27061, 0.92239],
    ('ResourceApplyFtrlV2', True): [
        -1.2256, -0.21117, -0.28006, -1.009, 0.85, 1.7, 0.29, 0.64, 1.1359, 0.27717, 0.15294, 0.81224],
    ('ResourceApplyGradientDescent', False): [-0.05, 1, 0.29, 0.34],
    ('ResourceApplyKerasMomentum', False): [0.47, 1.29, 0.37, 0.8, 0.37, 0.59, 0.17, 0.4],
    ('ResourceApplyKerasMomentum', True): [0.309, 1.213, 0.349, 0.66, 0.37, 0.59, 0.17, 0.4],
    ('ResourceApplyMomentum', False): [0.008, 0.751, 0.216, 0.338, 0.92, -0.51, -0.16, 0.62],
    ('ResourceApplyMomentum', True): [-0.0144, 0.8357, 0.2412, 0.3366, 0.92, -0.51, -0.16, 0.62],
    ('ResourceApplyPowerSign', False): [-0.034562, 0.73716, 0.21115, 0.34618, 0.56, 0.02, 0, 0.44],
    ('ResourceApplyProximalAdagrad', False): [0.044586, 0.77474, 0.25291, 0.37282, 0.85, 1.7, 0.29, 0.64],
    ('ResourceApplyProximalGradientDescent', False): [-0.04672, 0.99105, 0.28529, 0.33499],
    ('ResourceApplyRMSProp', False): [
        -0.73804, 0.32396, 0.12919, -0.18834, 0.53, 0.76, 0.178, 0.488, 0.83804, 0.37604, 0.07081, 0.58834],
    ('ResourceSparseApplyAdadelta', False): [
        0.1, 0.7, 0.18277, 0.48325, 0.6, 0.7, 0.186, 0.552, 1.1, 0.7, 0.18618, 0.71242],
    ('ResourceSparseApplyAdagrad', False): [0.1, 0.7, 0.15528, 0.50328, 0.6, 0.7, 0.2, 0.6],
    ('ResourceSparseApplyAdagrad', True): [0.1, 0.7, 0.16629, 0.46344, 0.6, 0.7, 0.54, 1.64],
    ('ResourceSparseApplyAdagradDA', False): [
        0.1, 0.7, -0.049943, 0.012477, 0.6, 0.7, 0.4, -0.2, 1.1, 0.7, 0.54, 1.84],
    ('ResourceSparseApplyAdagradV2', False): [0.1, 0.7, 0.15626, 0.50196, 0.6, 0.7, 0.2, 0.6],
    ('ResourceSparseApplyAdagradV2', True): [0.1, 0.7, 0.16684, 0.46294, 0.6, 0.7, 0.54, 1.64],
    ('ResourceSparseApplyCenteredRMSProp', False): [
        0.1, 0.7, -0.18383, -0.62186, 0.6, 0.7, 0.148, 0.264, 1.1, 0.7, 0.186, 0.68, 1.6, 0.7, 0.11576, 0.4357],
    ('ResourceSparseApplyFtrl', False): [
        0.1, 0.7, 0.0019189, 0.15397, 0.6, 0.7, 0.54, 1.64, 1.1, 0.7, -0.024178, -1.9879],
    ('ResourceSparseApplyFtrl', True): [
        0.1, 0.7, -0.26211, -0.41187, 0.6, 0.7, 0.54, 1.64, 1.1, 0.7, 0.19466, 0.5301],
    ('ResourceSparseApplyFtrlV2', False): [
        0.1, 0.7, 0.0004473, 0.15129, 0.6, 0.7, 0.54, 1.64, 1.1, 0.7, -0.013305, -1.9535],
    ('ResourceSparseApplyFtrlV2', True): [
        0.1, 0.7, -0.26142, -0.4119, 0.6, 0.7, 0.54, 1.64, 1.1, 0.7, 0.19415, 0.53014],
    ('ResourceSparseApplyKerasMomentum', False): [0.1, 0.7, 0.383, 1.264, 0.6, 0.7, 0.093, 0.344],
    ('ResourceSparseApplyKerasMomentum', True): [0.1, 0.7, 0.3081, 1.0848, 0.6, 0.7, 0.093, 0.344],
    ('ResourceSparseApplyMomentum', False): [0.1, 0.7, 0.1212, 0.4786, 0.6, 0.7, 0.148, -0.206],
    ('ResourceSparseApplyMomentum', True): [0.1, 0.7, 0.12484, 0.53502, 0.6, 0.7, 0.148, -0.206],
    ('ResourceSparseApplyProximalAdagrad', False): [0.1, 0.7, 0.16263, 0.46039, 0.6, 0.7, 0.54, 1.64],
    ('ResourceSparseApplyProximalGradientDescent', False): [0.1, 0.7, 0.13292, 0.62609],
    ('ResourceSparseApplyRMSProp', False): [
        0.1, 0.7, -0.15146, -0.37402, 0.6, 0.7, 0.186, 0.552, 1.1, 0.7, 0.10486, 0.33441],
}


def arguments_of(name, on):
    """The variables and all arguments of an op, in which every variable has other values."""
    variables, arguments = [], {}
    for one, parameter in inspect.signature(getattr(tf.raw_ops, name)).parameters.items():
        if one in ('use_locking', 'name'):
            continue
        if parameter.default is not inspect.Parameter.empty:
            arguments[one] = on
        elif one == 'indices':
            arguments[one] = [1, 1]
        elif one in ('grad', 'delta'):
            arguments[one] = np.array(GRADIENT, np.float32)
        elif one in NUMBERS:
            arguments[one] = np.int64(3) if one == 'global_step' else np.float32(NUMBERS[one])
        else:
            variables.append(tf.Variable([[.1 + len(variables) * .5, .7], [.2, .4 + len(variables) * .2]]))
            arguments[one] = variables[-1].handle
    return variables, arguments


class Steps(unittest.TestCase):
    def check(self, run):
        for (name, on), expected in RECORDED.items():
            with self.subTest(name, on=on):
                variables, arguments = arguments_of(name, on)
                run(getattr(tf.raw_ops, name), arguments)
                found = np.concatenate([variable.numpy().ravel() for variable in variables])
                np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-6)

    def test_eager(self):
        self.check(lambda op, arguments: self.assertIsNone(op(**arguments)))

    def test_traced(self):
        self.check(lambda op, arguments: tf.function(lambda: op(**arguments) and None)())

    def test_different_rows_at_once_and_in_a_session(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            variable = tf.compat.v1.get_variable('v', initializer=[[1.], [2.], [3.]])
            slot = tf.compat.v1.get_variable('s', initializer=[[0.], [1.], [2.]])
            step = tf.raw_ops.ResourceSparseApplyMomentum(var=variable.handle, accum=slot.handle, lr=.5, grad=[[1.], [2.]],
                                                          indices=[2, 0], momentum=.5)
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(step)
            self.assertEqual(session.run(variable).tolist(), [[0.], [2.], [2.]])
            self.assertEqual(session.run(slot).tolist(), [[2.], [1.], [2.]])

    def test_refuses_other_arguments(self):
        variable = tf.Variable([1.])
        with self.assertRaisesRegex(TypeError, r"ResourceApplyMomentum\(\) missing a required"):
            tf.raw_ops.ResourceApplyMomentum(var=variable.handle, accum=variable.handle)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'rate'"):
            tf.raw_ops.ResourceApplyGradientDescent(var=variable.handle, alpha=1., delta=[1.], rate=1.)
        self.assertFalse(hasattr(tf.raw_ops, 'ResourceApplyNothing'))
