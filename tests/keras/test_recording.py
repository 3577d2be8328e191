"""What a recording of Keras's fit calls things: train_function, at the line of the user's that calls fit."""
import importlib.util
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec('keras') is None or importlib.util.find_spec('numpy') is None:
    print('the package keras is not installed: left out')
    sys.exit(77)

SCRIPT = """import numpy as np
import keras
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile('sgd', 'mse')
x = np.ones((8, 4), 'float32')
model.fit(x, x[:, :1], epochs=2, batch_size=4, verbose=0)
model.predict(x, verbose=0)
"""


class Recording(unittest.TestCase):
    def test_functions_and_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            script, session = os.path.join(folder, 'fit.py'), os.path.join(folder, 'fit.footlight')
            with open(script, 'w', encoding='utf-8') as file:
                file.write(SCRIPT)
            subprocess.run([sys.executable, '-m', 'footlight', 'record', script, '-o', session], check=True, cwd=folder,
                           timeout=120)
            database = sqlite3.connect(session)
            self.addCleanup(database.close)
            found = database.execute('select function.name, file.path, function.line from function '
                                     'join file on file.id = function.file').fetchall()
            lines = {name: (os.path.basename(path), line) for name, path, line in found}
            self.assertEqual(lines['train_function'], ('fit.py', 6))
            self.assertEqual(lines['predict_function'], ('fit.py', 7))
            self.assertNotIn('trainer.py', {file for file, _ in lines.values()})


if __name__ == '__main__':
    unittest.main()
