"""Devices from Python with the fake GPU (fake_device.cpp): its memory faults if the host touches it, so code that
forgets to copy crashes here. The last tests record, with a fake CUPTI that sees every launch."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["FOOTLIGHT_BUILD"])
FAKES = BUILD / "tests"
SOURCE = pathlib.Path(__file__).parents[2]
os.environ["FOOTLIGHT_CUDA_PART"] = str(FAKES / "libfake_device.so")

import footlight as tf  # noqa: E402

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class Values(unittest.TestCase):
    def setUp(self):
        self.x = tf.constant([[1.0, 2.0], [3.0, 4.0]]).gpu()

    def test_found(self):
        names = [d.name for d in tf.config.list_physical_devices("GPU")]
        self.assertEqual(names, ["/physical_device:GPU:0", "/physical_device:GPU:1"])

    def test_where(self):
        self.assertEqual(self.x.device, GPU)
        self.assertEqual(self.x.cpu().device, CPU)
        self.assertEqual(tf.constant(1.0).gpu(1).device, GPU[:-1] + "1")

    def test_reading_on_the_host(self):
        x = self.x
        self.assertIn("[[1. 2.]\n [3. 4.]]", str(x))
        self.assertIn("GPU:0", repr(x) + x.device)
        self.assertEqual([[float(v) for v in row] for row in x], [[1, 2], [3, 4]])
        self.assertEqual(float(x[1, 0]), 3.0)
        self.assertEqual(int(tf.constant(7).gpu()), 7)
        self.assertTrue(bool(tf.constant(True).gpu()))
        self.assertEqual(len(x), 2)
        self.assertEqual(bytes(memoryview(tf.constant([1, 2], tf.uint8).gpu())), b"\x01\x02")
        self.assertTrue(bool(tf.reduce_all(x == x)))
        self.assertEqual(float(tf.reduce_sum(x)), 10.0)

    def test_strings_stay(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "only numbers and bools"):
            tf.constant("text").gpu()
        with tf.device("/gpu:0"):
            self.assertEqual(tf.constant("text").device, CPU)

    def test_no_such_device(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "2 GPUs, numbers 0 to 1"):
            tf.constant(1.0).gpu(5)
        with tf.device("/gpu:5"):  # soft
            self.assertEqual((tf.constant(1.0) + 1.0).device, CPU)
        with self.assertRaises(ValueError):
            with tf.device("toaster"):
                pass


class Ops(unittest.TestCase):
    def test_where_the_inputs_are(self):
        x = tf.constant([1.0, 2.0]).gpu()
        self.assertEqual((x + 1.0).device, GPU)
        self.assertEqual((2.0 * x - x).device, GPU)
        self.assertEqual(str((x + 1.0).cpu()), str(tf.constant([2.0, 3.0])))
        m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        p = tf.matmul(m.gpu(), m)
        self.assertEqual(p.device, GPU)
        self.assertTrue(bool(tf.reduce_all(p == tf.matmul(m, m))))
        self.assertEqual(tf.reshape(p, [4]).device, GPU)
        self.assertEqual(tf.exp(x).device, CPU)  # no kernel on the device

    def test_scopes(self):
        x = tf.constant([1.0])
        with tf.device("/gpu:0"):
            self.assertEqual(tf.constant([1.0]).device, GPU)
            self.assertEqual((x + x).device, GPU)
            with tf.device("/cpu:0"):
                self.assertEqual((x + x).device, CPU)
            with tf.device("/device:GPU:1"):
                self.assertEqual((x + x).device, GPU[:-1] + "1")
            self.assertEqual((x + x).device, GPU)
        self.assertEqual((x + x).device, CPU)

    def test_gradients(self):
        w = tf.constant([[1.0, 2.0], [3.0, 4.0]]).gpu()
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(tf.matmul(w, w) * 2.0 + tf.exp(w))
        there = tape.gradient(y, w)
        v = w.cpu()
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.reduce_sum(tf.matmul(v, v) * 2.0 + tf.exp(v))
        here = tape.gradient(y, v)
        self.assertTrue(bool(tf.reduce_all(tf.abs(there - here) < 1e-4)))

    def test_variables(self):
        with tf.device("/gpu:0"):
            v = tf.Variable([1.0, 2.0])
            v.assign_add([1.0, 1.0])
            v.assign_sub(tf.constant([0.5, 0.5]))
            self.assertEqual([float(x) for x in v + 0.0], [1.5, 2.5])
        v.assign(tf.constant([5.0, 6.0]).gpu())
        v.assign_add(v.read_value().gpu())
        self.assertEqual([float(x) for x in v.read_value()], [10.0, 12.0])


class Functions(unittest.TestCase):
    def test_inputs_decide(self):
        @tf.function
        def f(a, b):
            return tf.matmul(a, b) + 1.0, tf.exp(a)

        m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        there, host = f(m.gpu(), m)
        here, _ = f(m, m)
        self.assertEqual(there.device, GPU)
        self.assertEqual(here.device, CPU)
        self.assertTrue(bool(tf.reduce_all(there == here)))
        self.assertEqual(host.device, CPU)

    def test_scope_inside(self):
        @tf.function
        def f(a):
            with tf.device("/gpu:0"):
                b = a + a
            with tf.device("/cpu:0"):
                return b, b * 2.0

        b, c = f(tf.constant([1.0, 2.0]))
        self.assertEqual(b.device, GPU)
        self.assertEqual(c.device, CPU)
        self.assertEqual([float(x) for x in c], [4.0, 8.0])

    def test_control_flow(self):
        @tf.function
        def f(x, n):
            while n > 0:
                x = x + x
                n = n - 1
            if tf.reduce_sum(x) > 10.0:
                x = x * 10.0
            else:
                x = x * 1.0
            return x

        n = tf.constant(3)
        self.assertEqual([float(v) for v in f(tf.constant([1.0, 2.0]).gpu(), n.gpu())], [80.0, 160.0])
        self.assertEqual([float(v) for v in f(tf.constant([0.5, 0.5]).gpu(), n)], [4.0, 4.0])

    def test_whole_scripts(self):
        scripts = [str(SOURCE / "tests/conformance/scripts" / name) for name in ("switch_and_case.py", "tensor_array.py")]
        done = subprocess.run([sys.executable, SOURCE / "tests/conformance/run.py", "--on", "GPU:0", *scripts],
                              capture_output=True, text=True)
        self.assertRegex(done.stdout, r"\n(2 passed, 0 failed, 0|0 passed, 0 failed, 2) skipped\n$", done.stderr)  # NumPy

    # An argument that is read where the op is built.
    def test_arguments_on_the_device(self):
        x, at = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1]).gpu()
        for name, op in (("repeat", lambda: tf.repeat(x, at, axis=0)),
                         ("concat", lambda: tf.concat([x, x], tf.constant(1).gpu())),
                         ("reduce_prod", lambda: tf.reduce_prod(x, axis=at)),
                         ("gather", lambda: tf.gather(x, at, axis=tf.constant(1).gpu())),
                         ("eye", lambda: tf.linalg.eye(tf.constant(2).gpu(), batch_shape=at)),
                         ("bincount", lambda: tf.math.bincount(at, minlength=tf.constant(3).gpu()))):
            with self.subTest(name):
                self.assertEqual(str(tf.function(op)().cpu()), str(op().cpu()))
        self.assertIn("[[1. 2.]\n [3. 4.]]", str(tf.repeat(x, at, axis=0).cpu()))
        self.assertIn("[[2.]\n [4.]]", str(tf.gather(x, at, axis=tf.constant(1).gpu()).cpu()))
        with tf.device("/gpu:0"):
            counter = tf.Variable(3)
            rows = tf.function(lambda x: tf.repeat(x, 2, 0)).get_concrete_function(tf.TensorSpec([None, 2]))
        self.assertEqual(rows.output_shapes, [None, 2])
        self.assertEqual([int(counter.count_up_to(5)), int(counter)], [3, 4])

    # 100 MB are never made: with devices around, what runs on the host is one walk over memory all the same.
    def test_the_host_goes_on_walking(self):
        script = '''
import resource
import footlight as tf
assert tf.config.list_physical_devices("GPU")
@tf.function
def f(x, y):
    with tf.device(%r):
        return tf.reduce_sum(tf.exp(x * y))
x, y = tf.ones([5000, 1]), tf.ones([1, 5000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
f(x, y)
print(float(f(x, y)) > 0, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 50 * 1024)
'''
        for where in (None, "/cpu:0"):
            done = subprocess.run([sys.executable, "-c", script % where], capture_output=True, text=True)
            self.assertEqual(done.stdout, "True True\n", done.stderr)

    # The data on the device comes from a variable, not from an argument.
    def test_variable_on_the_device(self):
        with tf.device("/gpu:0"):
            v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(v.read_value().device, GPU)

        @tf.function
        def f(x):
            y = tf.exp(x * 0.0) + v  # exp has no kernel on the device, the sum has
            z = tf.matmul(v, x)
            return y, tf.reduce_sum(z), tf.gather(v, [1]), tf.gather_nd(v, [[1, 0]])

        y, z, row, element = f(tf.constant([[1.0, 0.0], [0.0, 1.0]]))
        self.assertEqual(y.device, GPU)
        self.assertEqual(y.cpu().numpy().tolist(), [[2.0, 3.0], [4.0, 5.0]])
        self.assertEqual(float(z), 10.0)
        self.assertEqual(row.numpy().tolist(), [[3.0, 4.0]])
        self.assertEqual(element.numpy().tolist(), [3.0])

    def test_updates_of_a_variable_on_the_device(self):
        with tf.device("/gpu:0"):
            v = tf.Variable([1.0, 2.0])

        @tf.function
        def f(x):
            before = v + x
            v.assign_add(x)
            v.scatter_nd_update([[0]], [7.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v * v * x)
            v.assign_sub(tape.gradient(loss, v))
            return before, loss

        before, loss = f(tf.constant([10.0, 1.0]))
        self.assertEqual(before.cpu().numpy().tolist(), [11.0, 3.0])
        self.assertEqual(float(loss), 499.0)
        self.assertEqual(v.numpy().tolist(), [7.0 - 140.0, 3.0 - 6.0])

    def test_variable_in_branches_loops_and_calls(self):
        with tf.device("/gpu:0"):
            v = tf.Variable([1.0, 2.0])

        @tf.function
        def inner(x):
            return x * v

        @tf.function
        def f(x, n):
            while n > 0:
                x = inner(x)
                n = n - 1
            if tf.reduce_sum(x) > 5.0:
                x = x - v
            return x

        self.assertEqual([float(e) for e in f(tf.constant([1.0, 1.0]), tf.constant(3))], [0.0, 6.0])

    # An instruction runs where its own inputs are, regardless of other device data in the function.
    def test_each_instruction_decides(self):
        @tf.function
        def f(a, b):
            there = a + a
            here = b + b
            with tf.device("/gpu:1"):
                moved = tf.identity(b)
            return there, here, moved

        there, here, moved = f(tf.constant([1.0]).gpu(), tf.constant([2.0]))
        self.assertEqual([there.device, here.device, moved.device], [GPU, CPU, GPU[:-1] + "1"])
        self.assertEqual([float(there[0]), float(here[0]), float(moved[0])], [2.0, 4.0, 2.0])

    def test_constants_on_the_device(self):
        @tf.function
        def f(x):
            with tf.device("/gpu:0"):
                c = tf.constant([1.0, 2.0]) * 2.0
                y = c + x
            return y, x * c

        y, z = f(tf.constant([1.0, 1.0]))
        self.assertEqual(y.device, GPU)
        self.assertEqual(y.cpu().numpy().tolist(), [3.0, 5.0])
        self.assertEqual([float(e) for e in z], [2.0, 4.0])

    def test_captured(self):
        w = tf.constant([3.0]).gpu()

        @tf.function
        def f(x):
            return x * w

        self.assertEqual(float(f(tf.constant([2.0]))[0]), 6.0)


SCRIPT = """
import footlight as tf
a = tf.constant([[1., 2.], [3., 4.]]).gpu()
b = a + a
c = tf.matmul(b, a)
@tf.function
def f(x):
    return x * x - x
d = f(c)
print(d.cpu())
"""


# For recordings with a driver: the fake one, found before a real one.
DRIVER = {"LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(FAKES / "fake_driver"), os.environ.get("LD_LIBRARY_PATH")]))}


class Recorded(unittest.TestCase):
    def run_recorded(self, script, **environment):
        """(the finished process, gpu_check's output for its session)."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program, session = pathlib.Path(folder.name, "script.py"), pathlib.Path(folder.name, "run.footlight")
        program.write_text(script)
        environment = {**os.environ, "FOOTLIGHT_CUPTI": str(FAKES / "libfake_cupti.so"), **DRIVER, **environment}
        done = subprocess.run([sys.executable, "-m", "footlight", "record", "-o", str(session), str(program)],
                              env=environment, capture_output=True, text=True, timeout=120)
        words = subprocess.run([str(FAKES / "gpu_check"), "session", str(session)], capture_output=True, text=True, timeout=60)
        self.assertEqual(words.returncode, 0, words.stderr + done.stderr)
        return done, words.stdout.splitlines()

    def record(self, script=SCRIPT, **environment):
        done, lines = self.run_recorded(script, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return lines


def a_driver_is_installed():
    """Whether a program finds a CUDA driver without our fake one."""
    look = [sys.executable, "-c", "import ctypes; ctypes.CDLL('libcuda.so.1')"]
    return subprocess.run(look, env={**os.environ, "LD_LIBRARY_PATH": ""}, capture_output=True, timeout=60).returncode == 0


class Recording(Recorded):
    def test_kernels_name_their_ops(self):
        lines = self.record()
        kernels = [line.split() for line in lines if line.startswith("kind=kernel")]
        self.assertEqual([(k[1], k[2], k[-1]) for k in kernels],
                         [("op=AddV2", "call=no", "name=AddV2"), ("op=MatMul", "call=no", "name=MatMul"),
                          ("op=Mul", "call=yes", "name=Mul"), ("op=Sub", "call=yes", "name=Sub")], "\n".join(lines))
        copies = [line for line in lines if line.startswith("kind=memcpy")]
        self.assertTrue(any("op=- " in c and "bytes=16 " in c and "copy host to device" in c for c in copies), copies)
        self.assertTrue(any("copy device to host" in c for c in copies), copies)
        self.assertTrue(any(line.startswith("kind=runtime op=AddV2") and "cudaLaunchKernel" in line for line in lines))
        self.assertIn("op=AddV2 device=1", lines)
        named = [line for line in lines if line.startswith("device=1 name=/gpu:0 description=Fake GPU")]
        self.assertEqual([line.endswith(", simulated") for line in named], [True], lines)
        self.assertFalse([line for line in lines if line.startswith(("dropped=", "note="))])

    def test_says_why_the_device_is_not_recorded(self):
        lines = self.record(FOOTLIGHT_CUPTI="/no/such/libcupti.so", script=SCRIPT)
        self.assertFalse([line for line in lines if line.startswith("kind=")])
        self.assertIn("op=AddV2 device=1", lines)  # the host's own events are there
        notes = [line for line in lines if line.startswith("note=")]
        self.assertEqual(len(notes), 1, lines)
        self.assertIn("What the GPU did was not recorded: /no/such/libcupti.so", notes[0])

    def test_without_a_device_nothing_is_said(self):
        script = "import footlight as tf\nprint(tf.constant(1) + 1)\n"
        lines = self.record(script=script, FOOTLIGHT_CUPTI="/no/such/libcupti.so", FOOTLIGHT_CUDA_PART="/no/such/part.so")
        self.assertFalse([line for line in lines if line.startswith(("kind=", "note=", "device="))], lines)


class RealDevice(unittest.TestCase):
    """The sample gpu.footlight is check.sh's script, recorded on an NVIDIA H200 with CUDA 13.0. Five sums, a product, then
    a traced function that multiplies and subtracts."""

    def test_a_recording_of_a_real_device(self):
        session = pathlib.Path(__file__).parents[2] / "resources" / "examples" / "gpu.footlight"
        words = subprocess.run([str(FAKES / "gpu_check"), "session", str(session)], capture_output=True, text=True, timeout=60)
        lines = words.stdout.splitlines()
        self.assertEqual(words.returncode, 0, words.stderr)
        kernels = [line.split() for line in lines if line.startswith("kind=kernel")]
        self.assertEqual([(k[1], k[2]) for k in kernels],
                         [("op=AddV2", "call=no")] * 5 + [("op=MatMul", "call=no")] * 2 +  # a product in two parts
                         [("op=Mul", "call=yes"), ("op=Sub", "call=yes")])
        self.assertTrue(all(0 < float(k[5].split("=")[1]) < 1000 for k in kernels), kernels)  # after_op_ms
        copies = [line for line in lines if line.startswith("kind=memcpy")]
        self.assertEqual([line.split("name=")[1] for line in copies], ["copy host to device", "copy device to host"])
        self.assertTrue(all("bytes=262144 " in line for line in copies), copies)
        self.assertIn("device=1 name=/gpu:0 description=NVIDIA H200, 139 GiB", lines)
        self.assertFalse([line for line in lines if line.startswith(("dropped=", "note="))])


class Driver(Recorded):
    """CUPTI is opened if the program asks for its devices and a driver works, and not otherwise. The fake one ends the
    process if it is asked for its version without a driver, as CUPTI 13.2 does."""

    LOADED = """
maps = open('/proc/self/maps').read()
print([name for name in ('libfake_cupti', 'libcuda.so') if name in maps])
"""

    def test_a_program_without_devices(self):
        script = "import footlight as tf\nfor i in range(100): tf.constant(1.0) + 1.0\n" + self.LOADED
        for name, driver in (("none", {"LD_LIBRARY_PATH": ""}), ("one", {})):
            with self.subTest(name):
                done, lines = self.run_recorded(script, **driver)
                self.assertEqual((done.returncode, done.stdout), (0, "[]\n"), done.stderr)
                self.assertFalse([line for line in lines if line.startswith(("kind=", "note="))], lines)

    def test_devices_that_cannot_be_recorded(self):
        for name, driver, words in (
                ("none", {"LD_LIBRARY_PATH": ""}, "no CUDA driver is installed"),
                ("stub", {"FAKE_CUDA_INIT": "34"}, "is the stub that programs are linked with"),
                ("no device", {"FAKE_CUDA_DEVICES": "0"}, "the CUDA driver finds no device"),
                ("hidden", {"FAKE_CUDA_INIT": "100", "CUDA_VISIBLE_DEVICES": ""}, 'CUDA_VISIBLE_DEVICES is ""'),
                ("broken", {"FAKE_CUDA_INIT": "999"}, "could not be started (CUDA error 999)")):
            if name == "none" and a_driver_is_installed():
                continue
            with self.subTest(name):
                done, lines = self.run_recorded(SCRIPT, **driver)
                self.assertEqual(done.returncode, 0, done.stderr)
                notes = [line for line in lines if line.startswith("note=")]
                self.assertEqual(len(notes), 1, lines)
                self.assertIn("What the GPU did was not recorded: ", notes[0])
                self.assertIn(words, notes[0])

    def test_devices_are_recorded_from_the_first_one_on(self):
        script = "import footlight as tf\n" + self.LOADED + SCRIPT + self.LOADED
        done, lines = self.run_recorded(script)
        said = done.stdout.splitlines()
        self.assertEqual((said[0], said[-1]), ("[]", "['libfake_cupti', 'libcuda.so']"))
        self.assertTrue(any(line.startswith("kind=memcpy") and "host to device" in line for line in lines), lines)


class Ends(Recorded):
    """However a program ends, the devices' recorder stops while CUDA and CUPTI still work: the fakes end the
    process with a status of their own if they are called after their static objects are destroyed."""

    WORK = """
import atexit, ctypes, os, signal, sys, threading, time
import footlight as tf
x = tf.constant([1.0, 2.0]).gpu()
y = x + x
"""

    def ends(self, ending, status, kernels, before=""):
        done, lines = self.run_recorded(before + self.WORK + ending)
        self.assertEqual(done.returncode, status, done.stderr)
        found = [line.split("op=")[1].split()[0] for line in lines if line.startswith("kind=kernel")]
        if kernels is not None:
            self.assertEqual(found, kernels, "\n".join(lines) + done.stderr)
        self.assertNotIn("torn down", done.stderr)
        return done

    def test_of_the_script(self):
        self.ends("", 0, ["AddV2"])

    def test_sys_exit(self):
        self.ends("sys.exit(3)", 3, ["AddV2"])

    def test_exception(self):
        self.assertIn("ZeroDivisionError", self.ends("1 // 0", 1, ["AddV2"]).stderr)

    def test_interrupt(self):
        self.ends("os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(30)", 130, ["AddV2"])

    def test_what_functions_of_atexit_do_is_recorded(self):
        self.ends("atexit.register(lambda: y * y)", 0, ["AddV2", "Mul"])
        self.ends("", 0, ["AddV2", "Sub"], before="import atexit\natexit.register(lambda: y - x)\n")

    def test_what_threads_do_is_recorded(self):
        self.ends("def late():\n  time.sleep(0.2)\n  y * y\nthreading.Thread(target=late).start()", 0, ["AddV2", "Mul"])

    def test_exit_of_a_library(self):
        self.ends("ctypes.CDLL(None).exit(4)", 4, ["AddV2"])

    def test_no_end_at_all(self):
        # No code of the program runs any more: flushed events are there, and the supervisor ends the session.
        self.ends("os._exit(5)", 5, None)
        self.ends("os.kill(os.getpid(), signal.SIGTERM)", 128 + signal.SIGTERM, None)


class Absent(unittest.TestCase):
    def run_without(self, script):
        environment = {**os.environ, "FAKE_DEVICE_REFUSES": "no CUDA driver is installed"}
        return subprocess.run([sys.executable, "-c", "import footlight as tf\n" + script], env=environment,
                              capture_output=True, text=True, timeout=60)

    def test_said_once(self):
        done = self.run_without("for _ in range(3):\n  with tf.device('/gpu:0'):\n    x = tf.constant(1.0) + 1.0\nprint(x.device)")
        self.assertEqual(done.stdout.strip(), CPU)
        self.assertEqual(done.stderr.strip(), "Footlight: /device:GPU:0 was asked for and is not there: no CUDA driver is "
                         "installed. Its ops run on the CPU.")

    def test_explicit_copy_is_an_error(self):
        done = self.run_without("tf.constant(1.0).gpu()")
        self.assertEqual(done.returncode, 1)
        self.assertIn("InvalidArgumentError: /job:localhost/replica:0/task:0/device:GPU:0 is not there: no CUDA driver", done.stderr)

    def test_asking_is_silent(self):
        done = self.run_without("print(tf.config.list_physical_devices('GPU'))")
        self.assertEqual((done.stdout, done.stderr), ("[]\n", ""))


if __name__ == "__main__":
    unittest.main()
