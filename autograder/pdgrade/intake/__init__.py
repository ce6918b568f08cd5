"""From what a learning platform exports to ``submitted/<student>/<assignment>/``.

``archive`` opens folders and zips without trusting them, ``layout`` reads whose file it is from
its path, ``collect`` keeps the newest of each and writes them where nbgrader looks.
"""
