"""Pages that people read: feedback for a learner, the class for an instructor.

``feedback_page`` and ``class_report`` prepare what is shown, the templates show it. Everything a
learner wrote is escaped by the template engine, and the pages forbid scripts that are not ours.
"""
