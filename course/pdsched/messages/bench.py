"""What ``pdsched bench`` says."""

from pdsched.messages import Message, register

CATALOG = {
    "bench.title": Message(zh="服务基准：{model}", en="Serving benchmark: {model}"),
    "bench.unreachable": Message(
        zh="连不上 {url}：{detail}。服务器启动了吗？地址和端口对吗？",
        en="cannot reach {url}: {detail}. Is the server up, and are address and port right?",
    ),
    "bench.no_model_list": Message(
        zh="{url} 没有给出模型列表（{detail}）；请用 --model 写明模型名。",
        en="{url} gives no list of models ({detail}); name one with --model.",
    ),
    "bench.wrong_model": Message(
        zh="服务器上没有模型 {model!r}；可用：{available}。",
        en="the server has no model {model!r}; it has: {available}.",
    ),
    "bench.progress": Message(
        zh="已完成 {done}/{total}，失败 {failed}", en="{done}/{total} done, {failed} failed"
    ),
    "bench.failed": Message(
        zh="{count} 个请求没有完成（{reason}），例如 {request_id}：{detail}",
        en="{count} requests did not finish ({reason}), e.g. {request_id}: {detail}",
    ),
    "bench.none_finished": Message(
        zh="没有任何请求完成，因此没有延迟数字。",
        en="no request finished, so there are no latencies.",
    ),
    "bench.late_client": Message(
        zh="注意：客户端自己最多晚发了 {lag_ms:.0f} ms，这台机器太忙，延迟数字偏大。",
        en="note: the client itself sent up to {lag_ms:.0f} ms late; this machine is too busy "
        "and the latencies are too large.",
    ),
    "bench.bundled": Message(
        zh="注意：{count} 个请求的服务器把多个 token 合并进一个数据块，ITL 按数据块计。",
        en="note: for {count} requests the server put several tokens into one chunk; ITL counts chunks.",
    ),
    "bench.bad_url": Message(
        zh="url 应写成 http://127.0.0.1:8000 的样子，得到 {url!r}。",
        en="url must look like http://127.0.0.1:8000, got {url!r}.",
    ),
    "bench.bad_timeout": Message(
        zh="--timeout 应是大于 0 的秒数，得到 {seconds:g}。",
        en="--timeout must be seconds above 0, got {seconds:g}.",
    ),
    "bench.saved": Message(zh="证据文件：{path}", en="evidence file: {path}"),
    "bench.refused": Message(zh="连接被拒绝", en="connection refused"),
    "bench.connect_timeout": Message(zh="连接超时", en="connecting timed out"),
    "bench.first_token_timeout": Message(zh="等不到第一个 token", en="no first token in time"),
    "bench.between_tokens_timeout": Message(zh="中途停止发送", en="went silent in the middle"),
    "bench.total_timeout": Message(zh="总时间超限", en="took too long altogether"),
    "bench.disconnected": Message(zh="中途断开", en="disconnected in the middle"),
    "bench.malformed": Message(zh="返回内容无法解析", en="answer cannot be parsed"),
    "bench.wrong_model_name": Message(zh="模型名不对", en="wrong model name"),
    "bench.http_error": Message(zh="服务器返回错误", en="server answered with an error"),
    "bench.server_error": Message(zh="流中报告错误", en="error inside the stream"),
    "bench.not_sent": Message(zh="没有发出", en="not sent"),
    "bench.detail.tokens": Message(zh="已经收到 {count} 个 token", en="{count} tokens had come"),
    "bench.detail.connecting": Message(
        zh="{seconds:g} 秒没有连上", en="no connection in {seconds:g} s"
    ),
    "bench.detail.no_models": Message(
        zh="{seconds:g} 秒没有回答 /models", en="no answer to /models in {seconds:g} s"
    ),
    "bench.detail.total": Message(
        zh="{seconds:g} 秒还没有结束", en="not finished after {seconds:g} s"
    ),
    "bench.detail.no_token": Message(zh="{seconds:g} 秒没有 token", en="no token in {seconds:g} s"),
    "bench.detail.silent": Message(
        zh="收到 {count} 个 token 之后沉默了 {seconds:g} 秒",
        en="silent for {seconds:g} s after {count} tokens",
    ),
    "bench.detail.ended": Message(zh="轮到它之前运行已经结束", en="the run ended before its turn"),
    "bench.detail.stopped": Message(
        zh="运行被停止时它还在途", en="the run was stopped while it was in flight"
    ),
    "bench.detail.given_up": Message(
        zh="连续 {count} 次连接被拒绝，不再发送",
        en="{count} connections in a row were refused, the rest was not sent",
    ),
    "bench.detail.not_json": Message(zh="不是完整的 JSON：{start}", en="no whole JSON: {start}"),
}
register(CATALOG)
