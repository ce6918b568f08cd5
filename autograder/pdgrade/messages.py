"""Every sentence of the grader that a learner or an instructor reads, in Chinese and English."""

from __future__ import annotations

from pdsched.messages import Message, register

#: How a file was read, or why it was not.
READING = {
    "encoding": Message(
        zh="文件编码是 {name}，已转换为 UTF-8。",
        en="The file was encoded in {name}; converted to UTF-8.",
    ),
    "bytes_replaced": Message(
        zh="文件里有损坏的字节，已用替代字符读入。",
        en="Some bytes of the file are damaged; they were read as replacement characters.",
    ),
    "nul_removed": Message(zh="去掉了代码中的 NUL 字符。", en="NUL characters were removed."),
    "surrogates_replaced": Message(
        zh="无法保存的字符（孤立的代理项）已被替换。",
        en="Characters that no file can hold (lone surrogates) were replaced.",
    ),
    "old_nbformat": Message(
        zh="这是旧格式的笔记（nbformat {version}），已按新格式读取。",
        en="An old notebook format (nbformat {version}); read as a current one.",
    ),
    "nbformat_too_new": Message(
        zh="笔记格式 nbformat {version} 比批改器认识的新，请用 JupyterLab 4 另存后重新提交。",
        en="nbformat {version} is newer than this grader knows: save it with JupyterLab 4 again.",
    ),
    "empty_file": Message(zh="文件是空的，请重新上传。", en="The file is empty: hand it in again."),
    "html_page": Message(
        zh="这是一个网页而不是笔记：下载时存成了 HTML，请重新下载 .ipynb 文件。",
        en="This is an HTML page, not a notebook: download the .ipynb file again.",
    ),
    "zip_not_notebook": Message(
        zh="这是一个压缩包（或 Office 文档）而不是笔记，请提交里面的 .ipynb。",
        en="This is a zip archive or an Office document: hand in the .ipynb inside it.",
    ),
    "rar_not_notebook": Message(
        zh="这是 RAR/7z 压缩包，无法打开，请提交 .ipynb 或 zip。",
        en="RAR and 7z archives cannot be opened: hand in the .ipynb or a zip.",
    ),
    "pdf_not_notebook": Message(
        zh="这是 PDF 而不是笔记，请提交 .ipynb。", en="This is a PDF: hand in the .ipynb."
    ),
    "image_not_notebook": Message(
        zh="这是图片而不是笔记，请提交 .ipynb。", en="This is a picture: hand in the .ipynb."
    ),
    "lfs_pointer": Message(
        zh="这只是 Git LFS 指针，不含笔记内容，请提交真正的文件。",
        en="This is only a Git LFS pointer: hand in the real file.",
    ),
    "merge_conflict": Message(
        zh="文件里有未解决的 Git 合并冲突（<<<<<<<），请解决后重新提交。",
        en="The file holds an unresolved Git merge conflict (<<<<<<<): resolve it first.",
    ),
    "truncated": Message(
        zh="文件不完整（JSON 在中途结束），可能是上传中断，请重新提交。",
        en="The file ends in the middle (truncated JSON): upload it again.",
    ),
    "not_json": Message(
        zh="第 {where} 行起不是合法的 JSON，无法读取。", en="Not valid JSON from line {where} on."
    ),
    "not_notebook": Message(zh="这不是 Jupyter 笔记。", en="This is not a Jupyter notebook."),
    "python_script": Message(
        zh="这是 Python 脚本而不是笔记，请提交 .ipynb。",
        en="This is a Python script: hand in the .ipynb.",
    ),
    "no_cells": Message(zh="笔记里没有任何单元格。", en="The notebook has no cells."),
    "too_deep": Message(
        zh="JSON 嵌套过深或数字过长，拒绝读取。",
        en="JSON nested too deeply or numbers too long: refused.",
    ),
    "too_large": Message(
        zh="文件有 {mb} MB，超过 {limit} MB 的上限；请清除输出后重新提交。",
        en="The file has {mb} MB, the limit is {limit} MB: clear the outputs and hand it in again.",
    ),
    "too_many_cells": Message(
        zh="单元格超过 {limit} 个，拒绝读取。", en="More than {limit} cells: refused."
    ),
    "too_much_source": Message(
        zh="代码超过 {limit} 个字符，拒绝读取。",
        en="More than {limit} characters of code: refused.",
    ),
    "link_refused": Message(zh="这是符号链接，拒绝读取。", en="This is a symbolic link: refused."),
    "not_a_file": Message(
        zh="这不是普通文件（文件夹或设备），拒绝读取。",
        en="Not a plain file (a folder or a device): refused.",
    ),
    "cannot_open": Message(zh="无法打开文件：{error}", en="Cannot open the file: {error}"),
}

#: Which file and which cell was taken for what.
MATCHING = {
    "found_by_name": Message(
        zh="文件名不是发布时的名字，按名字相近识别：{file}",
        en="Not the released file name; recognised by a similar one: {file}",
    ),
    "found_by_content": Message(
        zh="文件名对不上，按内容识别：{file}", en="Recognised by its content: {file}"
    ),
    "newest_file_used": Message(
        zh="有多个文件都是这份笔记，批改了 {file}；未使用：{others}",
        en="Several files hold this notebook: {file} was graded, not {others}",
    ),
    "notebook_missing": Message(zh="没有提交这份笔记。", en="This notebook was not handed in."),
    "solution_missing": Message(
        zh="没有找到 {question} 的作答单元格。",
        en="No cell with an answer to {question} was found.",
    ),
    "matched_cell_id": Message(
        zh="{question}：缺少题目标记，按单元格 id 找到（第 {cell} 格）。",
        en="{question}: found by its cell id (cell {cell}); the grading metadata is gone.",
    ),
    "matched_content": Message(
        zh="{question}：缺少题目标记，按函数名找到（第 {cell} 格）。",
        en="{question}: found by the function it defines (cell {cell}).",
    ),
    "matched_position": Message(
        zh="{question}：按位置和相似度找到（第 {cell} 格），请确认函数名没有改。",
        en="{question}: found by place and likeness (cell {cell}); was its function renamed?",
    ),
    "duplicate_kept_one": Message(
        zh="{question} 有 {count} 个作答单元格，批改第 {cell} 格。",
        en="{question} is answered in {count} cells; cell {cell} was graded.",
    ),
    "split_joined": Message(
        zh="{question} 的单元格被拆成 {count} 格，已合并。",
        en="The cell of {question} was split into {count}; they were joined.",
    ),
    "cell_type_restored": Message(
        zh="{question} 的单元格类型变成了 {type}，已按代码处理。",
        en="The cell of {question} had become {type}; it was read as code.",
    ),
    "test_reinserted": Message(
        zh="测试 {test} 被删除，已从原题放回。", en="Test {test} was deleted; it was put back."
    ),
    "test_restored": Message(
        zh="测试 {test} 被改动，已恢复为原题。", en="Test {test} was edited; it was restored."
    ),
    "magic_skipped": Message(
        zh="批改时不执行魔法命令：{line}", en="Not executed when graded: {line}"
    ),
    "colab_skipped": Message(
        zh="批改时不执行 google.colab / get_ipython 语句。",
        en="google.colab and get_ipython statements are not executed when graded.",
    ),
    "cell_not_python": Message(
        zh="第 {cell} 格有语法错误，未能执行。",
        en="Cell {cell} is not valid Python; it did not run.",
    ),
    "aside_left_out": Message(
        zh="第 {cell} 格没有正常结束（{status}），与答案无关，已跳过。",
        en="Cell {cell} did not end well ({status}); the answer does not need it, so it was left out.",
    ),
    "answer_left_out": Message(
        zh="{answer} 的单元格没有正常结束（{status}），这里只使用其中的定义。",
        en="The cell of {answer} did not end well ({status}); only its definitions were used here.",
    ),
}

#: What was collected from an export.
INTAKE = {
    "newest_attempt_used": Message(
        zh="{file} 有多次提交，使用最新的一次（{kept}）。",
        en="{file} was handed in several times; the newest was used ({kept}).",
    ),
    "file_refused": Message(zh="未采用 {file}：{reason}", en="{file} was refused: {reason}"),
    "too_many_files": Message(
        zh="文件过多或过大，未采用 {file}。", en="Too many or too large files; {file} was left out."
    ),
    "marked_late": Message(zh="平台标记为迟交。", en="Marked as late by the platform."),
    "path_refused": Message(
        zh="路径 {path} 指向文件夹之外，拒绝解压。", en="The path {path} leads outside: refused."
    ),
    "zip_bomb": Message(
        zh="压缩比 {ratio}:1，疑似压缩炸弹，拒绝解压。",
        en="Compressed {ratio}:1, as a zip bomb is: refused.",
    ),
    "zip_broken": Message(zh="压缩包损坏：{error}", en="The zip is damaged: {error}"),
    "zip_encrypted": Message(zh="压缩包有密码，无法打开。", en="The zip needs a password."),
    "zip_too_deep": Message(
        zh="压缩包嵌套超过 {limit} 层，拒绝解压。",
        en="Zips nested more than {limit} deep: refused.",
    ),
    "zip_too_many": Message(
        zh="压缩包里的文件超过 {limit} 个，其余忽略。",
        en="More than {limit} files; the rest is left out.",
    ),
    "zip_too_large": Message(
        zh="解压后超过 {gb} GB，其余忽略。", en="More than {gb} GB unpacked; the rest is left out."
    ),
    "not_an_archive": Message(zh="既不是文件夹也不是 zip。", en="Neither a folder nor a zip."),
}

#: How a question ended, in a list and as a comment.
OUTCOMES = {
    "question_timeout": Message(
        zh="{question} 运行超时",
        en="{question} ran out of time",
    ),
    "question_memory": Message(
        zh="{question} 占用内存过多",
        en="{question} used too much memory",
    ),
    "question_output": Message(
        zh="{question} 输出过多",
        en="{question} printed too much",
    ),
    "question_crashed": Message(
        zh="{question} 使进程崩溃",
        en="{question} crashed its process",
    ),
    "question_exited": Message(
        zh="{question} 使进程退出",
        en="{question} ended its process",
    ),
    "question_isolation": Message(
        zh="{question} 未能运行",
        en="{question} could not be run",
    ),
    "question_timeout_elsewhere": Message(
        zh="{question} 没有运行：{other} 运行超时",
        en="{question} did not run: {other} ran out of time",
    ),
    "question_memory_elsewhere": Message(
        zh="{question} 没有运行：{other} 占用内存过多",
        en="{question} did not run: {other} used too much memory",
    ),
    "question_output_elsewhere": Message(
        zh="{question} 没有运行：{other} 输出过多",
        en="{question} did not run: {other} printed too much",
    ),
    "question_crashed_elsewhere": Message(
        zh="{question} 没有运行：{other} 使进程崩溃",
        en="{question} did not run: {other} crashed its process",
    ),
    "question_exited_elsewhere": Message(
        zh="{question} 没有运行：{other} 使进程退出",
        en="{question} did not run: {other} ended its process",
    ),
    "stopped_missing": Message(
        zh="{question}：没有找到作答单元格。",
        en="{question}: no answer was found.",
    ),
    "stopped_timeout": Message(
        zh="{question} 运行超时，已被终止（在 {where}）。",
        en="{question} ran out of time and was stopped (in {where}).",
    ),
    "stopped_timeout_elsewhere": Message(
        zh="{question} 没有运行：{other} 的单元格运行超时。",
        en="{question} did not run: the cell of {other} ran out of time.",
    ),
    "stopped_memory": Message(
        zh="{question} 占用内存过多，已被终止（在 {where}）。",
        en="{question} used too much memory and was stopped (in {where}).",
    ),
    "stopped_memory_elsewhere": Message(
        zh="{question} 没有运行：{other} 的单元格占用内存过多。",
        en="{question} did not run: the cell of {other} used too much memory.",
    ),
    "stopped_output": Message(
        zh="{question} 输出过多，已被终止（在 {where}）。",
        en="{question} printed too much and was stopped (in {where}).",
    ),
    "stopped_output_elsewhere": Message(
        zh="{question} 没有运行：{other} 的单元格输出过多。",
        en="{question} did not run: the cell of {other} printed too much.",
    ),
    "stopped_crashed": Message(
        zh="{question} 使进程崩溃（在 {where}）。",
        en="{question} crashed its process (in {where}).",
    ),
    "stopped_crashed_elsewhere": Message(
        zh="{question} 没有运行：{other} 的单元格使进程崩溃。",
        en="{question} did not run: the cell of {other} crashed its process.",
    ),
    "stopped_exited": Message(
        zh="{question} 使进程退出（在 {where}）。",
        en="{question} ended its process (in {where}).",
    ),
    "stopped_exited_elsewhere": Message(
        zh="{question} 没有运行：{other} 的单元格使进程退出。",
        en="{question} did not run: the cell of {other} ended its process.",
    ),
    "stopped_submission": Message(
        zh="{question} 没有运行：整份提交的时间已用完。",
        en="{question} did not run: the time for the whole submission was used up.",
    ),
    "stopped_isolation": Message(
        zh="{question} 没有运行：批改环境不满足要求，请联系老师。",
        en="{question} was not run, the grader could not: ask your instructor.",
    ),
    "student_id_refused": Message(
        zh="学号或文件夹名含有 < > 或不可见字符，未批改，请先改名。",
        en="The student id holds < > or invisible characters; not graded, rename the folder first.",
    ),
    "where_answer": Message(zh="作答单元格", en="the answer's cell"),
    "where_test": Message(zh="测试 {test}", en="test {test}"),
    "where_cell": Message(zh="第 {number} 格", en="cell {number}"),
    "where_provided": Message(zh="题目自带的第 {number} 格", en="provided cell {number}"),
    "no_response": Message(zh="尚未作答。", en="No response."),
    "grader_failed": Message(
        zh="批改器在这份提交上出错，需要人工查看：{error}",
        en="The grader itself failed on this submission; a person must look: {error}",
    ),
    "verdict_passed": Message(zh="通过", en="passed"),
    "verdict_unwritten": Message(zh="尚未编写", en="not written yet"),
    "verdict_raised": Message(zh="抛出了异常", en="raised an exception"),
    "verdict_wrong_type": Message(zh="返回类型不对", en="wrong type"),
    "verdict_wrong_value": Message(zh="结果不对", en="wrong result"),
    "verdict_unavailable": Message(zh="函数无法调用", en="the function cannot be called"),
    "verdict_stopped": Message(zh="运行被终止", en="stopped"),
    "verdict_not_run": Message(zh="没有运行", en="not run"),
    "status_graded": Message(zh="已批改", en="graded"),
    "status_partial": Message(zh="部分", en="partial"),
    "status_unreadable": Message(zh="无法读取", en="unreadable"),
    "status_missing": Message(zh="缺交", en="missing"),
    "status_timeout": Message(zh="超时", en="timeout"),
    "status_failed": Message(zh="需人工处理", en="needs a person"),
}

#: Words of the pages.
PAGES = {
    "page_for": Message(zh="学习者：{student}", en="Learner: {student}"),
    "page_submitted": Message(zh="提交时间", en="handed in"),
    "page_late": Message(
        zh="迟交 {hours} 小时，总分扣 {penalty} 分。",
        en="{hours} h late: {penalty} points off the total.",
    ),
    "page_comment": Message(zh="老师的话：", en="From your instructor: "),
    "page_manual": Message(zh="人工评分", en="scored by a person"),
    "page_kind": Message(zh="类型", en="Kind"),
    "page_hidden": Message(zh="隐藏检查", en="Hidden check"),
    "page_fresh_example": Message(
        zh="（下面是同类的新例子，不是评分用的输入）",
        en=" (below: a fresh example of its kind, not the graded input)",
    ),
    "page_rule": Message(zh="规则", en="Rule"),
    "page_call": Message(zh="输入", en="Input"),
    "page_expected": Message(zh="期望", en="Expected"),
    "page_got": Message(zh="得到", en="Got"),
    "page_detail": Message(zh="差别", en="Difference"),
    "page_hint": Message(zh="提示", en="Hint"),
    "page_passed_checks": Message(zh="已通过的 {count} 项", en="{count} checks passed"),
    "page_cell_error": Message(zh="{cell} 执行时出错：", en="{cell} raised:"),
    "page_answer": Message(zh="被批改的代码", en="The code that was graded"),
    "page_output": Message(zh="代码打印的内容", en="What the code printed"),
    "page_reading": Message(zh="读取与修复", en="How the file was read"),
}

CHECK = {
    "check_no_questions": Message(
        zh="这份笔记里没有需要检查的题目。", en="This notebook has no questions to check."
    ),
}

#: Words of the class report.
CLASS = {
    "class_title": Message(zh="{assignment} · 全班概览", en="{assignment} · class report"),
    "class_made": Message(zh="生成于 {time}", en="made {time}"),
    "class_isolation": Message(zh="隔离 {name}：{count} 份", en="isolation {name}: {count}"),
    "class_isolation_head": Message(zh="隔离方式", en="Isolation"),
    "class_submissions": Message(zh="提交数", en="submissions"),
    "class_mean": Message(zh="平均分（满分 {top}）", en="mean of {top}"),
    "class_median": Message(zh="中位数（满分 {top}）", en="median of {top}"),
    "class_distribution": Message(zh="分数分布", en="Distribution of scores"),
    "class_checks": Message(zh="每项测试的结果（最难的在上）", en="Every test, hardest on top"),
    "class_table": Message(
        zh="每份提交（需要处理的在前）", en="Every submission, urgent ones first"
    ),
    "class_time": Message(zh="批改用时", en="Time used"),
    "class_student": Message(zh="学习者", en="Student"),
    "class_status": Message(zh="状态", en="Status"),
    "class_points": Message(zh="得分", en="Points"),
    "class_late": Message(zh="迟交", en="Late"),
    "class_seconds": Message(zh="用时（秒）", en="Seconds"),
    "class_note": Message(zh="说明", en="Note"),
    "class_passed": Message(zh="通过", en="passed"),
    "class_wrong": Message(zh="未通过", en="not passed"),
    "class_unwritten": Message(zh="未作答", en="not answered"),
}

#: What a weak isolation leaves open to learner code.
OPEN = {
    "open_files": Message(
        zh="学生代码能读到批改者能读的文件（测试、成绩册、他人的作业）",
        en="learner code can read what the grader can (tests, gradebook, other people's work)",
    ),
    "open_network": Message(zh="学生代码能使用网络", en="learner code can use the network"),
    "open_signals": Message(
        zh="学生代码能终止批改者的进程", en="learner code can end the grader's processes"
    ),
    "open_processes": Message(
        zh="学生代码启动的进程可能比批改活得久",
        en="processes that it starts may outlive the grading",
    ),
    "open_memory": Message(zh="内存上限不可靠", en="the memory limit is not reliable"),
}

for _topic in (OPEN, READING, MATCHING, INTAKE, OUTCOMES, PAGES, CHECK, CLASS):
    register({f"grader.{key}": message for key, message in _topic.items()})
