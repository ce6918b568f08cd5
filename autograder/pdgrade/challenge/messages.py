"""What the leaderboard says about a policy that has no score."""

from __future__ import annotations

from typing import Final

from pdsched.messages import Message, register

CATALOG: Final = {
    "challenge_missing": Message(
        zh="没有找到 {file}，也没有定义 {function} 的 .py。",
        en="Neither {file} nor a .py that defines {function} was found.",
    ),
    "challenge_no_policy": Message(
        zh="{file} 里没有 {function}。", en="{file} does not define {function}."
    ),
    "challenge_cell_raised": Message(
        zh="没有得到 {function}：{where}报错，{error}",
        en="{function} was not defined: {where} raised {error}",
    ),
    "challenge_not_defined": Message(
        zh="单元格都运行了，但没有定义 {function}。",
        en="All cells ran, but none defined {function}.",
    ),
    "challenge_broken": Message(
        zh="公开种子 {seed} 上：{rule}。用 challenge.score(my_policy) 可以重现。",
        en="On public seed {seed}: {rule}; challenge.score(my_policy) shows the call.",
    ),
    "challenge_broken_unseen": Message(
        zh="公开种子上没有问题，终评种子上报错或违反了规则（不公开是哪一次调用）。",
        en="Sound on the public seeds; on the final ones it raised or broke a rule "
        "(which call is not told).",
    ),
    "challenge_stopped": Message(
        zh="没有算完，被终止：{reason}（{where}）。",
        en="It was ended before it was done: {reason} ({where}).",
    ),
    "challenge_stop_wall": Message(
        zh="用时超过上限（一次调用 2 秒，全部 60 秒）",
        en="over the time limit (2 s a call, 60 s in all)",
    ),
    "challenge_stop_cpu": Message(zh="CPU 时间超过上限", en="over the CPU limit"),
    "challenge_stop_output": Message(zh="输出太多", en="too much output"),
    "challenge_stop_disk": Message(zh="写的文件太大", en="files too large"),
    "challenge_stop_files": Message(zh="文件太多", en="too many files"),
    "challenge_stop_crashed": Message(zh="进程崩溃", en="its process crashed"),
    "challenge_stop_exited": Message(zh="自己退出了进程", en="it ended its own process"),
    "challenge_stop_channel": Message(zh="返回的不是一个结果", en="what it sent was no result"),
    "challenge_stop_killed": Message(
        zh="被系统终止，或内存不足", en="killed from outside, or out of memory"
    ),
    "challenge_stop_lost": Message(zh="隔离进程丢失", en="the isolating process was lost"),
    "challenge_failed": Message(
        zh="批改器自己没能完成，请人工处理：{error}",
        en="The grader itself failed on it, a person must look: {error}",
    ),
    "challenge_status_baseline": Message(zh="基线", en="baseline"),
    "challenge_status_scored": Message(zh="已评分", en="scored"),
    "challenge_status_refused": Message(zh="违反规则", en="broke a rule"),
    "challenge_status_stopped": Message(zh="被终止", en="ended"),
    "challenge_status_missing": Message(zh="没有策略", en="no policy"),
    "challenge_status_failed": Message(zh="需人工处理", en="needs a person"),
}

register({f"grader.{key}": message for key, message in CATALOG.items()})
