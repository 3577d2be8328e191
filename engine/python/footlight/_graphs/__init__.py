"""tf.Graph, GraphDef and sessions."""
