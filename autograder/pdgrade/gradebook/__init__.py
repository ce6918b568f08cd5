"""nbgrader's gradebook: one writer, through nbgrader's own database models."""
