"""What runs on the untrusted side: the warm template process and the workers it forks.

Only the standard library is imported here, and nothing of `pdgrade`: the template is a clean
interpreter that loads this folder under the name ``pdgrade_worker`` and cannot import the rest of
the grader. The trusted side (`pdgrade.forkserver`) uses `frames` and `values` from here, so that
both ends speak from one definition.
"""
