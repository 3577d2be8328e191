"""Writes the recorded models and graphs of a folder as inputs of fuzz_model: model_seeds.py GOLDEN CORPUS."""
import glob
import os
import sys
import zipfile

FORMS = {'graphdef/*.pb': 0, 'graphdef/*.pbtxt': 1, 'savedmodel/*/saved_model.pb': 2,
         'models/*.keras': 4}  # by their place in kModelForms

golden, corpus = sys.argv[1:]
os.makedirs(corpus, exist_ok=True)
for pattern, form in FORMS.items():
    for path in glob.glob(os.path.join(golden, pattern)):
        name = os.path.relpath(path, golden).replace(os.sep, '-')
        with open(path, 'rb') as file, open(os.path.join(corpus, f'{form}-{name}'), 'wb') as seed:
            seed.write(bytes([form]) + file.read())
for path in glob.glob(os.path.join(golden, 'models/*.keras')):
    with zipfile.ZipFile(path) as archive:
        for member, form in (('model.weights.h5', 5), ('config.json', 6)):
            with open(os.path.join(corpus, f'{form}-{os.path.basename(path)}'), 'wb') as seed:
                seed.write(bytes([form]) + archive.read(member))
