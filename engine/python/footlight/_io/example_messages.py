"""The messages of training data: tf.train.Example and what it consists of."""
import footlight as tf
from footlight import _proto

for _name in ('BytesList', 'Example', 'Feature', 'FeatureList', 'FeatureLists', 'Features', 'FloatList', 'Int64List',
              'SequenceExample'):
    setattr(tf.train, _name, getattr(_proto, _name))
