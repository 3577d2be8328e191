"""tensorflow.python.data: structures and switches of datasets."""
