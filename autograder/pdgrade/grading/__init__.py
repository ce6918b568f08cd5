"""The batch: every submission graded once, in parallel, whatever happens on the way.

``single`` grades one submission, ``process`` is a grading process, ``executors`` run many,
``store`` keeps their records, ``batch`` ties them together with the gradebook's one writer.
"""
