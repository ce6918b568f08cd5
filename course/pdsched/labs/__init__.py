"""What the three ungraded labs are made of: pictures, experiments and the open challenge."""
