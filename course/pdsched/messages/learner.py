"""What loading a learner's functions says."""

from pdsched.messages import Message, register

CATALOG = {
    "learner.state.ready": Message(zh="✓ 可用", en="✓ ready"),
    "learner.state.unwritten": Message(zh="… 还没写", en="… not written"),
    "learner.state.failing": Message(zh="✗ 运行报错", en="✗ failing"),
    "learner.state.missing": Message(zh="？ 没找到", en="? missing"),
    "learner.this_notebook": Message(zh="当前笔记本", en="this notebook"),
    "learner.unwritten": Message(
        zh="{notebook} 里仍是 NotImplementedError：写完后先保存（Ctrl+S），再运行这里。",
        en="still NotImplementedError in {notebook}: write it, save (Ctrl+S), run this again.",
    ),
    "learner.unwritten_here": Message(
        zh="这个笔记本里仍是 NotImplementedError：写完后运行那一格，再运行这里。",
        en="still NotImplementedError in this notebook: write it, run its cell, run this again.",
    ),
    "learner.failing": Message(
        zh="定义它的单元格报错：{error}。先在原笔记本里修好并保存。",
        en="its cell raised {error}. Fix it in its own notebook and save.",
    ),
    "learner.missing": Message(
        zh="没有找到 {notebook}。把它放到这个笔记本旁边（当前目录 {folder}；"
        "Colab 里用左侧“文件”上传），或者用 learner.load('文件夹') 指明位置。",
        en="{notebook} was not found. Put it beside this notebook (folder {folder}; on Colab upload "
        "it under Files), or name its place: learner.load('folder').",
    ),
    "learner.unreadable": Message(
        zh="这些文件读不出来：{files}。", en="These files could not be read: {files}."
    ),
}

register(CATALOG)
