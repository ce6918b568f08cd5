"""What asking for a worked solution says when there is nothing to show."""

from pdsched.messages import Message, register

CATALOG = {
    "worked.locked": Message(
        zh="TODO {todo} 还没通过。先运行 check({todo})；想直接看参考代码与解析，运行 solution({todo}, give_up=True)。",
        en="TODO {todo} has not passed. Run check({todo}) first; to read the worked solution anyway, solution({todo}, give_up=True).",
    ),
    "worked.absent": Message(
        zh="这份课程没有附带 TODO {todo} 的参考代码与解析：班级发布可以不带 selfstudy 文件夹，请问老师；自学时从课程仓库取得它，放到笔记本旁边。",
        en="This copy of the course has no worked solution of TODO {todo}: a class may be released without the selfstudy folder, ask your teacher; for self-study get it from the course repository and put it beside the notebook.",
    ),
}

register(CATALOG)
