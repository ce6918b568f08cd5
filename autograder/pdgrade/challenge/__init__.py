"""Lab 5's open challenge for a class: everybody's policy on workloads that nobody has seen."""
