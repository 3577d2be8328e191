"""tf.distribute: strategies, who takes part in a cluster, and what one machine refuses."""
