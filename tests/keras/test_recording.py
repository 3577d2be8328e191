"""What a recording of Keras's fit calls things: train_function, at the line of the user's that calls fit."""
import importlib.util
import os
import sys

if importlib.util.find_spec('keras') is None or importlib.util.find_spec('numpy') is None:
    print('the package keras is not installed: left out')
    sys.exit(77)

import footlight_program  # noqa: E402
from folder_case import FolderCase  # noqa: E402

SCRIPT = """import numpy as np
import keras
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile('sgd', 'mse')
x = np.ones((8, 4), 'float32')
model.fit(x, x[:, :1], epochs=2, batch_size=4, verbose=0)
model.predict(x, verbose=0)
"""


class Recording(FolderCase):
    def test_functions_and_lines(self):
        session = self.path('fit.footlight')
        footlight_program.record(session, self.write('fit.py', SCRIPT))
        found = footlight_program.rows(session, 'select function.name, file.path, function.line from function '
                                                'join file on file.id = function.file')
        lines = {name: (os.path.basename(path), line) for name, path, line in found}
        self.assertEqual(lines['train_function'], ('fit.py', 6))
        self.assertEqual(lines['predict_function'], ('fit.py', 7))
        self.assertNotIn('trainer.py', {file for file, _ in lines.values()})
